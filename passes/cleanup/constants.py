"""Constant sources as raw bits, ALU evaluation on them, and replacement of instructions by load_const."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from nirls.ir.model.instructions import AluInstr, Instr, LoadConstInstr, constant_of
from nirls.ir.model.values import AluSrc
from nirls.verification.evaluate.alu.run import alu_operation, evaluate_alu
from nirls.verification.evaluate.values.arrays import container_type
from nirls.verification.evaluate.values.errors import Unsupported


def read_constant(src: AluSrc) -> tuple[int, ...] | None:
    """Return the swizzled raw bits of an ALU source, modifiers not applied; None if it is not constant."""
    values = constant_of(src.def_)
    if values is None or any(component >= len(values) for component in src.swizzle):
        return None
    return tuple(values[component] for component in src.swizzle)


def fold_alu(instr: AluInstr) -> tuple[int, ...] | None:
    """Compute the raw bits of an ALU result; None if a source is not constant or the opcode is unknown.

    Source modifiers and saturation (old dialects) are applied.
    """
    value = instr.def_
    if value is None:
        return None
    reads = []
    for index, src in enumerate(instr.sources):
        bits = read_constant(src)
        if bits is None:
            return None
        modified = _modified(instr, index, bits)
        if modified is None:
            return None
        reads.append((modified, src.bit_size))
    result = evaluate(instr.op, reads, value.num_components, value.bit_size)
    if result is None or "sat" not in instr.flags:
        return result
    return evaluate("fsat", [(result, value.bit_size)], value.num_components, value.bit_size)


def evaluate(
    op: str, reads: Sequence[tuple[Sequence[int], int]], num_components: int, bit_size: int
) -> tuple[int, ...] | None:
    """Evaluate an opcode on sources given as (raw bits, bit size); None if it cannot be evaluated."""
    if not reads:
        return None
    try:
        arrays = [
            np.array([[component] for component in bits], dtype=container_type(size)) for bits, size in reads
        ]
        result = evaluate_alu(
            op,
            arrays,
            dest_components=num_components,
            dest_bit_size=bit_size,
            source_bit_sizes=[size for _, size in reads],
        )
    except (Unsupported, OverflowError):
        # Malformed dumps contain opcodes, sizes and values that do not fit each other.
        return None
    return tuple(int(row[0]) for row in result)


def _modified(instr: AluInstr, index: int, bits: tuple[int, ...]) -> tuple[int, ...] | None:
    src = instr.sources[index]
    if not src.negate and not src.abs:
        return bits
    try:
        types = alu_operation(instr.op, instr.def_.bit_size if instr.def_ is not None else 32).input_types
    except Unsupported:
        return None
    prefix = "f" if index < len(types) and types[index].startswith("float") else "i"
    result: tuple[int, ...] | None = bits
    for wanted, op in ((src.abs, "abs"), (src.negate, "neg")):
        if wanted and result is not None:
            result = evaluate(f"{prefix}{op}", [(result, src.bit_size)], len(bits), src.bit_size)
    return result


def become_constant(instr: Instr, values: Sequence[int]) -> LoadConstInstr:
    """Replace an instruction by a load_const with the same SSA index and source line.

    Raises ValueError for an instruction without a def or outside a block.
    """
    constant = LoadConstInstr(values)
    is_marked = instr.def_ is not None and instr.def_.divergent is not None
    replace_instr(instr, constant, False if is_marked else None)
    return constant


def replace_instr(instr: Instr, new: Instr, divergent: bool | None) -> None:
    """Replace an instruction by a new one with the same SSA index and source line.

    Raises ValueError for an instruction without a def or outside a block.
    """
    value, block = instr.def_, instr.block
    if value is None or block is None:
        raise ValueError("only an instruction in a block that makes a value can be replaced")
    twin = new.make_def(value.index, value.num_components, value.bit_size, divergent)
    new.span = instr.span
    block.insert_before(instr, new)
    value.replace_all_uses_with(twin)
    instr.remove()
