"""Float controls of a whole shader (`float_controls_execution_mode` in the header).

The numbers are those of Mesa's `enum float_controls`. The bits for keeping and for flushing denormal numbers
have stood in their places since 2019; those behind, for signed zeros and rounding, have moved, so any of them
counts as a rounding of its own.
"""

from __future__ import annotations

from dataclasses import dataclass

from nirls.ir.model.shader import Shader
from nirls.ir.tables import opcode

FIELD = "float_controls_execution_mode"
_FLUSH = {16: 1 << 3, 32: 1 << 4, 64: 1 << 5}
_KNOWN_BITS = (1 << 6) - 1
_EXPONENT = {16: 0x7C00, 32: 0x7F800000, 64: 0x7FF0000000000000}


@dataclass(frozen=True, slots=True)
class FloatControls:
    """The bit sizes at which denormal results become zero, and whether rounding is specified."""

    flushed: frozenset[int] = frozenset()
    rounds: bool = False

    @classmethod
    def of(cls, shader: Shader) -> FloatControls:
        """Read the float controls of the header; the default for a missing or unreadable field."""
        try:
            mode = int(shader.header_value(FIELD) or "0", 16)
        except ValueError:
            return cls(rounds=True)
        return cls(frozenset(size for size, bit in _FLUSH.items() if mode & bit), mode > _KNOWN_BITS)

    def settles(self, op: str, bits: tuple[int, ...], bit_size: int) -> bool:
        """Return whether an operation with this IEEE 754 result has the same result under these controls."""
        entry = opcode(op)
        if entry is None or not entry.output_type.startswith("float"):
            return True
        if self.rounds:
            return False
        return bit_size not in self.flushed or not any(_is_denormal(one, bit_size) for one in bits)


USUAL = FloatControls()


def _is_denormal(bits: int, bit_size: int) -> bool:
    sign = 1 << (bit_size - 1)
    return not bits & _EXPONENT[bit_size] and bool(bits & ~sign)
