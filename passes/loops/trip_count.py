"""Exits of a loop, and the number of its iterations (Mesa: nir_loop_analyze).

The conditions of the exits are evaluated on constants, iteration by iteration, so that every induction
variable counts, not only those with a step of one of the known opcodes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from nirls.ir.model.control_flow import Block, CfNode, If, Loop, nodes_of
from nirls.ir.model.float_controls import FloatControls
from nirls.ir.model.instructions import (
    AluInstr,
    Instr,
    JumpInstr,
    LoadConstInstr,
    PhiInstr,
    constant_of,
)
from nirls.ir.model.values import AluSrc, Def, Src
from nirls.ir.model.walks import closure, makers
from nirls.passes.cleanup.opt_constant_folding import folded_value

Taken = Mapping[If, bool | None]
"""Value of the condition of each exit in one iteration, None if it is unknown."""


@dataclass(frozen=True, slots=True, eq=False)
class LoopShape:
    """A loop that exits only by ifs of its own body, or at its end.

    `exits` are the ifs with a break at the end of a branch. `latch` is the last block of the body, None if
    that ends with a break.
    """

    loop: Loop
    header: Block
    exits: tuple[If, ...]
    latch: Block | None


@dataclass(frozen=True, slots=True, eq=False)
class Trips:
    """Known iterations of a loop: the outcome of the exits in each, up to the one that certainly ends it."""

    outcomes: tuple[Taken, ...]

    @property
    def count(self) -> int:
        """The number of complete iterations (Mesa: `max_trip_count`)."""
        return len(self.outcomes) - 1

    @property
    def unknown(self) -> int:
        """The number of exits whose outcome is unknown in some iteration."""
        return len({node for outcome in self.outcomes for node, taken in outcome.items() if taken is None})


def shape_of(loop: Loop) -> LoopShape | str:
    """Return the exits of a loop, or the reason why it has another shape."""
    if loop.continue_body:
        return "it has a continue construct"
    first, last = loop.body[0] if loop.body else None, loop.body[-1] if loop.body else None
    if not isinstance(first, Block) or not isinstance(last, Block):
        return "its body is incomplete"
    exits: list[If] = []
    allowed: set[JumpInstr] = set()
    for node in loop.body:
        if isinstance(node, If):
            breaks = [jump for body in node.bodies() if (jump := break_of(body)) is not None]
            allowed.update(breaks)
            exits += [node] if breaks else []
    if last.jump is not None and last.jump.jump_kind in ("break", "continue"):
        allowed.add(last.jump)
    for node in nodes_of(loop.body):
        if isinstance(node, Loop):
            return "it contains another loop"
        if isinstance(node, Block) and any(
            isinstance(instr, JumpInstr) and instr not in allowed for instr in node
        ):
            return "it has a jump inside an if that is not an exit"
    ends = last.jump is not None and last.jump.jump_kind == "break"
    return LoopShape(loop, first, tuple(exits), None if ends else last)


def break_of(body: Sequence[CfNode]) -> JumpInstr | None:
    """Return the break that ends a branch, or None."""
    last = body[-1] if body else None
    jump = last.jump if isinstance(last, Block) else None
    return jump if jump is not None and jump.jump_kind == "break" else None


UNKNOWN = "its trip count is unknown"
"""Reason of `trips_of` for a loop whose number of iterations does not follow from constants."""


def trips_of(shape: LoopShape, controls: FloatControls, most: int) -> Trips | str:
    """Find the iterations of a loop, or the reason why their number is unknown or above `most`."""
    evaluation = _Evaluation(shape, controls)
    outcomes: list[Taken] = []
    while len(outcomes) <= most:
        outcome: dict[If, bool | None] = {}
        evaluation.run()
        for node in shape.exits:
            bits = None if node.condition.def_ is None else evaluation.value(node.condition.def_)
            outcome[node] = taken = None if bits is None else bool(bits[0])
            branches = [node.then_body if taken else node.else_body] if taken is not None else node.bodies()
            if all(break_of(branch) is not None for branch in branches):
                return Trips((*outcomes, outcome))
        outcomes.append(outcome)
        if shape.latch is None:
            return Trips(tuple(outcomes))
        if all(taken is None for taken in outcome.values()):
            return UNKNOWN
        evaluation.step()
    return f"it has more than {most} iterations"


class _Evaluation:
    """The values that the exits of a loop depend on, in one iteration.

    `holders` stand for header phis and loop invariants: constants whose value is replaced in each iteration.
    """

    def __init__(self, shape: LoopShape, controls: FloatControls) -> None:
        self.controls = controls
        self.shape = shape
        self.blocks = {node for node in shape.loop.body if isinstance(node, Block)}
        self.inside = {node for node in nodes_of(shape.loop.body) if isinstance(node, Block)}
        self.known: dict[Def, tuple[int, ...] | None] = {}
        self.phis: list[PhiInstr] = []
        self.steps: list[tuple[AluInstr, AluInstr, list[tuple[LoadConstInstr, Def]]]] = []
        self._collect()
        for phi in self.phis:
            starts = {src.def_ for src in phi.sources if src.pred is not shape.latch}
            start = starts.pop() if len(starts) == 1 else None
            self._set(phi, constant_of(start))

    def _collect(self) -> None:
        """Find the header phis and ALU instructions that determine the exits."""

        def evaluated(sources: Iterable[Src]) -> Iterator[Instr]:
            for maker in makers(sources):
                is_phi = isinstance(maker, PhiInstr) and maker.block is self.shape.header
                if maker.block in self.blocks and (is_phi or isinstance(maker, AluInstr)):
                    yield maker

        conditions = (node.condition for node in self.shape.exits)
        needed = closure(evaluated(conditions), lambda maker: evaluated(maker.srcs()))
        for node in self.shape.loop.body:
            for instr in node if isinstance(node, Block) else ():
                if instr not in needed:
                    continue
                if isinstance(instr, PhiInstr):
                    self.phis.append(instr)
                elif isinstance(instr, AluInstr):
                    self._add(instr)

    def _add(self, instr: AluInstr) -> None:
        """Add a copy of an instruction that reads constants only."""
        sources: list[AluSrc] = []
        reads: list[tuple[LoadConstInstr, Def]] = []
        if instr.def_ is None:
            return
        for src in instr.sources:
            if src.def_ is None:
                return
            holder = LoadConstInstr([0] * src.def_.num_components)
            stand_in = holder.make_def(0, src.def_.num_components, src.def_.bit_size)
            sources.append(AluSrc(stand_in, src.swizzle, negate=src.negate, absolute=src.abs))
            reads.append((holder, src.def_))
        copy = AluInstr(instr.op, sources, instr.flags)
        copy.make_def(0, instr.def_.num_components, instr.def_.bit_size)
        self.steps.append((instr, copy, reads))

    def run(self) -> None:
        """Evaluate the instructions of an iteration, given the values of the phis."""
        for instr, copy, reads in self.steps:
            values = [self.value(value) for _, value in reads]
            for (holder, _), bits in zip(reads, values, strict=True):
                holder.values = bits or ()
            self._set(instr, None if None in values else folded_value(copy, self.controls))

    def step(self) -> None:
        """Set the phis to their values in the next iteration."""
        following = [
            (phi, None if src is None or src.def_ is None else self.value(src.def_))
            for phi in self.phis
            if self.shape.latch is not None
            for src in (phi.src_for(self.shape.latch),)
        ]
        for phi, bits in following:
            self._set(phi, bits)

    def value(self, value: Def) -> tuple[int, ...] | None:
        """Return the bits of a value in this iteration, None if they are unknown."""
        if value in self.known:
            return self.known[value]
        return constant_of(value)

    def _set(self, instr: Instr, bits: tuple[int, ...] | None) -> None:
        if instr.def_ is not None:
            self.known[instr.def_] = bits
