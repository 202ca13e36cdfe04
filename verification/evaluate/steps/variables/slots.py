"""Varying slots accessed by I/O instructions and derefs, per lane."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from nirls.ir.io.access import io_access
from nirls.ir.io.variables import (
    BUILTIN_FIELDS,
    COMPACT_FIELDS,
    element_of,
    is_builtin_block,
    slots_of,
    variable_place,
)
from nirls.ir.model.instructions import DerefInstr, IntrinsicInstr
from nirls.ir.model.shader import Shader
from nirls.ir.model.slots import slot_number, varying_slot
from nirls.ir.model.stage import Stage
from nirls.ir.tables.entries import base_type
from nirls.verification.evaluate.values.arrays import Array
from nirls.verification.evaluate.values.marks import Marks
from nirls.verification.evaluate.values.pointer import Pointer, PointerIndex, lanes_of
from nirls.verification.evaluate.values.wanted_types import wanted_base

_SECOND_COLOR = slot_number("FRAG_RESULT_DUAL_SRC_BLEND")


@dataclass(frozen=True, slots=True)
class IoPlace:
    """The fixed part of an I/O access. `base` is `float`, `int`, `uint`, `bool` or `mixed`."""

    slot: int
    component: int
    high_16bits: bool
    base: str

    def at(self, component: int, bit_size: int) -> tuple[int, int]:
        """Return slot and component of the n-th component of a vector that starts here; doubles take two."""
        position = self.component + component * (2 if bit_size == 64 else 1)
        return self.slot + position // 4, position % 4


def io_place(instr: IntrinsicInstr) -> IoPlace:
    """Return the place of an access without its offset; without a slot in the dump, `base` is used.

    A declared type says little about a load: drivers load floats as `uint32`. Its uses count too.
    """
    access = io_access(instr, None)
    kind = instr.indices.get("dest_type", instr.indices.get("src_type", "float32"))
    base = wanted_base(instr.def_, base_type(kind) or "float")
    semantics = instr.io_semantics
    high = semantics is not None and semantics.has("high_16bits")
    # Unit tests print UNKNOWN for slots without a name; `base` then distinguishes them.
    if access is None:
        return IoPlace(-1000 - instr.int_index("base"), instr.int_index("component"), high, base)
    is_second = semantics is not None and semantics.has("dualsrc")
    return IoPlace(_SECOND_COLOR if is_second else access.location, access.component, high, base)


def structs_without_slots(shader: Shader) -> frozenset[str]:
    """Return the inputs and outputs that are structs and accessed by member.

    A dump does not print the layout of a struct, so a run keeps each member in a place named after it.
    """
    found = set()
    for instr in shader.instrs():
        if not isinstance(instr, DerefInstr) or instr.field is None:
            continue
        root = instr.root
        is_known = root.var is not None and instr.field in BUILTIN_FIELDS and is_builtin_block(root.var)
        if instr.mode in ("shader_in", "shader_out") and not is_known:
            found.add(root.var_name)
    return frozenset(found)


def has_lowered_io(shader: Shader) -> bool:
    """Return whether any input or output is accessed by its slot."""
    return any(
        instr.io_semantics is not None for instr in shader.instrs() if isinstance(instr, IntrinsicInstr)
    )


@dataclass(frozen=True, slots=True)
class PartPlace:
    """Location of a pointer's target: per lane an offset in slots, and a component.

    `vertex` is the vertex of each lane for arrayed variables. `marks` are those of the indices; an element
    out of bounds is undefined.
    """

    slot: int | str
    shift: Array
    component: Array
    vertex: Array | None
    marks: Marks


def part_place(pointer: Pointer, stage: Stage | None, lanes: int) -> PartPlace:
    """Locate the target of a pointer into an input or output variable."""
    variable = pointer.root.variable
    assert variable is not None
    place = variable_place(variable, stage)
    slot, compact = place.slot, place.compact
    component = np.full(lanes, place.component)
    shift = np.zeros(lanes, np.int64)
    type_name = variable.type_name
    vertex: Array | None = None
    marks = Marks()
    if pointer.component is not None:
        component = component + lanes_of(pointer.component, lanes)
        marks.add(pointer.component)
        marks.join(_out_of_bounds(pointer.component, lanes))
    path = list(pointer.path)
    if place.arrayed and path and isinstance(path[0], PointerIndex):
        first = path.pop(0)
        assert isinstance(first, PointerIndex)
        vertex = lanes_of(first, lanes)
        marks.add(first)
        type_name = element_of(type_name)
    for step in path:
        if isinstance(step, str):
            if step in BUILTIN_FIELDS and is_builtin_block(variable):
                slot, compact = varying_slot(BUILTIN_FIELDS[step]), step in COMPACT_FIELDS
            else:
                slot, compact = f"{slot}.{step}", False
            type_name = ""
            continue
        marks.add(step)
        marks.join(_out_of_bounds(step, lanes))
        at = lanes_of(step, lanes)
        type_name = element_of(type_name)
        if compact:
            position = component + at
            shift, component = shift + position // 4, position % 4
        elif isinstance(slot, str):
            shift = shift * max(step.length, 1) + at
        else:
            shift = shift + at * (slots_of(type_name) or 1)
    return PartPlace(slot, shift, component, vertex, marks)


def _out_of_bounds(index: PointerIndex, lanes: int) -> Marks:
    """Return the lanes whose element does not exist; no lane for an unsized array."""
    at = lanes_of(index, lanes)
    outside = (at < 0) | (at >= index.length)
    return Marks(poison=outside[None]) if index.length and outside.any() else Marks()
