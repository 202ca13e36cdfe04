"""Rules for which varyings may be changed, and which outputs fixed hardware reads.

The rules are step 1 of the varying-linking design, by vec4 slot (`nirls.ir.model.slots`).
"""

from __future__ import annotations

from nirls.ir.model.slots import VARYING_SLOTS, varying_slot
from nirls.ir.model.stage import Stage

PAIRS: frozenset[tuple[Stage, Stage]] = frozenset(
    {
        (Stage.VERTEX, Stage.TESS_CTRL),
        (Stage.VERTEX, Stage.TESS_EVAL),
        (Stage.VERTEX, Stage.GEOMETRY),
        (Stage.VERTEX, Stage.FRAGMENT),
        (Stage.TESS_CTRL, Stage.TESS_EVAL),
        (Stage.TESS_EVAL, Stage.GEOMETRY),
        (Stage.TESS_EVAL, Stage.FRAGMENT),
        (Stage.GEOMETRY, Stage.FRAGMENT),
        (Stage.MESH, Stage.FRAGMENT),
    }
)
"""Producer and consumer of every interface made of varyings."""


def _slots(*names: str) -> frozenset[int]:
    return frozenset(varying_slot(name) for name in names)


LAYER = varying_slot("LAYER")
VIEWPORT = varying_slot("VIEWPORT")
PRIMITIVE_ID = varying_slot("PRIMITIVE_ID")
TEXCOORDS = _slots(*(f"TEX{i}" for i in range(8)))
TESS_LEVELS = _slots("TESS_LEVEL_OUTER", "TESS_LEVEL_INNER")

FIRST_PATCH = varying_slot("PATCH0")
AFTER_PATCHES = varying_slot("PATCH31") + 1

_CLIPPING = _slots("CLIP_DIST0", "CLIP_DIST1", "CULL_DIST0", "CULL_DIST1")
_ZERO_WHEN_UNWRITTEN = frozenset({LAYER, VIEWPORT})
_REMOVABLE_BEFORE_FRAGMENT = (
    _CLIPPING | _ZERO_WHEN_UNWRITTEN | TEXCOORDS | _slots("FOGC", "COL0", "COL1", "BFC0", "BFC1")
)
FIRST_GENERIC = varying_slot("VAR0")

_READ_BY_RASTERIZER = (
    _CLIPPING
    | _ZERO_WHEN_UNWRITTEN
    | _slots("POS", "PSIZ", "EDGE", "CLIP_VERTEX", "VIEW_INDEX", "VIEWPORT_MASK")
    # PRIMITIVE_SHADING_RATE shares its number with FACE; mesh shaders' counts and indices with the levels.
    | _slots("FACE")
    | TESS_LEVELS
)
_READ_BY_TESSELLATOR = TESS_LEVELS | _slots("BOUNDING_BOX0", "BOUNDING_BOX1")


def is_patch(location: int) -> bool:
    """Whether a slot has one value for a whole patch."""
    return FIRST_PATCH <= location < AFTER_PATCHES or location in TESS_LEVELS


def may_remove(producer: Stage, consumer: Stage, location: int) -> bool:
    """Whether accesses of a slot may be removed as a varying; all others stay unchanged.

    System values that the fragment shader gets from the rasterizer (POS, FACE, PNTC, PRIMITIVE_ID without a
    geometry or mesh shader) may not be removed: they have a value without being written. So do tessellation
    levels without a control shader (`glPatchParameterfv`).
    """
    if location < 0:
        return False
    if consumer is Stage.FRAGMENT:
        if location == PRIMITIVE_ID:
            return producer in (Stage.GEOMETRY, Stage.MESH)
        return location >= FIRST_GENERIC or location in _REMOVABLE_BEFORE_FRAGMENT
    if consumer is Stage.TESS_EVAL and producer is Stage.VERTEX:
        return location not in TESS_LEVELS
    return True


def is_system_value_output(location: int, consumer: Stage) -> bool:
    """Whether fixed hardware reads the slot before `consumer` (Mesa: `nir_slot_is_sysval_output`).

    In other pairs the same slot is an ordinary varying, such as POS from a vertex to a control shader.
    """
    if consumer is Stage.FRAGMENT:
        return location in _READ_BY_RASTERIZER
    if consumer is Stage.TESS_EVAL:
        return location in _READ_BY_TESSELLATOR
    return False


def unwritten_value(consumer: Stage, location: int, component: int) -> float | None:
    """Return the value of an input that the producer never writes; None for undefined.

    LAYER and VIEWPORT are 0 in the fragment shader, TEXn.zw are (0, 1). Not for TEXn.xy, whose value
    depends on the coord replace state; see `keeps_unwritten_value`.
    """
    if consumer is not Stage.FRAGMENT:
        return None
    if location in _ZERO_WHEN_UNWRITTEN:
        return 0.0
    if location in TEXCOORDS:
        return {2: 0.0, 3: 1.0}.get(component)
    return None


def keeps_unwritten_value(producer: Stage, consumer: Stage, location: int, component: int) -> bool:
    """Whether a load must stay although nothing writes it.

    Point sprites may set TEXn.xy, and multiview sets the LAYER of a mesh shader without a store.
    """
    if consumer is not Stage.FRAGMENT:
        return False
    return (location in TEXCOORDS and component < 2) or (location == LAYER and producer is Stage.MESH)


def short_name(location: int, component: int | None = None) -> str:
    """Return the short name of a slot, such as `VAR0.x`; the number for a slot without a name."""
    name = VARYING_SLOTS[location] if 0 <= location < len(VARYING_SLOTS) else str(location)
    return name if component is None else f"{name}.{'xyzw'[component & 3]}"
