"""Upper bounds of unsigned values (Mesa: `nir_unsigned_upper_bound`)."""

from __future__ import annotations

import re
from math import prod

from nirls.ir.model.instructions import AluInstr, IntrinsicInstr, LoadConstInstr
from nirls.ir.model.shader import Shader
from nirls.ir.model.values import AluSrc, Def

_DEEPEST = 8
_MOST_LANES = 128
"""Largest subgroup (Mesa: `max_subgroup_size`)."""
_UNCHANGED = frozenset(("mov", "imov", "u2u8", "u2u16", "u2u32", "u2u64"))
_LANE_NUMBERS = frozenset(("load_subgroup_invocation", "load_subgroup_id", "load_subgroup_size"))


class UnsignedBounds:
    """Upper bounds of the values of one shader; workgroup sizes come from its header."""

    def __init__(self, shader: Shader) -> None:
        text = shader.header_value("workgroup_size") or shader.header_value("workgroup-size")
        text = text or shader.header_value("local-size") or ""
        numbers = [int(number) for number in re.findall(r"\d+", text)[:3]]
        self.workgroup_size = [*numbers, 1, 1, 1][:3] if numbers and 0 not in numbers else None

    def upper_bound(self, value: Def, component: int = 0, depth: int = _DEEPEST) -> int:
        """Return the largest number that a component of a value may hold."""
        largest = (1 << value.bit_size) - 1
        maker = value.instr
        if isinstance(maker, LoadConstInstr):
            return maker.values[component] if component < len(maker.values) else largest
        if isinstance(maker, IntrinsicInstr):
            return min(largest, self._of_intrinsic(maker, component, largest))
        if not isinstance(maker, AluInstr) or not depth or any(not _is_plain(src) for src in maker.sources):
            return largest
        return min(largest, self._of_alu(maker, component, depth - 1, largest))

    def _of_intrinsic(self, instr: IntrinsicInstr, component: int, largest: int) -> int:
        if instr.name in _LANE_NUMBERS:
            return _MOST_LANES
        if self.workgroup_size is None:
            return largest
        if instr.name == "load_local_invocation_index":
            return prod(self.workgroup_size) - 1
        if instr.name == "load_local_invocation_id" and component < 3:
            return self.workgroup_size[component] - 1
        return largest

    def _of_alu(self, instr: AluInstr, component: int, depth: int, largest: int) -> int:
        if instr.op.startswith("vec") and component < len(instr.sources):
            src = instr.sources[component]
            return self.upper_bound(src.ssa, src.swizzle[0], depth)
        bounds = [
            self.upper_bound(src.ssa, src.swizzle[component], depth)
            for src in instr.sources
            if component < len(src.swizzle)
        ]
        if len(bounds) != len(instr.sources):
            return largest
        size = instr.sources[0].bit_size if instr.sources else 0
        match instr.op:
            case op if op in _UNCHANGED:
                return bounds[0]
            case "b2i8" | "b2i16" | "b2i32" | "b2i64":
                return 1
            case "iadd":
                return _unless_wrapped(bounds[0] + bounds[1], largest)
            case "imul" | "amul":
                return _unless_wrapped(bounds[0] * bounds[1], largest)
            case "ishl":
                constant = _constant(instr.sources[1], component)
                return largest if constant is None else _unless_wrapped(bounds[0] << constant % size, largest)
            case "ushr":
                constant = _constant(instr.sources[1], component)
                return bounds[0] if constant is None else bounds[0] >> constant % size
            case "iand" | "umin":
                return min(bounds)
            case "umax":
                return max(bounds)
            case "umod":
                constant = _constant(instr.sources[1], component)
                return min(bounds[0], constant - 1) if constant else bounds[0]
            case "bcsel" | "b32csel":
                return max(bounds[1:])
        return largest


def _unless_wrapped(bound: int, largest: int) -> int:
    return bound if bound <= largest else largest


def _is_plain(src: AluSrc) -> bool:
    return src.def_ is not None and not src.negate and not src.abs


def _constant(src: AluSrc, component: int) -> int | None:
    maker = None if src.def_ is None else src.def_.instr
    return maker.values[src.swizzle[component]] if isinstance(maker, LoadConstInstr) else None
