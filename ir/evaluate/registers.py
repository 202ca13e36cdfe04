"""Registers of register-form NIR: `r0` of old dialects and `decl_reg` of modern ones."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from nirls.ir.evaluate.alu_operation import container_type
from nirls.ir.evaluate.state import State
from nirls.ir.evaluate.value import Value
from nirls.ir.values import RegDest, Register, Src

if TYPE_CHECKING:
    from nirls.ir.evaluate.program import Compiler, Reader, Writer

Array = NDArray[Any]


class RegisterFile:
    """The contents of one register, or array of registers: arrays of shape (elements, components, lanes)."""

    __slots__ = ("bit_size", "bits", "error", "fragile", "poison")

    def __init__(self, elements: int, components: int, bit_size: int, lanes: int) -> None:
        shape = (max(elements, 1), max(components, 1), lanes)
        self.bit_size = bit_size
        self.bits: Array = np.zeros(shape, container_type(bit_size))
        self.poison: Array = np.ones(shape, np.bool_)
        self.fragile: Array = np.zeros(shape, np.bool_)
        self.error: Array = np.zeros(shape, np.float64)

    def load(self, index: Array | int, lanes: int) -> Value:
        """The element of each lane; undefined where the index is outside."""
        if isinstance(index, int) and 0 <= index < len(self.bits):
            return Value(
                self.bits[index].copy(),
                self.bit_size,
                self.poison[index].copy() if self.poison[index].any() else None,
                self.error[index].copy() if self.error[index].any() else None,
                self.fragile[index].copy() if self.fragile[index].any() else None,
            )
        where = np.broadcast_to(np.asarray(index), (lanes,))
        inside = (where >= 0) & (where < len(self.bits))
        safe = np.where(inside, where, 0)
        lane = np.arange(lanes)
        poison = self.poison[safe, :, lane].T | ~inside
        error = self.error[safe, :, lane].T
        fragile = self.fragile[safe, :, lane].T
        return Value(
            np.ascontiguousarray(self.bits[safe, :, lane].T),
            self.bit_size,
            poison if poison.any() else None,
            error if error.any() else None,
            fragile if fragile.any() else None,
        )

    def store(self, index: Array | int, value: Value, write_mask: int, active: Array) -> None:
        """Put components into the element of each running lane; nothing happens outside of the array."""
        lanes = len(active)
        where = np.broadcast_to(np.asarray(index), (lanes,))
        lane = np.nonzero(active & (where >= 0) & (where < len(self.bits)))[0]
        element = where[lane]
        source = 0
        packed = value.bits.shape[0] < self.bits.shape[1]
        for component in range(self.bits.shape[1]):
            if not write_mask >> component & 1:
                continue
            row = source if packed else component
            source += 1
            if row >= value.bits.shape[0]:
                break
            self.bits[element, component, lane] = value.bits[row, lane]
            self.poison[element, component, lane] = False if value.poison is None else value.poison[row, lane]
            self.error[element, component, lane] = 0.0 if value.error is None else value.error[row, lane]
            self.fragile[element, component, lane] = (
                False if value.fragile is None else value.fragile[row, lane]
            )


def register_file(state: State, reg: Register) -> RegisterFile:
    """The storage of an old-style register in the function that runs."""
    found = state.locals.get(reg)
    if not isinstance(found, RegisterFile):
        found = RegisterFile(reg.num_array_elems, reg.num_components, reg.bit_size, state.lanes)
        state.locals[reg] = found
    return found


def lane_index(value: Value) -> Array:
    """A scalar integer value as signed numbers, one per lane."""
    bits = value.bits[0]
    if bits.dtype == np.uint64:
        return bits.view(np.int64)
    return bits.view(np.dtype(f"i{bits.dtype.itemsize}")).astype(np.int64)


def register_reader(compiler: Compiler, src: Src) -> Reader:
    """What reads a register source, `r0` or `r0[2 + ssa_3]`."""
    reg = src.reg
    assert reg is not None
    offset = src.reg_offset
    indirect = None if src.reg_indirect is None else compiler.read(src.reg_indirect)

    def read(state: State) -> Value:
        index: Array | int = offset if indirect is None else offset + lane_index(indirect(state))
        return register_file(state, reg).load(index, state.lanes)

    return read


def register_writer(compiler: Compiler, dest: RegDest) -> Writer:
    """What writes a register destination, `r0.xy` or `r1[ssa_4]`.

    A value as wide as the register is stored by component; a narrower one fills the write mask in order.
    """
    reg, mask, offset = dest.reg, dest.write_mask, dest.offset
    indirect = None if dest.indirect is None else compiler.read(dest.indirect)

    def write(state: State, value: Value) -> None:
        index: Array | int = offset if indirect is None else offset + lane_index(indirect(state))
        register_file(state, reg).store(index, value, mask, state.active)

    return write
