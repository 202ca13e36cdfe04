"""Description of one ALU opcode, and conversion between raw bits and operand values."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from nirls.ir.tables import Opcode, opcode
from nirls.ir.tables.entries import split_type
from nirls.verification.evaluate.alu.float_error import NO_ERROR, ErrorClass, FloatError
from nirls.verification.evaluate.values.arrays import FLOAT_TYPES, Array, container_type
from nirls.verification.evaluate.values.errors import Unsupported

Compute = Callable[..., Array]

_SIGNED: dict[int, type[np.signedinteger[Any]]] = {
    1: np.int8,
    8: np.int8,
    16: np.int16,
    32: np.int32,
    64: np.int64,
}
_QUIET_NAN = {16: 0x7E00, 32: 0x7FC00000, 64: 0x7FF8000000000000}

_BIT_SIZES = {
    "bool": (1, 8, 16, 32),
    "float": (16, 32, 64),
    "int": (1, 8, 16, 32, 64),
    "uint": (1, 8, 16, 32, 64),
}


class Inverse(NamedTuple):
    """A source that can be solved for, as far as the others in `needs` are known.

    `solve` takes the wanted result, all sources and the bit size of the result: floats, or the raw bits of
    integers. It gives NaN, an infinity or None if there is no solution.
    """

    source: int
    needs: tuple[int, ...]
    solve: Callable[[Any, Any, int], Any]


def same_as(*sources: int) -> tuple[Inverse, ...]:
    """Declare an operation that gives each of these sources as it is, at least for some of their numbers."""
    return tuple(Inverse(source, (), lambda goal, x, size: goal) for source in sources)


@dataclass(frozen=True, slots=True)
class AluOperation:
    """All that verification knows of one ALU opcode; its types and sizes come from the opcode table.

    They are those of the newest form in the table, or with `is_older_form` of the previous form.

    `compute` takes one array per source, shape (rows, lanes), of the source's type: signed or unsigned
    integers of the source's width, numpy booleans, float64 for 64-bit and float32 for 32- and 16-bit floats.
    Its result may have any wider type: it is rounded once, or wrapped, to the destination. A 1-bit `int`
    is 0 or -1 and a 1-bit `uint` is 0 or 1, as in Mesa's constant folding. With `raw` the sources and the
    result are raw bits; with `wants_bit_size` the common bit size is passed as `bit_size`.

    `error` says how it rounds, `inverse` how a source follows from the result. With `all_bits`, the result
    depends on all bits of the operands. A source with all bits as in `absorbing` decides alone. `condition`
    compares the first source of a selection with 0.

    `undefined` takes the same arguments and marks the elements whose result NIR leaves undefined; with
    `saturates`, all hardware gives the same number there.
    """

    name: str
    compute: Compute
    error: FloatError = NO_ERROR
    inverse: tuple[Inverse, ...] = ()
    undefined: Compute | None = None
    raw: bool = False
    wants_bit_size: bool = False
    is_older_form: bool = False
    saturates: bool = False
    all_bits: bool = False
    absorbing: int | None = None
    condition: Compute | None = None

    @property
    def entry(self) -> Opcode:
        """Return the entry of the opcode table."""
        entry = opcode(self.name)
        if entry is not None and self.is_older_form:
            entry = entry.older
        assert entry is not None, self.name
        return entry

    @property
    def error_class(self) -> ErrorClass:
        """Return whether the result is exact, rounded once, or approximated."""
        return self.error.error_class

    @property
    def output_type(self) -> str:
        """Return the type of the result, such as `float` or `bool1`."""
        return self.entry.output_type

    @property
    def output_size(self) -> int:
        """Return the component count of the result; 0 for that of the destination."""
        return self.entry.output_size

    @property
    def input_types(self) -> tuple[str, ...]:
        """Return the types of the sources."""
        return self.entry.input_types

    def rows(self, source: int) -> int:
        """Return the component count of a source; 0 for that of the destination."""
        return self.entry.input_sizes[source]


def allowed_bit_sizes(type_name: str) -> tuple[int, ...]:
    """Return the bit sizes that a value of this NIR type may have."""
    base, size = split_type(type_name)
    return (size,) if size else _BIT_SIZES[base]


def float_type(bit_size: int) -> type[np.floating[Any]]:
    """Return the numpy type of a float. Raises `Unsupported` for a size that no float has."""
    found = FLOAT_TYPES.get(bit_size)
    if found is None:
        raise Unsupported(f"a float of {bit_size} bits")
    return found


def decode(bits: Array, base: str, bit_size: int) -> Array:
    """Convert raw bits to the operand values of `AluOperation.compute`."""
    match base:
        case "bool":
            return np.not_equal(bits, 0)
        case "uint":
            return bits
        case "int":
            signed = bits.view(_SIGNED[bit_size])
            return np.negative(signed) if bit_size == 1 else signed
        case _:
            value = bits.view(float_type(bit_size))
            return value.astype(np.float32) if bit_size == 16 else value


def encode(value: Array, base: str, bit_size: int) -> Array:
    """Convert a result to raw bits. Every NaN becomes the positive quiet NaN without payload.

    Hardware and C libraries differ in the sign and payload of the NaN that an operation produces, so they are
    not properties of the shader; one canonical NaN makes equal computations give equal bits.
    """
    if base == "bool":
        truth = value.astype(container_type(bit_size))
        return truth if bit_size == 1 else np.negative(truth)
    if base == "float":
        rounded = np.ascontiguousarray(value.astype(float_type(bit_size), copy=False))
        bits = rounded.view(container_type(bit_size))
        is_nan = np.isnan(rounded)
        if is_nan.any():
            bits = np.where(is_nan, container_type(bit_size)(_QUIET_NAN[bit_size]), bits)
        return bits
    wrapped = value.astype(container_type(bit_size), copy=False)
    return wrapped & np.uint8(1) if bit_size == 1 else wrapped
