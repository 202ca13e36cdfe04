"""Value graph of the expressions of outputs, and its dominator tree.

The dual of `value_graph`: that one follows the readers of inputs down to where they meet, this one follows
the sources of outputs up. The nodes are scalars; an edge leads from a scalar to each operation that reads
it. A scalar dominates an output if the output can be computed from it and from uniforms alone.

Constants, uniforms and expressions of these are not nodes: the next stage can compute them, and they would
hide the common operands of the rest (the varying-linking design, "forward inter-shader code motion").
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass

from nirls.ir.analysis.dominance import UNREACHABLE, dominators_of_graph
from nirls.ir.model.instructions import AluInstr, Instr
from nirls.ir.model.values import Def
from nirls.passes.varyings.propagate import is_across_lanes
from nirls.passes.varyings.transfer import is_scalar_alu

IsUniform = Callable[[Instr], bool]
MOST_INSTRS = 16
"""Maximum number of instructions searched above an output; longer expressions are rarely profitable."""
_MOST_WITH_UNIFORMS = 2 * MOST_INSTRS


@dataclass(frozen=True, slots=True)
class Scalar:
    """One component of a value of the producer."""

    value: Def
    component: int = 0


class OutputDominators:
    """Dominator tree over the scalars near some outputs, as a snapshot. Linear in their number."""

    __slots__ = ("_idom", "_is_uniform")

    def __init__(self, stored: Iterable[Scalar], is_uniform: IsUniform) -> None:
        self._is_uniform = is_uniform
        reads = self._operands_above(list(stored))
        nodes = list(reads)
        number = {scalar: position for position, scalar in enumerate(nodes, 1)}
        # The root (0) leads to every scalar that cannot be recomputed.
        readers: list[list[int]] = [[] for _ in range(len(nodes) + 1)]
        for scalar, sources in reads.items():
            for source in sources:
                readers[number[source]].append(number[scalar])
            if not sources:
                readers[0].append(number[scalar])
        above = dominators_of_graph(readers, 0)
        # In a broken dump, values that depend on themselves are unreachable.
        self._idom = {
            scalar: nodes[parent - 1]
            for scalar in nodes
            if (parent := above[number[scalar]]) not in (0, UNREACHABLE)
        }

    def _operands_above(self, stored: list[Scalar]) -> dict[Scalar, tuple[Scalar, ...]]:
        """Return the scalars near each output, with their operands (none at the limit of the search)."""
        found: dict[Scalar, tuple[Scalar, ...]] = {}
        for top in stored:
            left = MOST_INSTRS
            seen = {top}
            waiting = deque(seen)
            while waiting:
                scalar = waiting.popleft()
                if not left:
                    found.setdefault(scalar, ())
                    continue
                sources = found.get(scalar) or operands(scalar, self._is_uniform)
                found[scalar] = sources
                left -= bool(sources)
                fresh = [source for source in dict.fromkeys(sources) if source not in seen]
                seen.update(fresh)
                waiting += fresh
        return found

    def above(self, scalar: Scalar) -> Iterator[Scalar]:
        """Yield a scalar and all scalars that dominate it, nearest first."""
        current: Scalar | None = scalar
        while current is not None:
            yield current
            current = self._idom.get(current)

    def depth(self, scalar: Scalar) -> int:
        """Return the number of scalars that dominate one, itself included."""
        return sum(1 for _ in self.above(scalar))


def operands(scalar: Scalar, is_uniform: IsUniform) -> tuple[Scalar, ...]:
    """Return the operands of a scalar other than uniforms; empty if it cannot be computed elsewhere."""
    maker = scalar.value.instr
    if not isinstance(maker, AluInstr) or not may_be_computed_again(maker):
        return ()
    return tuple(
        Scalar(src.def_, src.swizzle[0])
        for src in maker.sources
        if src.def_ is not None and (src.def_.instr is None or not is_uniform(src.def_.instr))
    )


def may_be_computed_again(instr: AluInstr) -> bool:
    """Whether an ALU operation works on scalars and can be repeated in another stage."""
    if instr.reg_dest is not None or is_across_lanes(instr) or not is_scalar_alu(instr):
        return False
    return all(len(src.swizzle) == 1 for src in instr.sources)


def cone_between(top: Scalar, ends: Collection[Scalar], is_uniform: IsUniform) -> tuple[Instr, ...] | None:
    """Return the instructions that compute `top` from `ends`, including those of uniform expressions.

    None if other values than these and uniforms are needed, or too many instructions.
    """
    found: dict[Instr, None] = {}
    work = [top]
    while work:
        scalar = work.pop()
        maker = scalar.value.instr
        if scalar in ends or maker in found:
            continue
        if maker is None or len(found) == _MOST_WITH_UNIFORMS:
            return None
        found[maker] = None
        if is_uniform(maker):
            work += [Scalar(src.def_) for src in maker.srcs() if src.def_ is not None]
        elif isinstance(maker, AluInstr) and may_be_computed_again(maker):
            work += [Scalar(src.def_, src.swizzle[0]) for src in maker.sources if src.def_ is not None]
        else:
            return None
    return tuple(found)
