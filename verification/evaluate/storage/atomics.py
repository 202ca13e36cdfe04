"""Atomic read-modify-write operations on scalars."""

from __future__ import annotations

import numpy as np

from nirls.verification.evaluate.alu.operation import float_type
from nirls.verification.evaluate.values.arrays import container_type
from nirls.verification.evaluate.values.errors import Unsupported

_OLDER_NAMES = {
    "add": "iadd",
    "and": "iand",
    "or": "ior",
    "xor": "ixor",
    "exchange": "xchg",
    "comp_swap": "cmpxchg",
    "fcomp_swap": "fcmpxchg",
}
_FLOATS = frozenset({"fadd", "fmin", "fmax", "fcmpxchg"})
_INTEGERS = frozenset(
    (
        *("iadd", "imin", "umin", "imax", "umax", "iand", "ior", "ixor"),
        *("xchg", "cmpxchg", "inc_wrap", "dec_wrap"),
    )
)
NAME_TAILS = (
    *("", "_swap"),
    *("_add", "_imin", "_umin", "_imax", "_umax", "_and", "_or", "_xor", "_exchange", "_comp_swap"),
    *("_fadd", "_fmin", "_fmax", "_fcomp_swap", "_inc_wrap", "_dec_wrap"),
)
"""What the names of atomics have behind `atomic`: nothing or `_swap`, or before 2023 the operation."""


def operation_name(name: str, index: object) -> str:
    """Return the `atomic_op` of an intrinsic, from its index or (before 2023) its name suffix.

    Raises `Unsupported` for an unknown operation.
    """
    word = str(index) if isinstance(index, str) else ""
    if not word:
        tail = name.partition("atomic_")[2].removesuffix("_2x32").removesuffix("_amd").removesuffix("_ir3")
        word = _OLDER_NAMES.get(tail, tail)
    if word not in _FLOATS and word not in _INTEGERS:
        raise Unsupported(f"the atomic operation {word or name}")
    return word


def is_swap_with_compare(operation: str) -> bool:
    """Return whether the operation takes a comparison value before the new value."""
    return operation in ("cmpxchg", "fcmpxchg")


def is_float(operation: str) -> bool:
    """Return whether the operands are floats."""
    return operation in _FLOATS


def combine(operation: str, old: int, data: int, other: int, bit_size: int) -> int:
    """Compute the new content of a cell. For compare-and-swap, `data` is compared and `other` stored."""
    mask = (1 << bit_size) - 1
    if operation in _FLOATS:
        return _combine_floats(operation, old, data, other, bit_size)
    sign = 1 << (bit_size - 1)

    def signed(value: int) -> int:
        return value - (1 << bit_size) if value & sign else value

    match operation:
        case "iadd":
            result = old + data
        case "imin":
            result = min(signed(old), signed(data))
        case "imax":
            result = max(signed(old), signed(data))
        case "umin":
            result = min(old, data)
        case "umax":
            result = max(old, data)
        case "iand":
            result = old & data
        case "ior":
            result = old | data
        case "ixor":
            result = old ^ data
        case "cmpxchg":
            result = other if old == data else old
        case "inc_wrap":
            result = 0 if old >= data else old + 1
        case "dec_wrap":
            result = data if old == 0 or old > data else old - 1
        case _:
            result = data
    return result & mask


def _combine_floats(operation: str, old: int, data: int, other: int, bit_size: int) -> int:
    container = container_type(bit_size)
    before, given = (np.array([bits], container).view(float_type(bit_size)) for bits in (old, data))
    with np.errstate(all="ignore"):
        if operation == "fcmpxchg":
            return other if bool(before[0] == given[0]) else old
        if operation == "fadd":
            result = before + given
        else:
            result = np.fmin(before, given) if operation == "fmin" else np.fmax(before, given)
    return int(np.ascontiguousarray(result).view(container)[0])
