"""Float controls of a whole shader (`float_controls_execution_mode` in the header).

Mesa's `enum float_controls` had three layouts of bits, each with one bit for 16, 32 and 64 bits a property:
from 2019, from 24.0 (one bit each for signed zeros, infinities and NaNs; printed with 8 digits instead of 4),
and from 26 (these three moved to the instructions).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from nirls.ir.model.shader import Dialect, Shader
from nirls.ir.tables import opcode

FIELD = "float_controls_execution_mode"
_SIZES = (16, 32, 64)
_EXPONENT = {16: 0x7C00, 32: 0x7F800000, 64: 0x7FF0000000000000}


@dataclass(frozen=True, slots=True)
class _Layout:
    """First bits of the properties in one layout; None for a property without bits."""

    flush: int
    zeros: int | None
    infs: int | None
    nans: int | None
    rounding: int


_OF_2019 = _Layout(flush=3, zeros=6, infs=6, nans=6, rounding=9)
_OF_24 = _Layout(flush=12, zeros=0, infs=3, nans=6, rounding=15)
_OF_26 = _Layout(flush=3, zeros=None, infs=None, nans=None, rounding=6)
_DIGITS_OF_24 = 8
_RTE_AND_RTZ = 6
"""Number of bits for the two rounding modes."""


@dataclass(frozen=True, slots=True)
class FloatControls:
    """The bit sizes of flushed denormals and preserved values, and whether rounding is specified.

    Preserved are infinities, NaNs and the signs of zeros.
    Where the dump does not tell which layout its bits have, everything that one of the layouts preserves is
    preserved, and nothing is known about rounding.
    """

    flushed: frozenset[int] = frozenset()
    rounds: bool = False
    preserved_infs: frozenset[int] = frozenset()
    preserved_nans: frozenset[int] = frozenset()
    preserved_zeros: frozenset[int] = frozenset()

    @property
    def preserved(self) -> frozenset[int]:
        """The bit sizes of which any special value is preserved."""
        return self.preserved_infs | self.preserved_nans | self.preserved_zeros

    @property
    def approximates(self) -> frozenset[int]:
        """The bit sizes of floats that inexact operations may approximate without any limit."""
        special = self.preserved | {size for size in _SIZES if self.may_flush(size)}
        return frozenset() if self.rounds else frozenset(_SIZES) - special

    @classmethod
    def of(cls, shader: Shader) -> FloatControls:
        """Read the float controls of the header; the default for a missing field."""
        text = (shader.header_value(FIELD) or "0").strip()
        try:
            mode = int(text, 16)
        except ValueError:
            everything = frozenset(_SIZES)
            return cls(frozenset(), True, everything, everything, everything)
        if not mode:
            return USUAL
        layouts = _layouts_of(shader, text)
        return cls(
            _sizes(mode, layouts[0].flush) if len(layouts) == 1 else frozenset(),
            len(layouts) > 1 or bool(mode >> layouts[0].rounding & ((1 << _RTE_AND_RTZ) - 1)),
            _union(_sizes(mode, layout.infs) for layout in layouts),
            _union(_sizes(mode, layout.nans) for layout in layouts),
            _union(_sizes(mode, layout.zeros) for layout in layouts),
        )

    def settles(
        self,
        op: str,
        bits: tuple[int, ...],
        bit_size: int,
        sources: Sequence[tuple[Sequence[int], int]] = (),
    ) -> bool:
        """Return whether an operation with this IEEE 754 result has the same result under these controls.

        `sources` are (raw bits, bit size) of the constant operands.
        """
        entry = opcode(op)
        if entry is None:
            return True
        for kind, (source, size) in zip(entry.input_types, sources, strict=False):
            if kind.startswith("float") and self._flushes(source, size):
                return False
        if not entry.output_type.startswith("float"):
            return True
        return not self.rounds and not self._flushes(bits, bit_size)

    def may_flush(self, bit_size: int) -> bool:
        """Whether denormals of a size may be flushed; unknown where the layout of the bits is."""
        return self.rounds or bit_size in self.flushed

    def _flushes(self, bits: Sequence[int], bit_size: int) -> bool:
        return self.may_flush(bit_size) and any(_is_denormal(bit, bit_size) for bit in bits)


USUAL = FloatControls()


def _layouts_of(shader: Shader, text: str) -> tuple[_Layout, ...]:
    """Return the layouts that the bits may have; since 26 the header has `max_subgroup_size`."""
    if len(text.removeprefix("0x")) >= _DIGITS_OF_24:
        return (_OF_24,)
    if shader.dialect is not Dialect.MODERN:
        return (_OF_2019,)
    if shader.header_value("max_subgroup_size") is not None:
        return (_OF_26,)
    return (_OF_2019, _OF_24)


def _sizes(mode: int, first: int | None) -> frozenset[int]:
    if first is None:
        return frozenset()
    return frozenset(size for place, size in enumerate(_SIZES) if mode >> (first + place) & 1)


def _union(sets: Iterable[frozenset[int]]) -> frozenset[int]:
    return frozenset().union(*sets)


def _is_denormal(bits: int, bit_size: int) -> bool:
    sign = 1 << (bit_size - 1)
    return not bits & _EXPONENT[bit_size] and bool(bits & ~sign)
