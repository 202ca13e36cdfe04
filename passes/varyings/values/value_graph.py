"""Value graph of a shader and its post-dominator tree (Mesa: nir_use_dominance.c).

The nodes are instructions; an edge leads from a value to each instruction that reads it. An instruction
that has an effect, decides a branch or is not read at all is an exit. An instruction post-dominates a value
if all paths from the value to an exit pass through it.
"""

from __future__ import annotations

from nirls.ir.analysis.dominance import UNREACHABLE, dominators_of_graph
from nirls.ir.model.control_flow import FunctionImpl
from nirls.ir.model.instructions import Instr
from nirls.ir.model.walks import makers


class PostDominators:
    """Immediate post-dominator of each instruction in the value graph, as a snapshot."""

    __slots__ = ("_above",)

    def __init__(self, impl: FunctionImpl) -> None:
        instrs = list(impl.instrs())
        number = {instr: position for position, instr in enumerate(instrs, 1)}
        # Edges run against the flow of values, from the root (0), which follows all exits.
        reads: list[list[int]] = [[] for _ in range(len(instrs) + 1)]
        for instr, position in number.items():
            reads[position] += [number[maker] for maker in makers(instr.all_srcs()) if maker in number]
            if self._is_exit(instr, number):
                reads[0].append(position)
        above = dominators_of_graph(reads, 0)
        self._above: dict[Instr, Instr | None] = {}
        for instr, position in number.items():
            parent = above[position]
            self._above[instr] = instrs[parent - 1] if parent not in (0, UNREACHABLE) else None

    @staticmethod
    def _is_exit(instr: Instr, number: dict[Instr, int]) -> bool:
        if instr.def_ is None or not instr.def_.uses:
            return True
        return any(not isinstance(src.owner, Instr) or src.owner not in number for src in instr.def_.uses)

    def immediate(self, instr: Instr) -> Instr | None:
        """Return the nearest instruction that everything computed from `instr` passes, or None."""
        return self._above.get(instr)
