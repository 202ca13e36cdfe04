"""Checks of ALU instructions against the opcode table: sources, swizzles, bit sizes, component counts.

The bit size rule is that of Mesa's validate_alu_instr: a type with a size requires that size; all operands
whose type has none, including the result, have the same size. Booleans of old dumps have 32 bits instead of
`bool1`, because Mesa had no other booleans before 2019. Numbers of sources and components that no release of
the tables has are warnings.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from nirls.ir.finding import Severity
from nirls.ir.model.instructions import AluInstr, LoadConstInstr
from nirls.ir.model.shader import Dialect
from nirls.ir.model.values import IDENTITY_SWIZZLE
from nirls.ir.tables import Opcode, opcode
from nirls.ir.tables.entries import split_type
from nirls.ir.validation.reporter import Fault, Reporter

_FLOAT_SIZES = (16, 32, 64)
_BOOL_SIZES = (1, 8, 16, 32)
_INT_SIZES = (1, 8, 16, 32, 64)
# Bits of a piece; the second source is the constant number of a piece.
_PIECE_BITS = {"extract_u8": 8, "extract_i8": 8, "extract_u16": 16, "extract_i16": 16}


class AluShape(NamedTuple):
    """The properties of an instruction that are checked; sizes are 0 if unknown.

    A source is (swizzle, components of the value, bits), the destination (components, bits).
    """

    op: str
    sources: tuple[tuple[tuple[int, ...], int, int], ...]
    dest: tuple[int, int]
    saturate: bool
    is_old: bool
    writes_register: bool


def check_alu(instr: AluInstr, reporter: Reporter) -> None:
    """Check an ALU instruction; unknown opcodes are skipped."""
    for fault in faults_of(shape_of(instr, reporter.shader.dialect is Dialect.OLD)):
        reporter.report_fault(fault, instr)
    if instr.op in _PIECE_BITS and len(instr.sources) == 2:
        _check_piece(instr, reporter)


def shape_of(instr: AluInstr, is_old: bool) -> AluShape:
    """Return the shape of an instruction; the width of a register destination is that of its write mask."""
    value = instr.def_
    if value is not None:
        dest = (value.num_components, value.bit_size)
    elif instr.reg_dest is not None:
        dest = (instr.reg_dest.write_mask.bit_count(), instr.reg_dest.reg.bit_size)
    else:
        dest = (0, 0)
    sources = []
    for src in instr.sources:
        held = src.def_ if src.def_ is not None else src.reg
        if held is None:
            sources.append((src.swizzle, 0, 0))
        else:
            sources.append((src.swizzle, held.num_components, held.bit_size))
    return AluShape(instr.op, tuple(sources), dest, "sat" in instr.flags, is_old, value is None)


@lru_cache(20_000)
def faults_of(shape: AluShape) -> tuple[Fault, ...]:
    """Return the errors under the form of the opcode with the fewest errors; () for an unknown opcode."""
    entry = opcode(shape.op)
    if entry is None:
        return ()
    swizzles = tuple(_swizzle_faults(shape))
    return (*swizzles, *min((_faults_under(form, shape) for form in entry.forms()), key=len))


def _swizzle_faults(shape: AluShape) -> Iterator[Fault]:
    for position, (swizzle, width, _) in enumerate(shape.sources):
        bad = max(swizzle, default=0)
        if width and bad >= width:
            letters = "xyzw" if bad < 4 else "abcdefghijklmnop"
            letter = letters[bad] if bad < len(letters) else str(bad)
            message = f"has {width} component{'s' * (width > 1)}, and no .{letter}"
            yield Fault("bad-swizzle", message, position)


def _faults_under(form: Opcode, shape: AluShape) -> list[Fault]:
    if len(shape.sources) != form.num_inputs:
        count = len(shape.sources)
        message = f"{form.name} takes {form.num_inputs} sources, not {count}"
        return [Fault("bad-source-count", message)]
    faults: list[Fault] = []
    common = 0
    for position, (type_, size) in enumerate(zip(form.input_types, form.input_sizes, strict=True)):
        swizzle, known, bits = shape.sources[position]
        width = len(swizzle) if known else 0
        base, type_bits = split_type(type_)
        wrong = _bit_size_fault(base, type_bits, bits, 0 if form.is_conversion else common, shape.is_old)
        if wrong:
            faults.append(Fault("bad-bit-size", f"has {bits} bits, but {form.name} reads {wrong}", position))
        if not type_bits and not common:
            common = bits
        wanted = size or shape.dest[0]
        if width and wanted and width != wanted and not _is_unprinted(swizzle, wanted, shape.is_old):
            message = f"is read with {width} components, but {form.name} needs {wanted}"
            severity = Severity.WARNING if size else None
            faults.append(Fault("bad-component-count", message, position, severity=severity))
    faults += _dest_faults(form, shape, common)
    return faults


def _is_unprinted(swizzle: tuple[int, ...], wanted: int, is_old: bool) -> bool:
    """Whether the swizzle may be unprinted: until 2019, identity swizzles of wider values were left out."""
    return is_old and len(swizzle) > wanted and swizzle == IDENTITY_SWIZZLE[: len(swizzle)]


def _dest_faults(form: Opcode, shape: AluShape, common: int) -> list[Fault]:
    faults: list[Fault] = []
    width, bits = shape.dest
    base, type_bits = split_type(form.output_type)
    wrong = _bit_size_fault(base, type_bits, bits, 0 if form.is_conversion else common, shape.is_old)
    if wrong:
        message = f"the result has {bits} bits, but {form.name} returns {wrong}"
        faults.append(Fault("bad-bit-size", message, at_dest=True))
    # A register may receive only some of the components.
    if form.output_size and width and width != form.output_size and not shape.writes_register:
        message = f"the result has {width} components, but {form.name} returns {form.output_size}"
        faults.append(Fault("bad-component-count", message, at_dest=True, severity=Severity.WARNING))
    if shape.saturate and base != "float":
        faults.append(Fault("bad-modifier", f"{form.name} has no float result to saturate", at_dest=True))
    return faults


def _bit_size_fault(base: str, type_bits: int, bits: int, common: int, is_old: bool) -> str:
    """Describe the expected type if `bits` is wrong; "" if it is right or unknown."""
    if not bits:
        return ""
    if type_bits:
        is_old_boolean = is_old and base == "bool" and type_bits == 1 and bits == 32
        return "" if bits == type_bits or is_old_boolean else f"{base}{type_bits}"
    if common:  # the source that determines `common` was checked itself
        return "" if bits == common else f"{base} of {common} bits like its other sources"
    allowed = _FLOAT_SIZES if base == "float" else _BOOL_SIZES if base == "bool" else _INT_SIZES
    return "" if bits in allowed else f"{base} of {', '.join(map(str, allowed[:-1]))} or {allowed[-1]} bits"


def _check_piece(instr: AluInstr, reporter: Reporter) -> None:
    """Check that the second source of extract_* is a constant within range, as back ends expect."""
    whole, piece = instr.sources
    if piece.def_ is None or piece.def_.instr is None:
        return
    place = reporter.place_of_source(instr, 1)
    constant = piece.def_.instr
    if not isinstance(constant, LoadConstInstr):
        # Old releases have no such rule, and between two passes it may be a move of a constant.
        if reporter.shader.dialect is Dialect.MODERN:
            message = f"{reporter.name_of(piece)} is not a constant, as {instr.op} needs"
            reporter.report("constant-required", message, place)
        return
    count = whole.bit_size // _PIECE_BITS[instr.op]
    for component in piece.swizzle:
        if component < len(constant.values) and count and constant.values[component] >= count:
            message = f"{instr.op} takes piece {constant.values[component]} of {count}"
            reporter.report("constant-required", message, place)
