"""Registers of register-form NIR: `r0` of old dialects. (`decl_reg` is in `steps.registers`.)"""
# Arithmetic on arrays of any element type has the type Any in numpy.
# mypy: disable-error-code="no-any-return"

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from nirls.ir.evaluate.cells import Cells
from nirls.ir.evaluate.state import State
from nirls.ir.evaluate.value import Value
from nirls.ir.model.values import RegDest, Register, Src

if TYPE_CHECKING:
    from nirls.ir.evaluate.program import Compiler, Reader, Writer

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


def register_reader(compiler: Compiler, src: Src) -> Reader:
    """What reads a register source, `r0` or `r0[2 + ssa_3]`."""
    reg = src.reg
    assert reg is not None
    offset = src.reg_offset
    indirect = None if src.reg_indirect is None else compiler.read(src.reg_indirect)

    def read(state: State) -> Value:
        index: Array | int = offset if indirect is None else offset + lane_index(indirect(state))
        return register_cells(state, reg).load(index, state.lane_numbers)

    return read


def register_writer(compiler: Compiler, dest: RegDest) -> Writer:
    """What writes a register destination, `r0.xy` or `r1[ssa_4]`.

    A value as wide as the register is stored by component; a narrower one fills the write mask in order.
    """
    reg, mask, offset = dest.reg, dest.write_mask, dest.offset
    indirect = None if dest.indirect is None else compiler.read(dest.indirect)

    def write(state: State, value: Value) -> None:
        index: Array | int = offset if indirect is None else offset + lane_index(indirect(state))
        register_cells(state, reg).store(index, value, mask, state.active, state.lane_numbers)

    return write
