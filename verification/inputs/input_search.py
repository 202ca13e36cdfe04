"""Search for inputs that give a value: backwards from it to places that the environment has filled.

The search goes through operations that can be inverted while their other operands stay constant, phis, stores
to private memory, and the vertex shader behind an input of the fragment shader.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from nirls.ir.effects import effects_of
from nirls.ir.model.instructions import AluInstr, IntrinsicInstr, LoadConstInstr, PhiInstr
from nirls.ir.model.stage import Stage
from nirls.ir.model.values import AluSrc, Def
from nirls.ir.tables.families import MOVES, VECTORS
from nirls.verification.evaluate.state.coverage import EQUAL, GREATER, LESS, combines, compares
from nirls.verification.inputs.input_kinds import RandomEnvironment
from nirls.verification.inputs.inverses import decoded, inverses, number_beside
from nirls.verification.inputs.recorded import PRIVATE, Recorded

Pins = dict[int, int]
"""Bits to which places of the environment are pinned, by the hash of the place."""

_SIDES_OF = {"lt": (GREATER, LESS), "ge": (LESS, GREATER), "eq": (GREATER, EQUAL), "ne": (EQUAL, LESS)}
"""The sides on which comparisons are false and true, by the end of the opcode."""

_MOST_STEPS = 400
_DEEPEST = 100
"""Operations behind each other after which the search gives up, far below the limit of Python's stack."""

_CORNERS = 3


class Operand(NamedTuple):
    """One component of a value; `value` is None behind a source modifier."""

    value: Def | None
    component: int
    bit_size: int


@dataclass(slots=True)
class InputSearch:
    """Backward search from an operand on one lane to a place that the environment has filled."""

    stages: list[Recorded]
    environment: RandomEnvironment
    stage: Recorded
    lane: int
    steps: int = 0
    path: list[tuple[Def, int]] = field(default_factory=list)
    """The values from the operand to the present place: none of them depends on itself."""

    def pins(self, operand: Operand, wanted: int) -> Pins | None:
        """Return pins that give an operand the wanted bits; None if no solution is found."""
        return None if operand.value is None else self._value(operand.value, operand.component, wanted)

    def _value(self, value: Def, component: int, wanted: int) -> Pins | None:
        self.steps += 1
        if self.steps > _MOST_STEPS or len(self.path) >= _DEEPEST or (value, component) in self.path:
            return None
        self.path.append((value, component))
        found = self._behind(value, component, wanted)
        self.path.pop()
        return found

    def _behind(self, value: Def, component: int, wanted: int) -> Pins | None:
        """Continue at the instruction of a value."""
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
        if isinstance(instr, IntrinsicInstr) and effects_of(instr).reads(PRIVATE):
            return self._from_store(value, component, wanted)
        return self._from_producer(value, component, wanted)

    def _condition(self, instr: AluInstr, component: int, wanted: bool) -> Pins | None:
        """Return pins that make a condition true or false; None if no solution is found."""
        operands = [operand_of(src, component) for src in instr.sources]
        if combines(instr):
            both = [self.pins(operand, int(wanted)) for operand in operands]
            if (instr.op == "iand") is wanted:
                return None if both[0] is None or both[1] is None else {**both[0], **both[1]}
            return both[1] if both[0] is None else both[0]
        kind = instr.op[1:].rstrip("0123456789").removesuffix("u")
        if kind not in _SIDES_OF or len(operands) != 2:
            return None
        for number, operand in enumerate(operands):
            other = operands[1 - number]
            held = self._number(other)
            if held is None:
                continue
            side = _SIDES_OF[kind][wanted]
            if number:
                side = {LESS: GREATER, GREATER: LESS}.get(side, EQUAL)
            number_held = decoded(held, other.bit_size, is_float=instr.op.startswith("f"))
            beside = number_beside(number_held, side, operand.bit_size, 0)
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
            columns = np.array([self.lane]) if is_of_lanes else np.nonzero(draws == draw)[0]
            table = bits.reshape(-1, len(draws))
            matches = np.argwhere((table[:, columns] == held).T)
            if len(matches):
                column, row = matches[0]
                return int(np.broadcast_to(hashes, bits.shape).reshape(table.shape)[row, columns[column]])
        return None

    def _from_store(self, value: Def, component: int, wanted: int) -> Pins | None:
        """Continue at the stores to private memory that wrote the bits of a loaded value."""
        held = self.stage.bits(value, component, self.lane)
        if held is None:
            return None
        for stored, row in self.stage.private_stores(held, self.lane):
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
            search = InputSearch(self.stages, self.environment, stage, lane, self.steps, self.path)
            found = search._value(src, row, wanted)
            if found is None:
                return None
            pins |= found
        return pins

    def _inversions(
        self, instr: AluInstr, component: int, wanted: int, bit_size: int
    ) -> Iterator[tuple[Operand, int]]:
        """Yield sources of an instruction, each with the bits that alone would give the wanted result."""
        if instr.op in VECTORS:
            yield operand_of(instr.sources[component], 0), wanted
            return
        sources = [operand_of(src, component) for src in instr.sources]
        held = [self._number(src) for src in sources]
        if instr.op in MOVES:
            yield sources[0], wanted
        elif instr.op in ("bcsel", "b32csel"):
            if held[0] is not None:
                yield sources[1 if held[0] else 2], wanted
        else:
            sizes = [src.bit_size for src in sources]
            for source, bits in inverses(
                instr.op, held, sizes, wanted, instr.def_.bit_size if instr.def_ else 0
            ):
                yield sources[source], bits

    def _number(self, operand: Operand) -> int | None:
        if operand.value is None:
            return None
        return self.stage.bits(operand.value, operand.component, self.lane)


def operand_of(src: AluSrc, component: int) -> Operand:
    """Return the operand that a source reads for one component of the result."""
    value = None if src.negate or src.abs else src.def_
    return Operand(value, src.swizzle[min(component, len(src.swizzle) - 1)], src.bit_size)


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
