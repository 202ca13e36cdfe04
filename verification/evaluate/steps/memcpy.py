"""`memcpy_deref`: a copy of bytes from one variable to another, whatever their types."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from nirls.ir.model.glsl_types import LeafType, StructTypes, bare_type
from nirls.ir.model.instructions import DerefInstr, IntrinsicInstr, scalar_constant
from nirls.ir.model.values import Src
from nirls.verification.evaluate.state.compiler import Compiler
from nirls.verification.evaluate.state.state import State, Step
from nirls.verification.evaluate.steps.derefs import PointerOf, is_copied_only, pointer_reader
from nirls.verification.evaluate.steps.variables.access import load, store
from nirls.verification.evaluate.values.arrays import Array, container_type
from nirls.verification.evaluate.values.errors import Unsupported
from nirls.verification.evaluate.values.pointer import Pointer, PointerIndex
from nirls.verification.evaluate.values.value import Value


class _Part(NamedTuple):
    """A scalar or vector of a variable, and the offset of its first byte."""

    pointer: Pointer
    leaf: LeafType
    offset: int

    @property
    def width(self) -> int:
        """The number of its components."""
        return 1 if self.pointer.component is not None else self.leaf.num_components

    @property
    def end(self) -> int:
        """The offset behind its last byte."""
        return self.offset + self.width * self.leaf.bit_size // 8


class _Bytes(NamedTuple):
    """Contents by byte and lane, with marks.

    `steps` is the size in bytes of the number that starts at a byte (0: none does), `error` its error bound.
    """

    steps: Array
    bits: Array
    poison: Array
    fragile: Array
    error: Array

    @classmethod
    def of(cls, count: int, lanes: int) -> _Bytes:
        """Return undefined bytes."""
        shape = count, lanes
        no_marks = np.zeros(shape, np.bool_)
        steps, bits = np.zeros(count, np.int64), np.zeros(shape, np.uint8)
        return cls(steps, bits, np.ones(shape, np.bool_), no_marks, np.zeros(shape, np.float64))


def memcpy_step(compiler: Compiler, instr: IntrinsicInstr) -> Step:
    """Compile a copy of a constant number of bytes. Raises `Unsupported`, also when it runs."""
    size = scalar_constant(instr.sources[2].def_)
    if size is None:
        raise Unsupported("memcpy_deref of a size that varies")
    to, source = (_uncast(compiler, src) for src in instr.sources[:2])
    types = compiler.types

    def step(state: State) -> None:
        target, origin = to(state), source(state)
        if target.others or origin.others:
            raise Unsupported("memcpy_deref of a pointer that differs between invocations")
        parts, sources = (list(_parts(types, pointer, size)) for pointer in (target, origin))
        is_same = bare_type(target.type_name) == bare_type(origin.type_name)
        if not is_same and not all(part.leaf.num_components != 3 for part in (*parts, *sources)):
            raise Unsupported("memcpy_deref of vectors whose padding is not printed")
        if min(parts[-1].end, sources[-1].end) < size:
            raise Unsupported("memcpy_deref beyond the end of a variable")
        contents = _Bytes.of(max(size, sources[-1].end), state.lanes)
        for part in sources:
            _read(state, part, contents)
        for part in parts:
            kept = None if part.end <= size else load(state, part.pointer)
            value = _value(part, contents, size, kept)
            store(state, part.pointer, value, (1 << part.width) - 1, state.masks.active)

    return step


def _uncast(compiler: Compiler, src: Src) -> PointerOf:
    deref = src.def_instr
    while isinstance(deref, DerefInstr) and is_copied_only(deref) and deref.parent is not None:
        src, deref = deref.parent, deref.parent_deref
    return pointer_reader(compiler, src)


def _parts(types: StructTypes, pointer: Pointer, size: int) -> Iterator[_Part]:
    """Yield the scalars and vectors within the first bytes of a variable, which is packed tightly."""
    if pointer.component is not None:
        yield _Part(pointer, pointer.leaf, 0)
        return
    offset = 0
    for path, leaf in types.leaves(pointer.type_name):
        if any(isinstance(key, str) for key in path) or leaf.base == "bool":
            raise Unsupported("memcpy_deref of a type whose layout is not printed")
        part = pointer
        for key in path:
            part = part.element(PointerIndex(int(key), 0), types.member_type(part.type_name, key))
        found = _Part(part, leaf, offset)
        offset = found.end
        yield found
        if offset >= size:
            return
    if not offset:
        raise Unsupported(f"memcpy_deref of {pointer.type_name}")


def _read(state: State, part: _Part, contents: _Bytes) -> None:
    value = load(state, part.pointer)
    step = part.leaf.bit_size // 8
    for row in range(part.width):
        first = part.offset + row * step
        whole = value.bits[row].astype(np.uint64)
        contents.steps[first] = step
        for number in range(step):
            contents.bits[first + number] = whole >> np.uint64(8 * number) & np.uint64(0xFF)
        contents.poison[first : first + step] = False if value.poison is None else value.poison[row]
        contents.fragile[first : first + step] = False if value.fragile is None else value.fragile[row]
        contents.error[first : first + step] = 0.0 if value.error is None else value.error[row]


def _value(part: _Part, contents: _Bytes, size: int, kept: Value | None) -> Value:
    """Return the value to store: the copied bytes, and those that are kept behind them.

    Error bounds hold for a number of the same size only; other bytes of an inexact number may change by
    rounding.
    """
    step = part.leaf.bit_size // 8
    lanes = contents.bits.shape[1]
    shape = part.width, lanes
    bits, poison, fragile = np.zeros(shape, np.uint64), np.zeros(shape, np.bool_), np.zeros(shape, np.bool_)
    error = np.zeros(shape, np.float64)
    for row in range(part.width):
        first = part.offset + row * step
        for number in range(step):
            at, shift = first + number, np.uint64(8 * number)
            if at < size:
                bits[row] |= contents.bits[at].astype(np.uint64) << shift
                poison[row] |= contents.poison[at]
                is_whole = contents.steps[first] == step
                fragile[row] |= contents.fragile[at] | ((contents.error[at] > 0) & ~is_whole)
                error[row] = contents.error[first] if is_whole else 0.0
                continue
            assert kept is not None
            bits[row] |= kept.bits[row].astype(np.uint64) & (np.uint64(0xFF) << shift)
            poison[row] |= False if kept.poison is None else kept.poison[row]
            fragile[row] |= False if kept.fragile is None else kept.fragile[row]
    return Value.of_arrays(
        bits.astype(container_type(part.leaf.bit_size)), part.leaf.bit_size, poison, error, fragile
    )


STEPS = {"memcpy_deref": memcpy_step}
