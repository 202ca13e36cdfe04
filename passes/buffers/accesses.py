"""Accesses to UBOs and SSBOs, and the possible blocks of each."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from nirls.ir.analysis.buffer_blocks import possible_blocks
from nirls.ir.model.access import VOLATILE, VS_BINDINGS
from nirls.ir.model.instructions import AluInstr, IntrinsicInstr, LoadConstInstr
from nirls.ir.model.shader import Shader
from nirls.ir.model.values import UNREADABLE_INDEX, AluSrc, Def
from nirls.passes.cleanup.copies import VECTORS

MOST_BLOCKS = 1024
"""Maximum number of blocks to lower to; no API allows as many."""

_LOADS = {"load_ubo": "ubo", "load_ubo_vec4": "ubo", "get_ubo_size": "ubo"}
_LOADS |= {"load_ssbo": "ssbo", "get_ssbo_size": "ssbo"}


@dataclass(frozen=True, slots=True)
class DynamicAccess:
    """An access with a variable block index.

    `blocks` are the possible block indices; empty if the access cannot be lowered, for the reason in
    `obstacle`. `is_load` means that executing it for other blocks has no effect.
    """

    instr: IntrinsicInstr
    index: Def
    kind: str
    is_load: bool
    blocks: range
    obstacle: str | None = None


def index_source(instr: IntrinsicInstr) -> int | None:
    """Return the number of the block index source of a UBO or SSBO access; None for other intrinsics."""
    if instr.name in _LOADS or instr.name.startswith("ssbo_atomic"):
        return 0
    return 1 if instr.name == "store_ssbo" else None


def dynamic_accesses(shader: Shader) -> Iterator[DynamicAccess]:
    """Yield the accesses of a shader whose block index is not constant, in printed order.

    The header and the variable declarations give the range of blocks; bounds of the index narrow it. Vulkan
    descriptors are not block indices and are skipped.
    """
    known: dict[str, range | None] = {}
    for instr in shader.instrs():
        source = index_source(instr) if isinstance(instr, IntrinsicInstr) else None
        if not isinstance(instr, IntrinsicInstr) or source is None or source >= len(instr.sources):
            continue
        index = instr.sources[source].def_
        if index is None and instr.sources[source].reg is not None:
            yield _in_register(instr)
        if index is None or index.num_components != 1 or isinstance(index.instr, LoadConstInstr):
            continue
        if instr.int_index("access") & VS_BINDINGS:
            continue  # a block of another stage; their number is not in this dump
        kind = _LOADS.get(instr.name, "ssbo")
        if kind not in known:
            known[kind] = possible_blocks(shader, kind)
        is_load = instr.name in _LOADS and not instr.int_index("access") & VOLATILE
        blocks = known[kind]
        if blocks is not None:
            yield _narrowed(DynamicAccess(instr, index, kind, is_load, blocks))


def _in_register(instr: IntrinsicInstr) -> DynamicAccess:
    kind = _LOADS.get(instr.name, "ssbo")
    obstacle = "its block index is in a register, and the pass needs SSA form"
    return DynamicAccess(instr, Def(UNREADABLE_INDEX, 1, 32), kind, False, range(0), obstacle)


def _narrowed(access: DynamicAccess) -> DynamicAccess:
    low, high = unsigned_bounds(access.index)
    blocks = range(max(access.blocks.start, low), min(access.blocks.stop, high + 1))
    obstacle = None
    if not access.blocks:
        obstacle = f"the shader has no {access.kind.upper()}"
    elif not blocks:
        last = access.blocks.stop - 1
        obstacle = f"the index is at least {low}, and the last {access.kind.upper()} of the shader is {last}"
    elif len(blocks) > MOST_BLOCKS:
        obstacle = f"{len(blocks)} possible blocks are more than the limit of {MOST_BLOCKS}"
    return DynamicAccess(access.instr, access.index, access.kind, access.is_load, blocks, obstacle)


_MOST_VISITED = 64
_SELECTIONS = frozenset(("bcsel", "b8csel", "b16csel", "b32csel"))

Bounds = tuple[int, int]
"""Minimum and maximum, both inclusive."""


def unsigned_bounds(value: Def, component: int = 0) -> Bounds:
    """Compute the bounds of a component. At most 64 instructions are visited."""
    return _Bounds().of(value, component, 0)


class _Bounds:
    def __init__(self) -> None:
        self.visited = 0

    def of(self, value: Def, component: int, depth: int) -> Bounds:
        everything = (0, (1 << max(value.bit_size, 1)) - 1)
        maker = value.instr
        if isinstance(maker, LoadConstInstr):
            bits = maker.values[component] if component < len(maker.values) else 0
            return (bits, bits)
        self.visited += 1
        if not isinstance(maker, AluInstr) or depth > 16 or self.visited > _MOST_VISITED:
            return everything
        if any(src.def_ is None or src.negate or src.abs for src in maker.sources) or "sat" in maker.flags:
            return everything
        found = self._alu(maker, component, depth + 1, everything)
        return found if found[1] <= everything[1] else everything

    def _alu(self, alu: AluInstr, component: int, depth: int, everything: Bounds) -> Bounds:
        if alu.op in VECTORS:
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
