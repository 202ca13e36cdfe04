"""Numbers of ALU operations: copies, constant folding, selections by a constant, and keys of the others."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from itertools import chain, islice, repeat

import numpy as np

from nirls.ir.effects import effects_of
from nirls.ir.model.float_controls import FloatControls
from nirls.ir.model.instructions import AluInstr
from nirls.ir.model.math_control import MATH_CONTROL_WORDS
from nirls.ir.model.values import Def
from nirls.ir.tables import opcode
from nirls.ir.tables.families import BOOLEAN_SELECTIONS, MOVES, VECTORS
from nirls.verification.evaluate.alu.run import evaluate_alu
from nirls.verification.evaluate.values.arrays import container_type
from nirls.verification.evaluate.values.errors import Unsupported
from nirls.verification.proof.algebra import Algebra, Term
from nirls.verification.proof.events import Events
from nirls.verification.proof.values import Number, Owner, UnprovedError, Values

_COPIES = MOVES | VECTORS

Reads = tuple[Number, ...]


Row = tuple[tuple[Def, int], ...]
"""The operands of a component: defs and their components, in order."""


@dataclass(frozen=True, slots=True)
class AluPlan:
    """What an ALU instruction does, apart from the numbers that it reads.

    `rows` are the operands of each component of the result, `widths` how many of them come from each source.
    `result` is the width of the operation that computes a row, 1 if components are independent.
    """

    op: str
    rows: tuple[Row, ...]
    widths: tuple[int, ...]
    source_sizes: tuple[int, ...]
    bit_size: int
    result: int
    what: Hashable
    """The part of the key besides the operands."""
    words: frozenset[str]
    is_copy: bool = False
    is_plain: bool = True
    """Whether it has no modifiers."""
    is_commutative: bool = False
    crosses_lanes: bool = False

    @classmethod
    def of(cls, instr: AluInstr, value: Def) -> AluPlan:
        """Read an instruction and its def.

        Raises `UnprovedError` for sources without a value, or with another number of components than the
        operation reads.
        """
        is_plain = "sat" not in instr.flags and not any(src.negate or src.abs for src in instr.sources)
        entry = opcode(instr.op)
        width, widths = value.num_components, tuple(len(src.swizzle) for src in instr.sources)
        wanted = () if entry is None else entry.input_sizes
        if any(size not in (0, read) for size, read in zip(wanted, widths, strict=False)):
            raise UnprovedError
        sources: list[Row] = []
        for src in instr.sources:
            if src.def_ is None:
                raise UnprovedError
            sources.append(tuple([(src.def_, component) for component in src.swizzle]))
        result = width
        rows: tuple[Row, ...] = (tuple(chain.from_iterable(sources)),) * width
        sizes = () if entry is None or entry.output_size else entry.input_sizes
        if widths == tuple(size or width for size in sizes):
            result, widths = 1, tuple(size or 1 for size in sizes)
            parts = [(source, bool(size)) for source, size in zip(sources, sizes, strict=True)]
            rows = tuple(
                tuple(chain.from_iterable(source if whole else (source[row],) for source, whole in parts))
                for row in range(width)
            )
        is_copy = is_plain and instr.op in _COPIES
        if is_copy:
            rows = tuple((operand,) for operand in rows[0]) if result != 1 else rows
            if len(rows) != width:
                raise UnprovedError
        modifiers = tuple((src.negate, src.abs, src.bit_size) for src in instr.sources)
        return cls(
            instr.op,
            rows,
            widths,
            tuple(src.bit_size for src in instr.sources),
            value.bit_size,
            result,
            (instr.op, instr.flags - MATH_CONTROL_WORDS, modifiers, value.bit_size, widths, result),
            instr.flags & MATH_CONTROL_WORDS,
            is_copy,
            is_plain,
            is_plain and entry is not None and entry.is_commutative,
            effects_of(instr).crosses_lanes,
        )

    @classmethod
    def plain(
        cls, op: str, source_sizes: tuple[int, ...], bit_size: int, words: frozenset[str] = frozenset()
    ) -> AluPlan:
        """Describe an operation on scalars without modifiers, for operands that are no defs."""
        widths = (1,) * len(source_sizes)
        modifiers = tuple((False, False, size) for size in source_sizes)
        what = (op, frozenset[str](), modifiers, bit_size, widths, 1)
        entry = opcode(op)
        commutes = entry is not None and entry.is_commutative
        return cls(op, (), widths, source_sizes, bit_size, 1, what, words, is_commutative=commutes)


class AluNumbers:
    """The numbers of ALU operations under the float controls of the shader; `algebra` is optional."""

    def __init__(self, values: Values, controls: FloatControls, algebra: Algebra | None = None) -> None:
        self.values = values
        self.controls = controls
        self.algebra = algebra

    def numbers(self, plan: AluPlan, value: Def, side: int, events: Events) -> tuple[Number, ...]:
        """Return the numbers of the components of a result."""
        now = self.values.now
        try:
            rows = [tuple([now[source][component] for source, component in row]) for row in plan.rows]
        except KeyError:
            raise UnprovedError from None
        if plan.is_copy:
            return tuple([read[0] for read in rows])
        place = events.place() if plan.crosses_lanes else None
        return tuple([self.component(plan, value, row, side, read, place) for row, read in enumerate(rows)])

    def selected(
        self, value: Def, side: int, condition: Number, condition_size: int, choices: Sequence[Reads]
    ) -> list[Number]:
        """Return the numbers of a selection between two values, as that of a `bcsel`."""
        op = "bcsel" if condition_size == 1 else f"b{condition_size}csel"
        plan = AluPlan.plain(op, (condition_size, value.bit_size, value.bit_size), value.bit_size)
        return [
            one if one == other else self.component(plan, value, row, side, (condition, one, other), None)
            for row, (one, other) in enumerate(zip(*choices, strict=True))
        ]

    def component(
        self, plan: AluPlan, owner: Owner, row: int, side: int, reads: Reads, place: Hashable = None
    ) -> Number:
        """Return the number of an operation on these operands, made for a component of `owner`."""
        values = self.values
        if plan.is_plain:
            number = self._known(plan, reads, owner, row)
            if number is None and self.algebra is not None and plan.result == 1 and place is None:
                sizes = chain.from_iterable(map(repeat, plan.source_sizes, plan.widths))
                term = Term(plan.op, plan.bit_size, tuple(zip(reads, sizes, strict=True)), plan.words)
                number = self.algebra.number(owner, row, side, term)
            if number is not None:
                return number
        if plan.is_commutative:
            half = plan.widths[0]
            one, other = reads[:half], reads[half : 2 * half]
            if other < one:
                reads = (*other, *one, *reads[2 * half :])
        key = (plan.what, reads, place, row if plan.result != 1 else 0)
        number = values.number(owner, row, key)
        if values.undefined:
            values.taint((number,), reads)
        values.limit(number, plan.words, side)
        return number

    def _known(self, plan: AluPlan, reads: Reads, owner: Owner, row: int) -> Number | None:
        """Return the number of a result that is a constant or an operand; None for any other."""
        constants = self.values.constants
        if not reads or reads[0] not in constants:
            return None
        if plan.op in BOOLEAN_SELECTIONS and plan.widths == (1, 1, 1):
            return reads[1 if constants[reads[0]][0] else 2]
        if not all(number in constants for number in reads):
            return None
        operands = iter(constants[number][0] for number in reads)
        bits = self._folded(plan, [list(islice(operands, width)) for width in plan.widths])
        place = row if plan.result != 1 else 0
        return None if bits is None else self.values.constant(owner, row, bits[place], plan.bit_size)

    def _folded(self, plan: AluPlan, operands: Sequence[list[int]]) -> tuple[int, ...] | None:
        """Return the result of an operation on constants, as far as the float controls leave it open."""
        try:
            result = evaluate_alu(
                plan.op,
                [
                    np.array([[bits] for bits in operand], container_type(size))
                    for operand, size in zip(operands, plan.source_sizes, strict=True)
                ],
                dest_components=plan.result,
                dest_bit_size=plan.bit_size,
                source_bit_sizes=plan.source_sizes,
            )
        except (Unsupported, OverflowError):
            return None
        bits = tuple(int(row[0]) for row in result)
        sources = list(zip(operands, plan.source_sizes, strict=True))
        return bits if self.controls.settles(plan.op, bits, plan.bit_size, sources) else None
