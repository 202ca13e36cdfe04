"""Accesses to UBOs and SSBOs, and the possible blocks of each."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from nirls.ir.analysis.buffer_blocks import MOST_BLOCKS, possible_blocks
from nirls.ir.analysis.unsigned_bounds import UnsignedBounds
from nirls.ir.model.access import VOLATILE, VS_BINDINGS
from nirls.ir.model.instructions import IntrinsicInstr, LoadConstInstr
from nirls.ir.model.shader import Shader
from nirls.ir.model.values import UNREADABLE_INDEX, Def

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
    bounds = UnsignedBounds(shader)
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
            yield _narrowed(DynamicAccess(instr, index, kind, is_load, blocks), bounds)


def _in_register(instr: IntrinsicInstr) -> DynamicAccess:
    kind = _LOADS.get(instr.name, "ssbo")
    obstacle = "its block index is in a register, and the pass needs SSA form"
    return DynamicAccess(instr, Def(UNREADABLE_INDEX, 1, 32), kind, False, range(0), obstacle)


def _narrowed(access: DynamicAccess, bounds: UnsignedBounds) -> DynamicAccess:
    low, high = bounds.of(access.index)
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
