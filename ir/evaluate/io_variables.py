"""Which slots the parts of an input or output variable take (Mesa: nir_lower_io)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nirls.ir.evaluate.pointer import Index, Pointer, lanes_of
from nirls.ir.evaluate.struct_types import array_parts, leaf_type
from nirls.ir.evaluate.value import either
from nirls.ir.model.instructions import IntrinsicInstr
from nirls.ir.model.shader import Shader, Variable
from nirls.ir.model.slots import slot_number, varying_slot
from nirls.ir.model.stage import Stage

Array = NDArray[Any]


@dataclass(frozen=True, slots=True)
class IoPlace:
    """The fixed part of an I/O access. `base` is `float`, `int`, `uint` or `bool`."""

    slot: int
    component: int
    high_16bits: bool
    base: str
    num_slots: int

    def at(self, component: int, bit_size: int) -> tuple[int, int]:
        """Slot and component of the n-th component of a vector that starts here; doubles take two."""
        position = self.component + component * (2 if bit_size == 64 else 1)
        return self.slot + position // 4, position % 4


def io_place(instr: IntrinsicInstr) -> IoPlace:
    """The place of an access; where a dump tells no slot, its `base` stands in."""
    semantics = instr.io_semantics
    if semantics is None or semantics.location < 0:
        # Unit tests print UNKNOWN for slots without a name; `base` then tells them apart.
        slot = -1000 - instr.int_index("base")
        high = semantics is not None and semantics.has("high_16bits")
        num_slots = 1 if semantics is None else semantics.num_slots
    else:
        slot, high, num_slots = semantics.location, semantics.has("high_16bits"), semantics.num_slots
    kind = instr.indices.get("dest_type", instr.indices.get("src_type", "float32"))
    base = str(kind).rstrip("0123456789") if isinstance(kind, str) else "float"
    if base not in ("float", "int", "uint", "bool"):
        base = "float"
    return IoPlace(slot, instr.int_index("component"), high, base, num_slots)


BUILTIN_FIELDS = {
    "gl_Position": "POS",
    "gl_PointSize": "PSIZ",
    "gl_ClipDistance": "CLIP_DIST0",
    "gl_CullDistance": "CULL_DIST0",
    "gl_ClipVertex": "CLIP_VERTEX",
    "gl_PrimitiveID": "PRIMITIVE_ID",
    "gl_Layer": "LAYER",
    "gl_ViewportIndex": "VIEWPORT",
}
_COMPACT_FIELDS = frozenset({"gl_ClipDistance", "gl_CullDistance"})


@dataclass(frozen=True, slots=True)
class VariablePlace:
    """Slot (a number, or a text where the dump tells none), first component, and how arrays are laid out.

    `arrayed`: the outermost array counts vertices (or primitives). `compact`: floats of an array are
    packed into the components of successive slots.
    """

    slot: int | str
    component: int
    arrayed: bool
    compact: bool


@dataclass(frozen=True, slots=True)
class PartPlace:
    """Where the thing a pointer points to lies: per lane a number of slots further on, and a component.

    `vertex` is the vertex of each lane for arrayed variables. `poison` marks lanes whose indices are
    undefined.
    """

    slot: int | str
    shift: Array
    component: Array
    vertex: Array | None
    poison: Array | None
    fragile: Array | None


def variable_place(variable: Variable, stage: Stage | None) -> VariablePlace:
    """Where an input or output variable starts."""
    name, _, swizzle = (variable.location or "").partition(".")
    number = slot_number(name) if name and not name.startswith("~") else -1
    component = "xyzw".find(swizzle[:1]) if swizzle else 0
    return VariablePlace(
        number if number >= 0 else f"{variable.mode} {variable.name}",
        max(component, 0),
        is_arrayed(variable, stage),
        "compact" in variable.trailing,
    )


def is_arrayed(variable: Variable, stage: Stage | None) -> bool:
    """Whether the outermost array of an I/O variable counts vertices (Mesa: `nir_is_arrayed_io`)."""
    if array_parts(variable.type_name) is None or leaf_type(variable.type_name) is not None:
        return False
    if "patch" in variable.qualifiers:
        return False
    if variable.mode == "shader_in":
        return stage in (Stage.TESS_CTRL, Stage.TESS_EVAL, Stage.GEOMETRY) or (
            stage is Stage.FRAGMENT and "per_vertex" in variable.qualifiers
        )
    if stage is Stage.MESH:
        return True
    return stage is Stage.TESS_CTRL


@lru_cache(4096)
def slots_of(type_name: str, is_vertex_input: bool = False) -> int | None:
    """How many slots a type takes; None for structs, whose fields a dump does not list."""
    leaf = leaf_type(type_name)
    if leaf is not None:
        return 2 if leaf.bit_size == 64 and leaf.num_components > 2 and not is_vertex_input else 1
    parts = array_parts(type_name)
    if parts is None:
        return None
    inner = slots_of(parts[0], is_vertex_input)
    return None if inner is None else inner * max(parts[1], 1)


def part_place(pointer: Pointer, stage: Stage | None, lanes: int) -> PartPlace:
    """Where a pointer into an input or output variable leads."""
    variable = pointer.root.variable
    assert variable is not None
    place = variable_place(variable, stage)
    slot, compact = place.slot, place.compact
    component = np.full(lanes, place.component)
    shift = np.zeros(lanes, np.int64)
    type_name = variable.type_name
    vertex: Array | None = None
    poison: Array | None = None
    fragile: Array | None = None
    if pointer.component is not None:
        component = component + lanes_of(pointer.component, lanes)
        poison, fragile = pointer.component.poison, pointer.component.fragile
    path = list(pointer.path)
    if place.arrayed and path and isinstance(path[0], Index):
        first = path.pop(0)
        assert isinstance(first, Index)
        vertex = lanes_of(first, lanes)
        poison, fragile = either(poison, first.poison), either(fragile, first.fragile)
        type_name = _element(type_name)
    for step in path:
        if isinstance(step, str):
            if step in BUILTIN_FIELDS and is_builtin_block(variable):
                slot, compact = varying_slot(BUILTIN_FIELDS[step]), step in _COMPACT_FIELDS
            else:
                slot, compact = f"{slot}.{step}", False
            type_name = ""
            continue
        poison, fragile = either(poison, step.poison), either(fragile, step.fragile)
        at = lanes_of(step, lanes)
        type_name = _element(type_name)
        if compact:
            position = component + at
            shift, component = shift + position // 4, position % 4
        elif isinstance(slot, str):
            shift = shift * max(step.length, 1) + at
        else:
            shift = shift + at * (slots_of(type_name) or 1)
    return PartPlace(slot, shift, component, vertex, poison, fragile)


def smooth_input_variable(shader: Shader, instr: IntrinsicInstr) -> Variable | None:
    """The declared variable behind an input access if it is one that the rasterizer interpolates."""
    access = io_place(instr)
    for variable in shader.variables_of_mode("shader_in"):
        place = variable_place(variable, shader.stage)
        if isinstance(place.slot, str):
            if variable.driver_location != instr.int_index("base"):
                continue
        elif not place.slot <= access.slot < place.slot + (slots_of(variable.type_name) or 1):
            continue
        inner = variable.type_name
        while array_parts(inner) is not None and leaf_type(inner) is None:
            inner = _element(inner)
        leaf = leaf_type(inner)
        if leaf is None:
            continue
        if not place.compact and access.component >= place.component + leaf.num_components:
            continue
        is_smooth = leaf.base == "float" and "FLAT" not in variable.interpolation
        return variable if is_smooth else None
    return None


def _element(type_name: str) -> str:
    parts = array_parts(type_name)
    return type_name if parts is None else parts[0]


def is_builtin_block(variable: Variable) -> bool:
    return re.match(r"gl_PerVertex\b", variable.type_name) is not None
