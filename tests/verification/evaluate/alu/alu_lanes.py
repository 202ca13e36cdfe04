"""Running one opcode on literal bits, for tables of known answers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np

from nirls.ir.tables.entries import split_type
from nirls.verification.evaluate.alu.run import alu_operation, evaluate_alu, plan_of
from nirls.verification.evaluate.values.arrays import container_type

Lane: TypeAlias = int | tuple[int, ...]


def run(opcode: str, size: int, *sources: Lane, dest_size: int | None = None) -> Lane:
    """The result for one lane; a tuple is a vector. `size` is that of the types without their own."""
    arrays, sizes, dest, components = _lay_out(opcode, size, sources, dest_size)
    result = evaluate_alu(
        opcode, arrays, dest_components=components, dest_bit_size=dest, source_bit_sizes=sizes
    )[:, 0].tolist()
    return tuple(result) if alu_operation(opcode).output_size > 1 else result[0]


def is_undefined(opcode: str, size: int, *sources: Lane) -> bool:
    """Whether NIR leaves the result for one lane open."""
    arrays, sizes, dest, components = _lay_out(opcode, size, sources, None)
    return bool(undefined_lanes(opcode, arrays, components, dest, sizes).any())


def undefined_lanes(
    opcode: str, sources: Sequence[np.ndarray], components: int, dest_size: int, sizes: Sequence[int]
) -> np.ndarray:
    """Where NIR leaves the result open, shape (components, lanes)."""
    plan = plan_of(opcode, components, dest_size, tuple(sizes))
    lanes = max(source.shape[1] for source in sources)
    if plan.operation.undefined is None:
        return np.zeros((components, lanes), np.bool_)
    with np.errstate(all="ignore"):
        mask = plan.operation.undefined(*plan.decoded(sources))
    assert mask.dtype == np.bool_
    return np.broadcast_to(mask, (components, lanes))


def _lay_out(
    opcode: str, size: int, sources: Sequence[Lane], dest_size: int | None
) -> tuple[list[np.ndarray], list[int], int, int]:
    operation = alu_operation(opcode)
    sizes = [split_type(name)[1] or size for name in operation.input_types]
    arrays = [
        np.array(
            [[part] for part in (source if isinstance(source, tuple) else (source,))], container_type(bits)
        )
        for source, bits in zip(sources, sizes, strict=True)
    ]
    dest = dest_size or split_type(operation.output_type)[1] or size
    return arrays, sizes, dest, operation.output_size or 1
