"""Inputs that change the outcome of comparisons, solved backwards from the operands of a recorded run.

With random inputs, a comparison such as `mode == 3` or `depth < 0.1` hardly ever has all three outcomes. A
run whose inputs are the same at all corners of a primitive (`worlds.STEERED`) is recorded. From an operand
of the comparison the search goes back, through operations that can be inverted while their other operands
stay constant, to a value that the environment supplies. That place is pinned to the solution in the next
run.

A comparison that only one side has, or whose operands differ between the sides, is steered to equality, also
if it was met: where an operand differs by one unit in the last place, the outcome differs only there.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from nirls.ir.effects import effects_of
from nirls.ir.evaluate.alu_operation import container_type
from nirls.ir.evaluate.arrays import FLOAT_TYPES, Array
from nirls.ir.evaluate.coverage import (
    EQUAL,
    GREATER,
    LESS,
    Compared,
    Coverage,
    Indexed,
    combines,
    compares,
)
from nirls.ir.model.float_bits import float_of
from nirls.ir.model.instructions import AluInstr, Instr, IntrinsicInstr, LoadConstInstr, PhiInstr
from nirls.ir.model.shader import Shader
from nirls.ir.model.stage import Stage
from nirls.ir.model.values import AluSrc, Def
from nirls.ir.tables.families import MOVES, VECTORS
from nirls.passes.translation_validation.constants import Constants
from nirls.passes.translation_validation.recorded import Recorded
from nirls.passes.translation_validation.worlds import STEERED, DrawnEnvironment

Pins = dict[int, int]
"""Bits to which places of the environment are pinned, by the hash of the place."""

TURNS = 3
"""Maximum number of runs after the recorded one."""

_ATTEMPTS = 6
"""Maximum number of attempts for each target: an operation on the way may round."""

_PRIVATE = frozenset(("register", "scratch"))
"""Memories of one invocation: variables, registers and scratch."""

_WAYS = 3
_MOST_STEPS = 400
_CORNERS = 3


@dataclass(frozen=True, slots=True)
class Target:
    """Outcome of a component of a comparison (less, equal or greater), or number of an index, to reach."""

    instr: Instr
    side: int
    component: int = 0


@dataclass(slots=True)
class Steering:
    """Pins of each draw of the next run, the number of attempts for each target, and the recorded run."""

    seed: int
    constants: Constants
    specials_met: dict[object, int]
    pins: list[dict[int, int]] = field(default_factory=lambda: [{} for _ in STEERED])
    _tried: dict[Target, int] = field(default_factory=dict)
    recorded: list[Recorded] = field(default_factory=list)

    def environment(self) -> DrawnEnvironment:
        """Return the inputs of the next run."""
        self.recorded = []
        return DrawnEnvironment(
            self.seed,
            worlds=STEERED,
            constants=self.constants,
            specials_met=self.specials_met,
            pins={place: bits for draw in self.pins for place, bits in draw.items()},
            answers=[],
        )

    def aim(
        self, environment: DrawnEnvironment, sides: Sequence[Coverage], before_of: Mapping[Def, Def]
    ) -> bool:
        """Set pins so that the next run reaches more targets; return false if none could be set.

        Each target is attempted in one draw, then again in other ways in the draws that are left.
        `before_of` has the value before the pass for each value after it.
        """
        free = set(range(len(STEERED)))
        differing = _differing(sides, before_of)
        for _ in range(_ATTEMPTS):
            for coverage in sides:
                for instr, compared in coverage.comparisons.items():
                    for side in (EQUAL, LESS, GREATER):
                        for component in compared.missing(side):
                            target = Target(instr, side, component)
                            self._attempt(target, compared, compared.mask, free, environment)
                for indexing, indexed in coverage.indices.items():
                    self._attempt_bounds(indexing, indexed, free, environment)
            for target, compared, mask in differing:
                self._attempt(target, compared, mask, free, environment)
        return len(free) < len(STEERED)

    def _attempt(
        self,
        target: Target,
        compared: Compared,
        mask: Array,
        free: set[int],
        environment: DrawnEnvironment,
    ) -> None:
        """Pin inputs for an outcome of a comparison on a lane in the mask, in one of the free draws."""
        stage = next((one for one in self.recorded if target.instr.def_ in one.values), None)
        if stage is None or len(mask) != len(stage.draw):
            return
        attempt = self._tried.get(target, 0)
        lane = None if attempt >= _ATTEMPTS else _lane_in(free, mask, stage.draw)
        if lane is None:
            return
        self._tried[target] = attempt + 1
        found = self._solve(target, compared, stage, lane, attempt, environment)
        self._pin(found, int(stage.draw[lane]), free)

    def _attempt_bounds(
        self, instr: Instr, indexed: Indexed, free: set[int], environment: DrawnEnvironment
    ) -> None:
        value = indexed.bounds.src.ssa
        stage = next((one for one in self.recorded if value in one.values), None)
        if stage is None or indexed.mask is None or len(indexed.mask) != len(stage.draw):
            return
        for number in indexed.missing:
            target = Target(instr, number)
            lane = _lane_in(free, indexed.mask, stage.draw)
            if lane is None or target in self._tried:
                continue
            self._tried[target] = 1
            found = _Search(self.recorded, environment, stage, lane).pins(
                _Operand(value, 0, value.bit_size), number
            )
            self._pin(found, int(stage.draw[lane]), free)

    def _pin(self, found: Pins | None, draw: int, free: set[int]) -> None:
        if found is not None:
            free.discard(draw)
            self.pins[draw].update(found)

    def _solve(
        self,
        target: Target,
        compared: Compared,
        stage: Recorded,
        lane: int,
        attempt: int,
        environment: DrawnEnvironment,
    ) -> dict[int, int] | None:
        """Return pins for a comparison to have the wanted outcome; None if no solution is found."""
        instr, side, component = target.instr, target.side, target.component
        if not isinstance(instr, AluInstr):
            return None
        sources = instr.sources
        search = _Search(self.recorded, environment, stage, lane)
        if combines(instr) and instr.def_ is not None:
            return search.pins(_Operand(instr.def_, component, 1), int(side == GREATER))
        order = (0, 1) if attempt % 2 == 0 else (1, 0)
        for number in order:
            if number >= len(sources):
                continue
            src, other = sources[number], (compared.right, compared.left)[number]
            if src.def_ is None or isinstance(src.ssa.instr, LoadConstInstr):
                continue
            own = side if number == 0 else {LESS: GREATER, GREATER: LESS}.get(side, EQUAL)
            opposite = other[min(component, len(other) - 1), lane]
            wanted = _number_beside(opposite, own, src.bit_size, attempt)
            if wanted is None:
                continue
            found = search.pins(_operand(src, component), wanted)
            if found is not None:
                return {place: _nudged(bits, src.bit_size, attempt) for place, bits in found.items()}
        return None


def _differing(
    sides: Sequence[Coverage], before_of: Mapping[Def, Def]
) -> list[tuple[Target, Compared, Array]]:
    """Return equality of the comparisons that differ between the sides, each with the lanes on which it does.

    One side may have no such comparison, or compare other numbers.
    """
    before, after = (coverage.comparisons for coverage in sides)
    found = []
    paired = set()
    for instr, compared in after.items():
        old = None if instr.def_ is None else before_of.get(instr.def_)
        twin = None if old is None else old.instr
        if not isinstance(twin, AluInstr) or twin not in before or twin.op != instr.op:
            continue
        paired |= {twin, instr}
        if combines(instr):
            continue
        for component, lanes in enumerate(_differing_lanes(compared, before[twin])):
            if lanes.any():
                found += [
                    (Target(twin, EQUAL, component), before[twin], lanes),
                    (Target(instr, EQUAL, component), compared, lanes),
                ]
    for comparisons in (before, after):
        for instr, compared in comparisons.items():
            if instr not in paired and not combines(instr):
                rows = range(len(compared.outcomes))
                found += [(Target(instr, EQUAL, row), compared, compared.mask) for row in rows]
    return found


def _differing_lanes(one: Compared, other: Compared) -> Array:
    """Return the lanes on which both sides compare other numbers, a row for each component.

    No rows if the sides have other lanes or components.
    """
    differs: Array = np.zeros((len(one.outcomes), len(one.mask)), np.bool_)
    for row, opposite in ((one.left, other.left), (one.right, other.right)):
        if row.shape != opposite.shape or one.mask.shape != other.mask.shape:
            return differs[:0]
        # NaN is not equal to itself.
        differs |= (row != opposite) & (row == row) & (opposite == opposite)
    return differs & one.mask & other.mask


def _lane_in(free: set[int], mask: Array, draw: Array) -> int | None:
    """Return a lane in the mask whose draw is free; None if there is none."""
    for lane in np.nonzero(mask)[0].tolist():
        if int(draw[lane]) in free:
            return int(lane)
    return None


def _nudged(bits: int, bit_size: int, attempt: int) -> int:
    """Return the solution, or one of its neighbours in case an operation on the way rounds."""
    step = (0, 1, -1)[attempt % _WAYS]
    return (bits + step) & ((1 << bit_size) - 1)


def _decoded(bits: int, bit_size: int, kind: str) -> Any:
    """Decode bits as the operand of a comparison of floats (`f`) or integers."""
    if kind == "f" and bit_size in FLOAT_TYPES:
        return FLOAT_TYPES[bit_size](float_of(bits, bit_size))
    return container_type(bit_size)(bits)


def _number_beside(other: Any, side: int, bit_size: int, attempt: int) -> int | None:
    """Return the bits of a number on the given side of another one."""
    if other.dtype.kind == "f":
        number = float(other)
        if np.isnan(number):
            number = 0.5
        step = (1.0, 0.01, abs(number) + 1.0)[attempt % _WAYS]
        number += {EQUAL: 0.0, LESS: -step, GREATER: step}[side]
        return _bits(number, bit_size)
    if other.dtype.kind == "b":
        return None
    return (int(other) + {EQUAL: 0, LESS: -1, GREATER: 1}[side]) & ((1 << bit_size) - 1)


def _bits(number: float, bit_size: int) -> int | None:
    if bit_size not in FLOAT_TYPES:
        return None
    with np.errstate(all="ignore"):
        return int(np.array([number], FLOAT_TYPES[bit_size]).view(container_type(bit_size))[0])


class _Operand(NamedTuple):
    """One component of a value; `value` is None behind a source modifier."""

    value: Def | None
    component: int
    bit_size: int


@dataclass(slots=True)
class _Search:
    """Backward search from an operand on one lane to a place that the environment has filled."""

    stages: list[Recorded]
    environment: DrawnEnvironment
    stage: Recorded
    lane: int
    steps: int = 0

    def pins(self, operand: _Operand, wanted: int) -> Pins | None:
        """Return pins that give an operand the wanted bits; None if no solution is found."""
        return None if operand.value is None else self._value(operand.value, operand.component, wanted)

    def _value(self, value: Def, component: int, wanted: int) -> Pins | None:
        self.steps += 1
        if self.steps > _MOST_STEPS:
            return None
        instr = value.instr
        if isinstance(instr, LoadConstInstr):
            return None
        if isinstance(instr, PhiInstr):
            held = self.stage.bits(value, component, self.lane)
            for phi_src in instr.sources:
                if phi_src.def_ is not None and self.stage.bits(phi_src.ssa, component, self.lane) == held:
                    found = self._value(phi_src.ssa, component, wanted)
                    if found is not None:
                        return found
            return None
        if isinstance(instr, AluInstr) and value.bit_size == 1 and (compares(instr) or combines(instr)):
            return self._condition(instr, component, bool(wanted))
        if isinstance(instr, AluInstr):
            for src, inner in self._inversions(instr, component, wanted, value.bit_size):
                found = self.pins(src, inner)
                if found is not None:
                    return found
            return None
        place = self._place(value, component)
        if place is not None:
            return {place: wanted}
        if isinstance(instr, IntrinsicInstr) and effects_of(instr).reads(_PRIVATE):
            return self._from_store(value, component, wanted)
        return self._from_producer(value, component, wanted)

    def _condition(self, instr: AluInstr, component: int, wanted: bool) -> Pins | None:
        """Return pins that make a condition true or false; None if no solution is found."""
        operands = [_operand(src, component) for src in instr.sources]
        if combines(instr):
            both = [self.pins(operand, int(wanted)) for operand in operands]
            if (instr.op == "iand") is wanted:
                return None if both[0] is None or both[1] is None else {**both[0], **both[1]}
            return both[1] if both[0] is None else both[0]
        op = instr.op.rstrip("0123456789")
        kind = op[1:].removesuffix("u") if op[1:] in ("ltu", "geu", "equ", "neu") else op[1:]
        sides = {"lt": (GREATER, LESS), "ge": (LESS, GREATER), "eq": (GREATER, EQUAL), "ne": (EQUAL, LESS)}
        if kind not in sides or len(operands) != 2:
            return None
        for number, operand in enumerate(operands):
            other = operands[1 - number]
            held = self._number(other)
            if held is None:
                continue
            side = sides[kind][wanted]
            if number:
                side = {LESS: GREATER, GREATER: LESS}.get(side, EQUAL)
            beside = _number_beside(_decoded(held, other.bit_size, op[0]), side, operand.bit_size, 0)
            found = None if beside is None else self.pins(operand, beside)
            if found is not None:
                return found
        return None

    def _place(self, value: Def, component: int) -> int | None:
        """Return the hash of the environment's place that a load read, found by its value."""
        held = self.stage.bits(value, component, self.lane)
        draw = int(self.stage.draw[self.lane])
        for hashes, bits, draws in reversed(self.environment.answers or []):
            is_of_lanes = np.array_equal(draws, self.stage.draw)
            columns = [self.lane] if is_of_lanes else np.nonzero(draws == draw)[0].tolist()
            table = bits.reshape(-1, len(draws))
            for column in columns:
                rows = np.nonzero(table[:, column] == held)[0]
                if len(rows):
                    return int(np.broadcast_to(hashes, bits.shape).reshape(table.shape)[rows[0], column])
        return None

    def _from_store(self, value: Def, component: int, wanted: int) -> Pins | None:
        """Continue at the stores to private memory that wrote the bits of a loaded value."""
        held = self.stage.bits(value, component, self.lane)
        if held is None:
            return None
        for stored in _stored_privately(self.stage.machine.shader):
            for row in range(stored.num_components):
                if self.stage.bits(stored, row, self.lane) == held:
                    found = self._value(stored, row, wanted)
                    if found is not None:
                        return found
        return None

    def _from_producer(self, value: Def, component: int, wanted: int) -> Pins | None:
        """Continue in the vertex shader for an input of the fragment shader, at all corners alike."""
        instr = value.instr
        stored = None
        if isinstance(instr, IntrinsicInstr) and instr.io_semantics is not None:
            stored = _stored_to(
                self.stages, instr.io_semantics.location, instr.int_index("component") + component
            )
        if stored is None or self.stage.machine.shader.stage is not Stage.FRAGMENT:
            return None
        stage, src, row = stored
        first = int(self.stage.launch.primitive[self.lane]) * _CORNERS
        pins: Pins = {}
        for lane in range(first, first + _CORNERS):
            if lane >= len(stage.draw) or stage.draw[lane] != self.stage.draw[self.lane]:
                return None
            found = _Search(self.stages, self.environment, stage, lane, self.steps)._value(src, row, wanted)
            if found is None:
                return None
            pins |= found
        return pins

    def _inversions(
        self, instr: AluInstr, component: int, wanted: int, bit_size: int
    ) -> Iterator[tuple[_Operand, int]]:
        """Yield sources of an instruction, each with the bits that alone would give the wanted result."""
        op, sources = instr.op.rstrip("0123456789") or instr.op, instr.sources
        one = [_operand(src, component) for src in sources]
        if instr.op in VECTORS:
            yield _operand(sources[component], 0), wanted
            return
        if instr.op in MOVES:
            yield one[0], wanted
            return
        if op in ("bcsel", "b32csel"):
            condition = self._number(one[0])
            if condition is not None:
                yield one[1 if condition else 2], wanted
            return
        values = [self._number(src) for src in one]
        if bit_size in FLOAT_TYPES and op[:1] == "f":
            yield from self._float_inversions(op, one, values, wanted, bit_size)
        yield from _integer_inversions(op, one, values, wanted, bit_size)

    def _number(self, operand: _Operand) -> int | None:
        if operand.value is None:
            return None
        return self.stage.bits(operand.value, operand.component, self.lane)

    def _float_inversions(
        self, op: str, sources: list[_Operand], held: list[int | None], wanted: int, bit_size: int
    ) -> Iterator[tuple[_Operand, int]]:
        goal = float_of(wanted, bit_size)
        if any(src.bit_size not in FLOAT_TYPES for src in sources):
            return
        x = [
            None if bits is None else float_of(bits, src.bit_size)
            for bits, src in zip(held, sources, strict=True)
        ]
        with np.errstate(all="ignore"):
            for position, inverse in _inverses(op, x, goal):
                bits = _bits(inverse, sources[position].bit_size)
                if bits is not None and np.isfinite(inverse):
                    yield sources[position], bits


def _operand(src: AluSrc, component: int) -> _Operand:
    """Return the operand that a source reads for one component of the result."""
    value = None if src.negate or src.abs else src.def_
    return _Operand(value, src.swizzle[min(component, len(src.swizzle) - 1)], src.bit_size)


def _inverses(op: str, x: list[float | None], goal: float) -> Iterator[tuple[int, float]]:
    """Yield (source position, number) pairs that give the goal while the other sources stay constant."""
    first = x[0] if x else None
    second = x[1] if len(x) > 1 else None
    third = x[2] if len(x) > 2 else None
    if op == "fadd" and second is not None:
        yield 0, goal - second
    if op == "fadd" and first is not None:
        yield 1, goal - first
    if op == "fsub" and second is not None:
        yield 0, goal + second
    if op == "fsub" and first is not None:
        yield 1, first - goal
    if op in ("fmul", "fmulz"):
        if second:
            yield 0, goal / second
        if first:
            yield 1, goal / first
    if op == "fdiv" and second is not None:
        yield 0, goal * second
    if op in ("ffma", "ffmaz") and third is not None:
        if second:
            yield 0, (goal - third) / second
        if first:
            yield 1, (goal - third) / first
    if op in ("ffma", "ffmaz") and first is not None and second is not None:
        yield 2, goal - first * second
    if op == "fneg":
        yield 0, -goal
    if op in ("fabs", "fsat", "ffloor", "fceil", "ftrunc", "fround_even", "ffract") or op[:3] == "f2f":
        yield 0, goal
    if op == "fsqrt" and goal >= 0:
        yield 0, goal * goal
    if op == "frsq" and goal > 0:
        yield 0, 1.0 / (goal * goal)
    if op == "frcp" and goal:
        yield 0, 1.0 / goal
    if op == "fexp2" and goal > 0:
        yield 0, float(np.log2(goal))
    if op == "flog2":
        yield 0, float(np.exp2(goal))
    if op == "fsin" and abs(goal) <= 1:
        yield 0, float(np.arcsin(goal))
    if op == "fcos" and abs(goal) <= 1:
        yield 0, float(np.arccos(goal))
    if op == "fpow" and goal > 0 and second:
        yield 0, float(np.power(goal, 1.0 / second))
    if op in ("fmin", "fmax"):
        yield 0, goal
        yield 1, goal
    if op == "flrp" and first is not None and second is not None and first != second:
        yield 2, (goal - first) / (second - first)


def _integer_inversions(
    op: str, sources: list[_Operand], held: list[int | None], wanted: int, bit_size: int
) -> Iterator[tuple[_Operand, int]]:
    mask = (1 << bit_size) - 1
    first = held[0] if held else None
    second = held[1] if len(held) > 1 else None
    signed = wanted - (1 << bit_size) if wanted >> (bit_size - 1) else wanted
    if op == "iadd":
        yield from ((sources[1 - n], wanted - one & mask) for n, one in enumerate(held) if one is not None)
    if op == "ixor":
        yield from ((sources[1 - n], wanted ^ one) for n, one in enumerate(held) if one is not None)
    if op == "isub" and second is not None:
        yield sources[0], wanted + second & mask
    if op == "isub" and first is not None:
        yield sources[1], first - wanted & mask
    if op in ("imul", "amul", "umul_24x", "umul_24") and second:
        yield sources[0], wanted // second
    if op == "ineg":
        yield sources[0], -wanted & mask
    if op == "inot":
        yield sources[0], ~wanted & mask
    if op == "iabs" or op in ("imin", "imax", "umin", "umax"):
        yield from ((src, wanted) for src in sources)
    if op == "iand" and second is not None:
        yield sources[0], wanted
    if op == "iand" and first is not None:
        yield sources[1], wanted
    if op == "ishl" and second is not None:
        yield sources[0], wanted >> (second & (bit_size - 1))
    if op in ("ushr", "ishr") and second is not None:
        yield sources[0], wanted << (second & (bit_size - 1)) & mask
    if op in ("iand", "ior") and bit_size == 1:
        yield from ((src, wanted) for src in sources)
    if op[:3] in ("i2i", "u2u") and sources[0].bit_size > 1:
        yield sources[0], wanted & ((1 << sources[0].bit_size) - 1)
    if op[:3] in ("f2i", "f2u"):
        bits = _bits(float(signed if op[:3] == "f2i" else wanted), sources[0].bit_size)
        if bits is not None:
            yield sources[0], bits
    if op[:3] in ("i2f", "u2f") and bit_size in FLOAT_TYPES and sources[0].bit_size > 1:
        number = float_of(wanted, bit_size)
        if np.isfinite(number):
            yield sources[0], int(np.rint(number)) & ((1 << sources[0].bit_size) - 1)


def _stored_privately(shader: Shader) -> Iterator[Def]:
    """Yield the sources of all stores to private memory."""
    for instr in shader.instrs():
        if isinstance(instr, IntrinsicInstr) and effects_of(instr).writes(_PRIVATE):
            yield from (src.ssa for src in instr.sources if src.def_ is not None)


def _stored_to(stages: list[Recorded], location: int, component: int) -> tuple[Recorded, Def, int] | None:
    """Return the last vertex shader store to an output component: stage, value and row of the value."""
    for stage in stages:
        if stage.machine.shader.stage is not Stage.VERTEX:
            continue
        for impl in stage.machine.shader.impls():
            for instr in reversed(list(impl.instrs())):
                if not isinstance(instr, IntrinsicInstr) or instr.name != "store_output":
                    continue
                semantics, value = instr.io_semantics, instr.sources[0].def_
                row = component - instr.int_index("component")
                if semantics is None or semantics.location != location or value is None:
                    continue
                if 0 <= row < value.num_components:
                    return stage, value, row
    return None
