"""Bounds of unsigned values (compare Mesa's nir_unsigned_upper_bound)."""

from __future__ import annotations

from nirls.ir.model.instructions import AluInstr, LoadConstInstr
from nirls.ir.model.values import AluSrc, Def

_MOST_LOOKED_AT = 64
_VECTORS = frozenset(("vec2", "vec3", "vec4", "vec5", "vec8", "vec16"))
_SELECTIONS = frozenset(("bcsel", "b8csel", "b16csel", "b32csel"))

Bounds = tuple[int, int]
"""Minimum and maximum, both inclusive."""


def unsigned_bounds(value: Def, component: int = 0) -> Bounds:
    """Compute the bounds of a component. At most 64 instructions are visited."""
    return _Bounds().of(value, component, 0)


class _Bounds:
    def __init__(self) -> None:
        self.looked_at = 0

    def of(self, value: Def, component: int, depth: int) -> Bounds:
        everything = (0, (1 << max(value.bit_size, 1)) - 1)
        maker = value.instr
        if isinstance(maker, LoadConstInstr):
            bits = maker.values[component] if component < len(maker.values) else 0
            return (bits, bits)
        self.looked_at += 1
        if not isinstance(maker, AluInstr) or depth > 16 or self.looked_at > _MOST_LOOKED_AT:
            return everything
        if any(src.def_ is None or src.negate or src.abs for src in maker.sources) or "sat" in maker.flags:
            return everything
        found = self._alu(maker, component, depth + 1, everything)
        return found if found[1] <= everything[1] else everything

    def _alu(self, alu: AluInstr, component: int, depth: int, everything: Bounds) -> Bounds:
        if alu.op in _VECTORS:
            if component >= len(alu.sources):
                return everything  # malformed dump
            return self._source(alu.sources[component], 0, depth)
        if alu.op in _SELECTIONS:
            one, other = (self._source(src, component, depth) for src in alu.sources[1:])
            return (min(one[0], other[0]), max(one[1], other[1]))
        if alu.op in ("mov", "imov", "u2u32", "b2i32"):
            found = self._source(alu.sources[0], component, depth)
            return (0, 1) if alu.op == "b2i32" else found
        if len(alu.sources) != 2:
            return everything
        (low, high), (other_low, other_high) = (self._source(src, component, depth) for src in alu.sources)
        match alu.op:
            case "umin":
                return (min(low, other_low), min(high, other_high))
            case "umax":
                return (max(low, other_low), max(high, other_high))
            case "iand":
                return (0, min(high, other_high))
            case "iadd":
                return (low + other_low, high + other_high)
            case "imul":
                return (low * other_low, high * other_high)
            case "ushr":
                # Shift counts are taken modulo the bit size, so a large one may not shift at all.
                return (0, high >> other_low if other_high < alu.sources[0].bit_size else high)
            case "umod":
                return (0, min(high, other_high - 1)) if other_low > 0 else everything
        return everything

    def _source(self, src: AluSrc, component: int, depth: int) -> Bounds:
        if component >= len(src.swizzle):
            return (0, (1 << max(src.bit_size, 1)) - 1)  # malformed dump
        return self.of(src.ssa, src.swizzle[component], depth)
