"""Value graph of the expressions of outputs, and the cheapest set of scalars to send for them.

The dual of `value_graph`: that one follows the readers of inputs down to where they meet, this one follows
the sources of outputs up. The nodes are scalars.

Constants, uniforms and expressions of these are not nodes: the next stage can compute them, and they would
hide the common operands of the rest (the varying-linking design, "forward inter-shader code motion").
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass

from nirls.ir.model.instructions import AluInstr, Instr
from nirls.ir.model.values import Def
from nirls.ir.model.walks import closure
from nirls.passes.varyings.interface.costs import instruction_cost
from nirls.passes.varyings.motion.propagate import is_across_lanes
from nirls.passes.varyings.values.minimum_cut import cheapest_closure
from nirls.passes.varyings.values.transfer import is_scalar_alu

IsUniform = Callable[[Instr], bool]
MOST_INSTRS = 16
"""Maximum number of instructions searched above an output; longer expressions are rarely profitable."""
_MOST_WITH_UNIFORMS = 2 * MOST_INSTRS


@dataclass(frozen=True, slots=True)
class Scalar:
    """One component of a value of the producer."""

    value: Def
    component: int = 0


@dataclass(frozen=True, slots=True)
class Weights:
    """Prices of a sent half of 16 bits and of a unit of cost in the consumer; `load` is a load in units."""

    half: int
    unit: int
    load: int


@dataclass(frozen=True, slots=True)
class OutputChoice:
    """The scalars to send and to compute, so that the consumer has every output.

    `halves` are sent; `units` is the cost of loads and computation in the consumer.
    """

    sent: frozenset[Scalar]
    computed: frozenset[Scalar]
    halves: int
    units: int


class OutputGraph:
    """Scalars near the outputs with their operands, and how often the consumer needs each.

    `places` maps the stored scalars to the sites of the consumer that load them. A scalar without operands
    cannot be computed elsewhere. `may_send` says whether a scalar that no output stores may be sent.
    """

    def __init__(
        self,
        places: Mapping[Scalar, Collection[Hashable]],
        is_uniform: IsUniform,
        may_compute: Callable[[AluInstr], bool],
        may_send: Callable[[Scalar], bool],
    ) -> None:
        self._outputs = tuple(places)
        self._is_uniform = is_uniform
        self._may_send = may_send
        self.operands: dict[Scalar, tuple[Scalar, ...]] = {}
        self._needed_at: dict[Scalar, set[Hashable]] = {}
        for top, sites in places.items():
            for scalar in self._near(top, may_compute):
                self._needed_at.setdefault(scalar, set()).update(sites)

    def _near(self, top: Scalar, may_compute: Callable[[AluInstr], bool]) -> Iterable[Scalar]:
        """Add the scalars near an output; return them. The operands of the farthest are left out."""
        left = MOST_INSTRS
        seen = {top: None}
        waiting = deque(seen)
        while waiting:
            scalar = waiting.popleft()
            if not left:
                self.operands.setdefault(scalar, ())
                continue
            sources = self.operands.get(scalar) or operands(scalar, self._is_uniform)
            maker = scalar.value.instr
            if not isinstance(maker, AluInstr) or not may_compute(maker):
                sources = ()
            self.operands[scalar] = sources
            left -= bool(sources)
            fresh = [source for source in dict.fromkeys(sources) if source not in seen]
            seen.update(dict.fromkeys(fresh))
            waiting += fresh
        return seen

    def cheapest(
        self, weights: Weights, kept: Collection[Scalar] = (), unsent: Collection[Scalar] = ()
    ) -> OutputChoice:
        """Return the choice of the least price; of several, the one that computes least.

        Exact if all outputs are loaded at the same sites. `kept` are outputs to send, `unsent` other scalars
        not to send. This is a closure problem: whether a scalar is needed, and whether it is computed, which
        implies that it and its operands are needed, and the uniform expressions that it reads.
        """
        nodes: dict[Hashable, int] = {}
        prices: list[tuple[int, int]] = []
        implied: list[tuple[int, int]] = []

        def node(key: Hashable, halves: int, units: int) -> int:
            if key not in nodes:
                nodes[key] = len(prices)
                prices.append((halves, units))
            return nodes[key]

        for scalar in self.operands:
            times = len(self._needed_at[scalar])
            node(scalar, scalar.value.bit_size // 16, times * weights.load)
        for scalar, sources in self.operands.items():
            maker = scalar.value.instr
            if not sources or maker is None or scalar in kept:
                continue
            times = len(self._needed_at[scalar])
            halves, units = prices[nodes[scalar]]
            computed = node(maker, -halves, times * instruction_cost(maker) - units)
            implied.append((computed, nodes[scalar]))
            implied += ((computed, nodes[source]) for source in sources)
            for user, instr in self._uniforms_of(maker):
                read, units = node(instr, 0, 0), times * instruction_cost(instr)
                prices[read] = 0, max(prices[read][1], units)
                implied.append((nodes[user], read))
        costs = [halves * weights.half + units * weights.unit for halves, units in prices]
        never = sum(map(abs, costs)) + 1
        for scalar in self.operands:
            if scalar in self._outputs:
                costs[nodes[scalar]] -= never
            elif scalar in unsent or not self._may_send(scalar):
                costs[nodes[scalar]] += never
                maker = scalar.value.instr
                if maker in nodes:
                    costs[nodes[maker]] -= never
        chosen = cheapest_closure(costs, implied)
        needed = [scalar for scalar in self.operands if nodes[scalar] in chosen]
        made = frozenset(scalar for scalar in needed if nodes.get(scalar.value.instr) in chosen)
        halves, units = (sum(prices[number][part] for number in chosen) for part in (0, 1))
        return OutputChoice(frozenset(needed) - made, made, halves, units)

    def _uniforms_of(self, maker: Instr) -> Iterator[tuple[Instr, Instr]]:
        """Yield the uniform instructions that an instruction reads, each with the one that reads it."""
        work = [maker]
        seen: set[Instr] = set()
        while work:
            user = work.pop()
            for src in user.srcs():
                instr = src.def_instr
                if instr is None or not self._is_uniform(instr):
                    continue
                yield user, instr
                if instr not in seen:
                    seen.add(instr)
                    work.append(instr)

    def ends(self, top: Scalar, choice: OutputChoice) -> list[Scalar]:
        """Return the sent scalars that an output is computed from; itself if it is sent."""
        return [scalar for scalar in self._reached(top, choice) if scalar in choice.sent]

    def _reached(self, top: Scalar, choice: OutputChoice) -> dict[Scalar, None]:
        return closure([top], lambda scalar: self.operands[scalar] if scalar in choice.computed else ())

    def parts(self, choice: OutputChoice) -> list[set[Scalar]]:
        """Split the scalars of a choice into sets such that no output is computed from two of them."""
        scalarses: list[set[Scalar]] = []
        for top in self._outputs:
            part = set(self._reached(top, choice))
            joined = [other for other in scalarses if not other.isdisjoint(part)]
            scalarses = [other for other in scalarses if other.isdisjoint(part)]
            scalarses.append(part.union(*joined))
        return scalarses


def operands(scalar: Scalar, is_uniform: IsUniform) -> tuple[Scalar, ...]:
    """Return the operands of a scalar other than uniforms; empty if it cannot be computed elsewhere."""
    maker = scalar.value.instr
    if not isinstance(maker, AluInstr) or not may_be_computed_again(maker):
        return ()
    return tuple(
        Scalar(src.def_, src.swizzle[0])
        for src in maker.sources
        if src.def_ is not None and ((maker := src.def_.instr) is None or not is_uniform(maker))
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
