"""Bounds of unsigned values (Mesa: `nir_unsigned_upper_bound`)."""

from __future__ import annotations

from math import prod

from nirls.ir.model.instructions import AluInstr, IntrinsicInstr, LoadConstInstr
from nirls.ir.model.shader import Shader
from nirls.ir.model.values import AluSrc, Def
from nirls.ir.tables.families import BOOLEAN_SELECTIONS, VECTORS

Bounds = tuple[int, int]
"""Minimum and maximum, both inclusive."""

_DEEPEST = 16
_MOST_VISITED = 64
"""Limit on the instructions that are looked at for one value."""
_MOST_LANES = 128
"""Largest subgroup (Mesa: `max_subgroup_size`)."""
_UNCHANGED = frozenset(("mov", "imov", "u2u8", "u2u16", "u2u32", "u2u64"))
_LANE_NUMBERS = frozenset(("load_subgroup_invocation", "load_subgroup_id", "load_subgroup_size"))


class UnsignedBounds:
    """Bounds of the values of one shader; workgroup sizes come from its header."""

    def __init__(self, shader: Shader) -> None:
        self.workgroup_size = shader.workgroup_size if all(shader.workgroup_size) else None
        self._visited = 0

    def of(self, value: Def, component: int = 0) -> Bounds:
        """Return the bounds of a component of a value."""
        self._visited = 0
        return self._of(value, component, 0)

    def _of(self, value: Def, component: int, depth: int) -> Bounds:
        least, most = everything = _everything(value.bit_size)
        maker = value.instr
        self._visited += 1
        if isinstance(maker, LoadConstInstr):
            return (maker.values[component],) * 2 if component < len(maker.values) else everything
        if isinstance(maker, IntrinsicInstr):
            return least, min(most, self._most_of_intrinsic(maker, component, most))
        if not isinstance(maker, AluInstr) or depth > _DEEPEST or self._visited > _MOST_VISITED:
            return everything
        if any(src.def_ is None or src.negate or src.abs for src in maker.sources) or "sat" in maker.flags:
            return everything
        found = self._of_alu(maker, component, depth + 1, everything)
        return found if found[1] <= most else everything  # else it may wrap

    def _most_of_intrinsic(self, instr: IntrinsicInstr, component: int, most: int) -> int:
        if instr.name in _LANE_NUMBERS:
            return _MOST_LANES
        if self.workgroup_size is None:
            return most
        if instr.name == "load_local_invocation_index":
            return prod(self.workgroup_size) - 1
        if instr.name == "load_local_invocation_id" and component < 3:
            return self.workgroup_size[component] - 1
        return most

    def _of_alu(self, alu: AluInstr, component: int, depth: int, everything: Bounds) -> Bounds:
        if alu.op in VECTORS:
            # A malformed dump may have fewer sources.
            return (
                self._of_src(alu.sources[component], 0, depth) if component < len(alu.sources) else everything
            )
        if alu.op in BOOLEAN_SELECTIONS:
            one, other = (self._of_src(src, component, depth) for src in alu.sources[1:])
            return min(one[0], other[0]), max(one[1], other[1])
        if alu.op in _UNCHANGED:
            return self._of_src(alu.sources[0], component, depth)
        if alu.op.startswith("b2i"):
            return 0, 1
        if len(alu.sources) != 2:
            return everything
        (low, high), (other_low, other_high) = (self._of_src(src, component, depth) for src in alu.sources)
        # Shift counts are taken modulo the bit size, so a large one may not shift at all.
        size = alu.sources[0].bit_size
        is_constant = other_low == other_high
        match alu.op:
            case "umin":
                return min(low, other_low), min(high, other_high)
            case "umax":
                return max(low, other_low), max(high, other_high)
            case "iand":
                return 0, min(high, other_high)
            case "iadd":
                return low + other_low, high + other_high
            case "imul" | "amul":
                return low * other_low, high * other_high
            case "ishl" if is_constant:
                return low << other_low % size, high << other_low % size
            case "ushr" if is_constant:
                return low >> other_low % size, high >> other_low % size
            case "ushr":
                return 0, high >> other_low if other_high < size else high
            case "umod" if other_low > 0:
                return 0, min(high, other_high - 1)
        return everything

    def _of_src(self, src: AluSrc, component: int, depth: int) -> Bounds:
        if component >= len(src.swizzle):
            return _everything(src.bit_size)  # malformed dump
        return self._of(src.ssa, src.swizzle[component], depth)


def _everything(bit_size: int) -> Bounds:
    return 0, (1 << max(bit_size, 1)) - 1
