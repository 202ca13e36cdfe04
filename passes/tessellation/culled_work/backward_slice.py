"""Backward slices: the instructions and control flow that given instructions depend on.

Follows Weiser, "Program slicing", 1981, for structured control flow: an instruction depends on its sources
and on the conditions under which it executes.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Mapping
from dataclasses import dataclass, field

from nirls.ir.model.control_flow import Block, CfNode, FunctionImpl, If, Loop, loops_around
from nirls.ir.model.instructions import Instr, PhiInstr
from nirls.ir.model.values import Def


@dataclass(slots=True)
class Slice:
    """The instructions of a slice (with the jumps of its loops), and the enclosing ifs and loops."""

    instrs: set[Instr] = field(default_factory=set)
    nodes: set[If | Loop] = field(default_factory=set)


class Slicer:
    """Slicing of one function body, in time linear in the size of the slice."""

    __slots__ = ("_answers", "_asks", "_jumps")

    def __init__(
        self,
        impl: FunctionImpl,
        asks: Mapping[Instr, Collection[Hashable]] | None = None,
        answers: Mapping[Hashable, Collection[Instr]] | None = None,
    ) -> None:
        """Index the function body.

        `asks` and `answers` add dependencies beyond sources: an instruction depends on all `answers` of each
        key in its `asks`.
        """
        self._asks = asks or {}
        self._answers = answers or {}
        self._jumps: dict[Loop, list[Instr]] = {}
        for block in impl.blocks():
            if block.jump is None:
                continue
            loop = next(loops_around(block), None)
            if loop is not None:
                self._jumps.setdefault(loop, []).append(block.jump)

    def needed_for(
        self, roots: Iterable[Instr], known: Iterable[Def] = (), without: Collection[Instr] = ()
    ) -> Slice:
        """Compute the slice of `roots`.

        Values in `known` are available, so their instructions are not added. Answers in `without` are
        ignored.
        """
        given = set(known)
        found = Slice()
        work: list[Instr] = []
        blocks: set[Block] = set()
        asked: set[Hashable] = set()

        def need(instr: Instr) -> None:
            if instr not in found.instrs:
                found.instrs.add(instr)
                work.append(instr)

        def need_value(value: Def | None) -> None:
            maker = None if value is None or value in given else value.instr
            if maker is not None:
                need(maker)

        def need_to_reach(block: Block) -> None:
            at: CfNode | FunctionImpl | None = block
            while at is not None and at not in blocks:
                if isinstance(at, Block):
                    blocks.add(at)
                elif isinstance(at, FunctionImpl) or at in found.nodes:
                    return
                elif isinstance(at, If):
                    found.nodes.add(at)
                    need_value(at.condition.def_)
                else:
                    found.nodes.add(at)
                    for jump in self._jumps.get(at, ()):
                        need(jump)
                at = at.parent

        for root in roots:
            need(root)
        while work:
            instr = work.pop()
            if instr.block is not None:
                need_to_reach(instr.block)
            for src in instr.all_srcs():
                need_value(src.def_)
            if isinstance(instr, PhiInstr):
                for phi_src in instr.sources:
                    need_to_reach(phi_src.pred)
            for question in self._asks.get(instr, ()):
                if question not in asked:
                    asked.add(question)
                    for answer in self._answers.get(question, ()):
                        if answer not in without:
                            need(answer)
        return found
