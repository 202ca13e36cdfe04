"""Numbers of ALU operations: copies, constant folding, selections by a constant, and keys of the others."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import numpy as np

from nirls.ir.evaluate.alu import UnsupportedOpcode, evaluate_alu
from nirls.ir.evaluate.alu_operation import container_type
from nirls.ir.model.float_controls import FloatControls
from nirls.ir.model.instructions import AluInstr
from nirls.ir.model.math_control import MATH_CONTROL_WORDS
from nirls.ir.model.values import AluSrc, Def
from nirls.ir.tables import opcode
from nirls.passes.translation_validation.proof.chains import UnprovedError
from nirls.passes.translation_validation.proof.values import Number, Values

_COPIES = frozenset(("mov", "imov", "fmov", "vec2", "vec3", "vec4", "vec5", "vec8", "vec16"))
_SELECTIONS = frozenset(("bcsel", "b8csel", "b16csel", "b32csel"))

Reads = tuple[Number, ...]


class AluNumbers:
    """The numbers of ALU operations under the float controls of the shader."""

    def __init__(self, values: Values, controls: FloatControls) -> None:
        self.values = values
        self.controls = controls

    def numbers(self, instr: AluInstr, value: Def, side: int, place: Hashable) -> list[Number]:
        """Return the numbers of the components of a result; `place` as for other instructions."""
        width = value.num_components
        reads = [self._swizzled(src) for src in instr.sources]
        is_plain = "sat" not in instr.flags and not any(src.negate or src.abs for src in instr.sources)
        if instr.op in _COPIES and is_plain:
            rows = [number for read in reads for number in read]
            if len(rows) != width:
                raise UnprovedError
            return rows
        entry = opcode(instr.op)
        sizes = () if entry is None else entry.input_sizes
        by_component = (
            entry is not None
            and entry.output_size == 0
            and [len(read) for read in reads] == [size or width for size in sizes]
        )
        is_commutative = entry is not None and entry.is_commutative and is_plain
        modifiers = tuple((src.negate, src.abs, src.bit_size) for src in instr.sources)
        what = (instr.op, instr.flags - MATH_CONTROL_WORDS, modifiers, value.bit_size, place)
        numbers = []
        for row in range(width):
            own, shape = reads, (row, width)
            if by_component:
                own = [read if size else (read[row],) for read, size in zip(reads, sizes, strict=True)]
                shape = (0, 1)
            number = self._known(instr, own, shape, value, row) if is_plain else None
            if number is None:
                if is_commutative:
                    own = [*sorted(own[:2]), *own[2:]]
                number = self.values.number(value, row, (what, tuple(own), shape))
                self.values.taint((number,), [one for read in own for one in read])
                self._limit(number, instr, side)
            numbers.append(number)
        return numbers

    def _limit(self, number: Number, instr: AluInstr, side: int) -> None:
        """Add the float optimization limits of an instruction to those of its number."""
        own = instr.flags & MATH_CONTROL_WORDS
        words = self.values.words[side].get(number, own)
        self.values.words[side][number] = words & own if side else words | own

    def _swizzled(self, src: AluSrc) -> Reads:
        numbers = self.values.read(src)
        if any(component >= len(numbers) for component in src.swizzle):
            raise UnprovedError
        return tuple(numbers[component] for component in src.swizzle)

    def _known(
        self, instr: AluInstr, reads: Sequence[Reads], shape: tuple[int, int], value: Def, row: int
    ) -> Number | None:
        """Return the number of a result that is a constant or an operand; None for any other."""
        constants = self.values.constants
        if instr.op in _SELECTIONS and [len(read) for read in reads] == [1, 1, 1]:
            condition = constants.get(reads[0][0])
            if condition is not None:
                return reads[1 if condition[0] else 2][0]
        if not reads or not all(number in constants for read in reads for number in read):
            return None
        bits = self._folded(instr, reads, shape[1], value.bit_size)
        return None if bits is None else self.values.constant(value, row, bits[shape[0]], value.bit_size)

    def _folded(
        self, instr: AluInstr, reads: Sequence[Reads], width: int, bit_size: int
    ) -> tuple[int, ...] | None:
        """Return the result of an operation on constants, as far as the float controls leave it open."""
        constants = self.values.constants
        try:
            arrays = [
                np.array([[constants[number][0]] for number in read], container_type(src.bit_size))
                for read, src in zip(reads, instr.sources, strict=True)
            ]
            result = evaluate_alu(
                instr.op,
                arrays,
                dest_components=width,
                dest_bit_size=bit_size,
                source_bit_sizes=[src.bit_size for src in instr.sources],
            )
        except (UnsupportedOpcode, ValueError, KeyError, OverflowError):
            return None
        bits = tuple(int(row[0]) for row in result)
        sources = [
            ([constants[number][0] for number in read], src.bit_size)
            for read, src in zip(reads, instr.sources, strict=True)
        ]
        return bits if self.controls.settles(instr.op, bits, bit_size, sources) else None
