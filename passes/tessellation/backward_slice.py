"""What a function needs for some of its instructions only: a backward slice.

After Weiser, "Program slicing", 1981, on structured control flow: an instruction needs what it reads, and
the decisions by which control gets to it.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Mapping
from dataclasses import dataclass, field

from nirls.ir.model.control_flow import Block, CfNode, FunctionImpl, If, Loop
from nirls.ir.model.instructions import Instr, JumpInstr, PhiInstr
from nirls.ir.model.values import Def


@dataclass(slots=True)
class Slice:
    """The needed instructions (with the jumps of needed loops), and the ifs and loops that stay for them."""

    instrs: set[Instr] = field(default_factory=set)
    nodes: set[If | Loop] = field(default_factory=set)


class Slicer:
    """Slices of one function body, in time linear to their size."""

    __slots__ = ("_answers", "_asks", "_jumps")

    def __init__(
        self,
        impl: FunctionImpl,
        asks: Mapping[Instr, Collection[Hashable]] | None = None,
        answers: Mapping[Hashable, Collection[Instr]] | None = None,
    ) -> None:
        """What an instruction needs beyond its sources: it asks for places, and others are their answers."""
        self._asks = asks or {}
        self._answers = answers or {}
        self._jumps: dict[Loop, list[Instr]] = {}
        for block in impl.blocks():
            jump = block.jump
            loop = None if jump is None else _loop_around(block)
            if jump is not None and loop is not None:
                self._jumps.setdefault(loop, []).append(jump)

    def needed_for(
        self, roots: Iterable[Instr], known: Iterable[Def] = (), without: Collection[Instr] = ()
    ) -> Slice:
        """The slice of `roots`.

        What makes a value of `known` is not needed, because the value is there anyway, and an answer that is
        in `without` is not taken.
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


def _loop_around(block: Block) -> Loop | None:
    at = block.parent
    while isinstance(at, If):
        at = at.parent
    return at if isinstance(at, Loop) and isinstance(block.jump, JumpInstr) else None
