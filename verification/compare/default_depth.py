"""Depths that the hardware writes by itself: a store of the depth of the fragment is the same as none."""

from __future__ import annotations

from nirls.ir.io.access import AccessKind, IoAccess, io_access, io_accesses
from nirls.ir.model.clone import clone_shader
from nirls.ir.model.instructions import AluInstr, IntrinsicInstr
from nirls.ir.model.shader import Shader
from nirls.ir.model.slots import FRAG_RESULTS, varying_slot
from nirls.ir.model.stage import Stage
from nirls.ir.model.values import Def
from nirls.ir.tables.families import MOVES, VECTORS

_DEPTH = FRAG_RESULTS.index("DEPTH")
_POSITION = varying_slot("POS")
_Z = 2
_MOST_COPIES = 32


def without_default_depth(shader: Shader, other: Shader) -> Shader:
    """Return a fragment shader without its stores of the depth, if each stores that of the fragment.

    Mesa removes them (`nir_opt_fragdepth`). Only where the other side of the comparison stores no depth: one
    that it stores is compared. Any other shader is returned as it is.
    """
    if shader.stage != Stage.FRAGMENT or _depth_stores(other) or not _stores_default_depth(shader):
        return shader
    copy = clone_shader(shader)
    for access in _depth_stores(copy):
        access.instr.remove()
    return copy


def _depth_stores(shader: Shader) -> list[IoAccess]:
    return [
        access
        for access in io_accesses(shader)
        if access.kind == AccessKind.STORE and access.location == _DEPTH
    ]


def _stores_default_depth(shader: Shader) -> bool:
    stores = _depth_stores(shader)
    return bool(stores) and all(
        _is_depth_of_fragment(_stored(access.instr), shader.stage) for access in stores
    )


def _stored(store: IntrinsicInstr) -> tuple[Def | None, int]:
    """Return the stored value, which is the last source of a deref's store, and its first component."""
    return store.sources[1 if store.name == "store_deref" else 0].def_, 0


def _is_depth_of_fragment(value: tuple[Def | None, int], stage: Stage | None) -> bool:
    """Whether a component of a value is a copy of the third one of the fragment's position."""
    source, component = value
    for _ in range(_MOST_COPIES):
        maker = None if source is None else source.instr
        if isinstance(maker, IntrinsicInstr):
            return _reads_depth(maker, component, stage)
        if not isinstance(maker, AluInstr) or maker.op not in MOVES | VECTORS:
            return False
        read = maker.sources[0 if maker.op in MOVES else component]
        if read.negate or read.abs:
            return False
        source, component = read.def_, read.swizzle[component if maker.op in MOVES else 0]
    return False


def _reads_depth(load: IntrinsicInstr, component: int, stage: Stage | None) -> bool:
    if load.name in ("load_frag_coord", "load_frag_coord_z"):
        return component == (_Z if load.name == "load_frag_coord" else 0)
    access = io_access(load, stage)
    if access is None or access.kind != AccessKind.INPUT_LOAD or access.location != _POSITION:
        return False
    return access.component + component == _Z
