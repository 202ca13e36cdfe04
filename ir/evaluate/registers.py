"""Registers of register-form NIR: `r0` of old dialects. (`decl_reg` is in `steps.registers`.)"""
# Arithmetic on arrays of any element type has the type Any in numpy.
# mypy: disable-error-code="no-any-return"

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from nirls.ir.evaluate.cells import Cells
from nirls.ir.evaluate.state import State
from nirls.ir.evaluate.value import Value
from nirls.ir.model.values import Register

Array = NDArray[Any]


def register_cells(state: State, reg: Register) -> Cells:
    """The storage of an old-style register in the function that runs."""
    found = state.locals.get(reg)
    if not isinstance(found, Cells):
        found = Cells(reg.num_array_elems, reg.num_components, reg.bit_size, state.lanes)
        state.locals[reg] = found
    return found


def lane_index(value: Value) -> Array:
    """A scalar integer value as signed 64-bit numbers, one per lane."""
    bits = value.bits[0]
    return bits.view(np.dtype(f"i{bits.dtype.itemsize}")).astype(np.int64)
