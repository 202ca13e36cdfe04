"""Numbers and names of vertex attributes, varying slots and fragment results (Mesa: shader_enums.h)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from enum import Enum
from typing import Final

from nirls.ir.model.stage import Stage


class AttributeNumbers(Enum):
    """The numbering of vertex attributes that a dump prints (Mesa: `gl_vert_attrib`).

    Mesa 21.3 moved `VERT_ATTRIB_EDGEFLAG` from number 6 to the end (commit df5a2bbb415).
    """

    SINCE_21_3 = "since 21.3"
    BEFORE_21_3 = "before 21.3"
    UNKNOWN = "unknown"


VERT_ATTRIBS: tuple[str, ...] = (
    "POS",
    "NORMAL",
    "COLOR0",
    "COLOR1",
    "FOG",
    "COLOR_INDEX",
    *(f"TEX{i}" for i in range(8)),
    "POINT_SIZE",
    *(f"GENERIC{i}" for i in range(16)),
    "EDGEFLAG",
)

VARYING_SLOTS: tuple[str, ...] = (
    "POS",
    "COL0",
    "COL1",
    "FOGC",
    *(f"TEX{i}" for i in range(8)),
    "PSIZ",
    "BFC0",
    "BFC1",
    "EDGE",
    "CLIP_VERTEX",
    "CLIP_DIST0",
    "CLIP_DIST1",
    "CULL_DIST0",
    "CULL_DIST1",
    "PRIMITIVE_ID",
    "LAYER",
    "VIEWPORT",
    "FACE",
    "PNTC",
    "TESS_LEVEL_OUTER",
    "TESS_LEVEL_INNER",
    "BOUNDING_BOX0",
    "BOUNDING_BOX1",
    "VIEW_INDEX",
    "VIEWPORT_MASK",
    *(f"VAR{i}" for i in range(32)),
    *(f"PATCH{i}" for i in range(32)),
    *(f"VAR{i}_16BIT" for i in range(16)),
)

FRAG_RESULTS: tuple[str, ...] = (
    "DEPTH",
    "STENCIL",
    "COLOR",
    "SAMPLE_MASK",
    *(f"DATA{i}" for i in range(8)),
    "DUAL_SRC_BLEND",
)

_PREFIXED: Mapping[str, tuple[str, ...]] = {
    "VERT_ATTRIB_": VERT_ATTRIBS,
    "VARYING_SLOT_": VARYING_SLOTS,
    "FRAG_RESULT_": FRAG_RESULTS,
}

_NUMBER_OF = {
    prefix + name: number for prefix, names in _PREFIXED.items() for number, name in enumerate(names)
}
# Mesh shaders reuse three slots that only tessellation needs.
_MESH_ALIASES = {
    "VARYING_SLOT_PRIMITIVE_COUNT": VARYING_SLOTS.index("TESS_LEVEL_OUTER"),
    "VARYING_SLOT_PRIMITIVE_INDICES": VARYING_SLOTS.index("TESS_LEVEL_INNER"),
    "VARYING_SLOT_CULL_PRIMITIVE": VARYING_SLOTS.index("BOUNDING_BOX0"),
}
_NUMBER_OF.update(_MESH_ALIASES)

UNKNOWN_LOCATION = -1
UNNAMED_ATTRIBUTES: Final = 64
"""The vertex attribute 64 + n is the one printed as `n` where the numbering of the release is not known."""

SLOT_PREFIXES = tuple(_PREFIXED)
"""Beginnings of the printed names of slots."""

_OLD_EDGE_FLAG = VERT_ATTRIBS.index("TEX0")
_EDGE_FLAG = VERT_ATTRIBS.index("EDGEFLAG")
_SLOT_PREFIX = re.compile("|".join(SLOT_PREFIXES))
_MOST_DIGITS = 3


def varying_slot(name: str) -> int:
    """Return the number of a varying slot from its short name: `varying_slot("VAR0")` is 32."""
    return VARYING_SLOTS.index(name)


COMPACT_SLOTS = frozenset(
    varying_slot(name)
    for name in (
        *("CLIP_DIST0", "CLIP_DIST1", "CULL_DIST0", "CULL_DIST1"),
        *("TESS_LEVEL_OUTER", "TESS_LEVEL_INNER"),
    )
)
"""Arrays of floats packed into components: a variable index may choose any component."""


def slot_number(name: str) -> int:
    """Return the number of a printed slot name or number; -1 for `UNKNOWN`, unknown names and absurd numbers.

    >>> slot_number("VARYING_SLOT_VAR0"), slot_number("VERT_ATTRIB_GENERIC0"), slot_number("33")
    (32, 15, 33)
    """
    if name.isdecimal():
        return int(name) if len(name) <= _MOST_DIGITS else UNKNOWN_LOCATION
    return _NUMBER_OF.get(name, UNKNOWN_LOCATION)


def attribute_of_number(number: int, numbers: AttributeNumbers) -> int:
    """Return the vertex attribute that a dump prints as `number`.

    >>> attribute_of_number(16, AttributeNumbers.BEFORE_21_3) == slot_number("VERT_ATTRIB_GENERIC0")
    True
    """
    if number < _OLD_EDGE_FLAG or numbers is AttributeNumbers.SINCE_21_3:
        return number
    if numbers is AttributeNumbers.UNKNOWN or number > _EDGE_FLAG:
        return number + UNNAMED_ATTRIBUTES
    return _EDGE_FLAG if number == _OLD_EDGE_FLAG else number - 1


def number_of_attribute(attribute: int, numbers: AttributeNumbers) -> int:
    """Return the number that a dump prints for a vertex attribute: the inverse of `attribute_of_number`."""
    if attribute >= UNNAMED_ATTRIBUTES:
        return attribute - UNNAMED_ATTRIBUTES
    if attribute < _OLD_EDGE_FLAG or numbers is not AttributeNumbers.BEFORE_21_3:
        return attribute
    return _OLD_EDGE_FLAG if attribute == _EDGE_FLAG else attribute + 1


def short_slots(text: str) -> str:
    """Return a text with the short names of slots.

    >>> short_slots("VARYING_SLOT_VAR0.x of vertex 1")
    'VAR0.x of vertex 1'
    """
    return _SLOT_PREFIX.sub("", text)


def slot_name(number: int, stage: Stage | None, *, is_output: bool) -> str:
    """Return the name that modern Mesa prints for a slot in `stage`; `UNKNOWN` if there is none.

    The printed number for a vertex attribute whose numbering is not known.
    """
    if number < 0:
        return "UNKNOWN"
    if stage is Stage.VERTEX and not is_output:
        if UNNAMED_ATTRIBUTES <= number < 2 * UNNAMED_ATTRIBUTES:
            return str(number - UNNAMED_ATTRIBUTES)
        prefix = "VERT_ATTRIB_"
    elif stage is Stage.FRAGMENT and is_output:
        prefix = "FRAG_RESULT_"
    else:
        prefix = "VARYING_SLOT_"
        if stage is Stage.MESH:
            alias = next((name for name, slot in _MESH_ALIASES.items() if slot == number), None)
            if alias is not None:
                return alias
    names = _PREFIXED[prefix]
    return prefix + names[number] if number < len(names) else "UNKNOWN"


def slot_stage(intrinsic_name: str, stage: Stage | None) -> Stage | None:
    """Return the stage whose slot enumeration an access uses.

    A control shader with an inlined vertex shader reads vertex attributes by `load_input`; its own inputs
    are per vertex, and read by `load_per_vertex_input`.
    """
    return Stage.VERTEX if reads_attribute_in_tcs(intrinsic_name, stage) else stage


def reads_attribute_in_tcs(intrinsic_name: str, stage: Stage | None) -> bool:
    """Whether an access of a control shader reads an attribute of the invocation's vertex."""
    return stage is Stage.TESS_CTRL and intrinsic_name == "load_input"


def parse_mask(text: str) -> int | None:
    """Parse a mask of slots as printed in a header (`0,2-4` or `0x1d`); None for other text."""
    try:
        if text.startswith("0x"):
            return int(text.replace("'", ""), 16)
        mask = 0
        for run in text.split(","):
            first, dash, last = run.partition("-")
            start, end = int(first), int(last) if dash else int(first)
            if not 0 <= start <= end < 1024:
                return None
            mask |= ((1 << (end - start + 1)) - 1) << start
    except ValueError:
        return None
    return mask
