"""The one decoder of input and output accesses, whatever form a shader has them in.

Storage is counted in halves of components, as Mesa's nir_opt_varyings does: a slot has eight, and component c
of slot s has the numbers `s * 8 + c * 2` and, for the high 16 bits, one more.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from functools import cached_property

from nirls.ir.io.backend import BackendAccess, backend_access
from nirls.ir.io.level import LoweringLevel, sides_by_offset
from nirls.ir.io.variables import deref_place
from nirls.ir.model.instructions import DerefInstr, Instr, IntrinsicInstr, scalar_constant
from nirls.ir.model.io_semantics import MOST_SLOTS, IoSemantics, XfbOutputs
from nirls.ir.model.shader import Shader
from nirls.ir.model.slots import COMPACT_SLOTS, reads_attribute_in_tcs, varying_slot
from nirls.ir.model.stage import Stage
from nirls.ir.model.values import Def

HALVES_OF_A_SLOT = 8

INPUT_LOADS = frozenset(
    {
        "load_input",
        "load_per_vertex_input",
        "load_per_primitive_input",
        "load_interpolated_input",
        "load_input_vertex",
    }
)
OUTPUT_STORES = frozenset(
    {"store_output", "store_per_vertex_output", "store_per_primitive_output", "store_per_view_output"}
)
OUTPUT_LOADS = frozenset(
    {"load_output", "load_per_vertex_output", "load_per_primitive_output", "load_per_view_output"}
)
SLOT_INTRINSICS = INPUT_LOADS | OUTPUT_STORES | OUTPUT_LOADS
DEREF_LOADS = frozenset(
    {
        "load_deref",
        "interp_deref_at_centroid",
        "interp_deref_at_sample",
        "interp_deref_at_offset",
        "interp_deref_at_vertex",
    }
)
FRONT_COLOR_OF = {
    varying_slot("BFC0"): varying_slot("COL0"),
    varying_slot("BFC1"): varying_slot("COL1"),
}
COLOR_LOADS = {
    **{f"load_color{number}": varying_slot(f"COL{number}") for number in range(2)},
    **{f"load_color{number}_amd": varying_slot(f"COL{number}") for number in range(2)},
}
"""Inputs that a driver has lowered to system values, with the interpolation that it keeps elsewhere."""
_SYSTEM_VALUE_INPUTS = COLOR_LOADS | {"load_primitive_id": varying_slot("PRIMITIVE_ID")}
_DVEC2 = 4
"""Components before the second half of a `dvec4` attribute, which the flag `high_dvec2` chooses."""


class AccessKind(Enum):
    """Side of the interface and direction of an access."""

    STORE = "store"
    OUTPUT_LOAD = "output load"
    INPUT_LOAD = "input load"


class ArrayIndex(Enum):
    """The kind of the array index of an access."""

    CONSTANT = "constant"
    BOUNDED = "bounded"
    ANY = "any"


@dataclass(frozen=True, slots=True)
class Capture:
    """Capture of one component by transform feedback; `offset` in bytes."""

    component: int
    buffer: int
    offset: int


@dataclass(frozen=True, eq=False)
class IoAccess:
    """A load or store of inputs or outputs.

    The access names the slots [location, location + declared_slots). `index` is the constant array index
    from `location`, in slots, None for a variable one, which is below `declared_slots` unless `array_index`
    is ANY. `lanes` are the accessed components of the value, `bits` their size, and `component` is the
    32-bit component of lane 0. `half` is 0 or 1 for the low or high 16 bits, None for whole components.
    `vertex` is the index of arrayed I/O: a value, or a constant of a deref. `form` is the lowering
    level of the access.
    """

    instr: IntrinsicInstr
    kind: AccessKind
    form: LoweringLevel
    location: int
    declared_slots: int
    index: int | None
    component: int
    lanes: tuple[int, ...]
    bits: int
    half: int | None = None
    vertex: Def | int | None = None
    is_unbounded: bool = False

    @property
    def is_output(self) -> bool:
        """Whether it accesses an output."""
        return self.kind is not AccessKind.INPUT_LOAD

    @property
    def is_store(self) -> bool:
        """Whether it is a store."""
        return self.kind is AccessKind.STORE

    @property
    def array_index(self) -> ArrayIndex:
        """The kind of the array index."""
        if self.index is not None:
            return ArrayIndex.CONSTANT
        return ArrayIndex.ANY if self.is_unbounded else ArrayIndex.BOUNDED

    @property
    def is_indirect(self) -> bool:
        """Whether a variable index chooses the slot."""
        return self.index is None

    @property
    def slot(self) -> int:
        """The first slot that may be accessed, a constant index included."""
        return self.location + (self.index or 0)

    @property
    def num_slots(self) -> int:
        """The number of slots that an index may choose from; 1 for a constant index."""
        if self.index is not None:
            return 1
        return MOST_SLOTS if self.is_unbounded else self.declared_slots

    @cached_property
    def components(self) -> tuple[int, ...]:
        """The accessed 32-bit components, counted from the start of `slot`; a dual slot has more than 4."""
        width = self.bits // 32 if self.bits > 32 else 1
        return tuple(self.component + lane * width + part for lane in self.lanes for part in range(width))

    @property
    def is_compact(self) -> bool:
        """Whether it accesses floats packed into components, such as clip distances and levels."""
        return self.location in COMPACT_SLOTS

    @cached_property
    def halves(self) -> frozenset[int]:
        """All storage that the access may touch."""
        parts = (0, 1) if self.half is None else (self.half,)
        components = self.components
        if self.index is None and self.is_compact:
            components = (0, 1, 2, 3)
        return frozenset(
            (self.slot + element) * HALVES_OF_A_SLOT + component * 2 + part
            for element in range(self.num_slots)
            for component in components
            for part in parts
        )

    @property
    def slots(self) -> frozenset[int]:
        """All slots that the access may touch."""
        return frozenset(half // HALVES_OF_A_SLOT for half in self.halves)

    @cached_property
    def places(self) -> frozenset[tuple[int, int]]:
        """All slots with components that the access may touch; both halves are one component."""
        return frozenset((half // HALVES_OF_A_SLOT, half % HALVES_OF_A_SLOT // 2) for half in self.halves)

    @property
    def streams(self) -> frozenset[int]:
        """The vertex streams that a geometry shader's store goes to."""
        return frozenset(stream_of(self.instr, lane) for lane in self.lanes)

    @property
    def captures(self) -> tuple[Capture, ...]:
        """The components that transform feedback captures, from the indices of a store."""
        return captures(self.instr)

    @property
    def is_captured(self) -> bool:
        """Whether transform feedback captures a component that the access writes."""
        return any(capture.component in self.components for capture in self.captures)

    def storage(self, consumer: Stage | None) -> frozenset[int]:
        """The storage as `consumer` names it, which reads the outputs; see `slot_read_as`."""
        if not self.is_output or self.slot not in FRONT_COLOR_OF:
            return self.halves
        moved = (slot_read_as(self.slot, consumer) - self.slot) * HALVES_OF_A_SLOT
        return frozenset(half + moved for half in self.halves)


def io_access(instr: Instr, stage: Stage | None) -> IoAccess | None:
    """The input or output access of an instruction; None for anything else, and for unknown slots."""
    if not isinstance(instr, IntrinsicInstr):
        return None
    if instr.io_semantics is not None:
        return _slot_access(instr, instr.io_semantics)
    if instr.name in DEREF_LOADS or instr.name == "store_deref":
        return _deref_access(instr, stage)
    if is_system_value_input(instr, stage):
        return _system_value_access(instr)
    access = backend_access(instr, stage)
    return None if access is None else access_of_backend(instr, access)


def io_accesses(shader: Shader) -> Iterator[IoAccess]:
    """All accesses of varyings and fragment outputs, in printed order; no vertex attributes.

    None of a side whose slots mean nothing, because the accesses are by offset.
    """
    by_offset = sides_by_offset(shader)
    for instr in shader.instrs():
        access = io_access(instr, shader.stage)
        if access is not None and access.is_output not in by_offset and is_varying(access, shader.stage):
            yield access


def is_varying(access: IoAccess, stage: Stage | None) -> bool:
    """Whether an access in a stage is not one of vertex attributes."""
    if reads_attribute_in_tcs(access.instr.name, stage):
        return False
    return stage is not Stage.VERTEX or access.is_output


def kind_of_slot_access(instr: IntrinsicInstr) -> AccessKind | None:
    """The kind of a slot intrinsic, whether its slot is known or not; None for other intrinsics."""
    name = instr.name
    if name not in SLOT_INTRINSICS and instr.io_semantics is None:
        return None
    if "output" in name:
        return AccessKind.STORE if name.startswith("store_") else AccessKind.OUTPUT_LOAD
    return AccessKind.INPUT_LOAD if "input" in name else None


def is_system_value_input(instr: IntrinsicInstr, stage: Stage | None) -> bool:
    """Whether a system value of a fragment shader is a varying of the stage in front, if that writes it."""
    return stage is Stage.FRAGMENT and instr.name in _SYSTEM_VALUE_INPUTS


def slot_read_as(slot: int, consumer: Stage | None) -> int:
    """The slot of an input that reads an output slot: a fragment shader reads BFC0 as COL0, BFC1 as COL1."""
    return FRONT_COLOR_OF.get(slot, slot) if consumer is Stage.FRAGMENT else slot


def constant_offset(instr: IntrinsicInstr) -> int | None:
    """The offset source of a slot intrinsic, which is its last; None if it is not constant."""
    return scalar_constant(instr.sources[-1].def_) if instr.sources else None


def stream_of(store: IntrinsicInstr, lane: int) -> int:
    """The vertex stream that a component of the stored value goes to; stream 0 where none is printed."""
    semantics = store.io_semantics
    printed = {} if semantics is None else dict(semantics.values)
    numbers = [part.rpartition("=")[2] for part in printed.get("gs_streams", "").split()]
    return int(numbers[lane]) if lane < len(numbers) and numbers[lane].isdecimal() else 0


def captures(store: IntrinsicInstr) -> tuple[Capture, ...]:
    """The components of its slot that transform feedback captures after a store."""
    found: list[Capture] = []
    for name, first in (("io_xfb", 0), ("io_xfb2", 2)):
        outputs = store.indices.get(name)
        if not isinstance(outputs, XfbOutputs):
            continue
        for printed, count, buffer, offset in outputs.outputs:
            # Older printers count the components of io_xfb2 from 0, newer ones from 2.
            start = printed if printed >= first else printed + first
            found += (Capture(start + number, buffer, offset + 4 * number) for number in range(count))
    return tuple(found)


def has_unlisted_captures(shader: Shader) -> bool:
    """Return whether transform feedback captures outputs, and the dump does not say which.

    The header says so (`has_transform_feedback_varyings`), but no store carries any: drivers keep them
    elsewhere.
    """
    if shader.header_value("has_transform_feedback_varyings") != "true":
        return False
    return not any(captures(instr) for instr in shader.instrs() if isinstance(instr, IntrinsicInstr))


def _slot_access(instr: IntrinsicInstr, semantics: IoSemantics) -> IoAccess | None:
    kind = kind_of_slot_access(instr)
    shape = _shape(instr, is_store=kind is AccessKind.STORE)
    if kind is None or shape is None or semantics.location < 0:
        return None
    lanes, bits = shape
    operands = 1 if kind is AccessKind.STORE else 0
    declared_slots = len(semantics.slots)
    index = constant_offset(instr)
    if index is not None and index >= declared_slots:
        index = None  # outside of the range that the access declares
    return IoAccess(
        instr,
        kind,
        LoweringLevel.LOWERED_IO,
        semantics.location,
        declared_slots,
        index,
        instr.int_index("component") + (_DVEC2 if semantics.has("high_dvec2") else 0),
        lanes,
        bits,
        int(semantics.has("high_16bits")) if bits <= 16 else None,
        _vertex(instr, operands),
        is_unbounded=len(instr.sources) <= operands,
    )


def _vertex(instr: IntrinsicInstr, place: int) -> Def | None:
    arrayed = ("per_vertex", "per_primitive_output", "per_view_output", "input_vertex")
    if place >= len(instr.sources) or not any(word in instr.name for word in arrayed):
        return None
    return instr.sources[place].def_


def _deref_access(instr: IntrinsicInstr, stage: Stage | None) -> IoAccess | None:
    source = instr.sources[0].def_ if instr.sources else None
    deref = source.instr if source is not None else None
    if not isinstance(deref, DerefInstr) or deref.mode not in ("shader_in", "shader_out"):
        return None
    place = deref_place(stage, deref)
    is_store = instr.name == "store_deref"
    shape = _shape(instr, is_store=is_store)
    if isinstance(place, str) or shape is None:
        return None
    lanes, bits = shape
    output = AccessKind.STORE if is_store else AccessKind.OUTPUT_LOAD
    return IoAccess(
        instr,
        output if deref.mode == "shader_out" else AccessKind.INPUT_LOAD,
        LoweringLevel.VARIABLES,
        place.slot,
        place.num_slots,
        None if place.dynamic else 0,
        place.component,
        lanes,
        bits,
        0 if bits == 16 else None,
        place.vertex,
    )


def _system_value_access(instr: IntrinsicInstr) -> IoAccess | None:
    shape = _shape(instr, is_store=False)
    if shape is None:
        return None
    lanes, bits = shape
    slot = _SYSTEM_VALUE_INPUTS[instr.name]
    half = 0 if bits == 16 else None
    return IoAccess(instr, AccessKind.INPUT_LOAD, LoweringLevel.LOWERED_IO, slot, 1, 0, 0, lanes, bits, half)


def access_of_backend(instr: IntrinsicInstr, found: BackendAccess) -> IoAccess:
    """Return an access of backend I/O."""
    output = AccessKind.STORE if found.is_store else AccessKind.OUTPUT_LOAD
    return IoAccess(
        instr,
        output if found.is_output else AccessKind.INPUT_LOAD,
        LoweringLevel.BACKEND_IO,
        found.slot,
        max(found.num_slots, 1),
        0 if found.num_slots == 1 else None,
        found.component,
        found.lanes,
        32,
        is_unbounded=found.num_slots == 0,
    )


def _shape(instr: IntrinsicInstr, *, is_store: bool) -> tuple[tuple[int, ...], int] | None:
    """The accessed lanes of the loaded or stored value, and the size of one in bits."""
    if is_store:
        value = instr.sources[1 if instr.name == "store_deref" else 0] if instr.sources else None
        if value is None or (value.def_ is None and value.reg is None):
            return None
        lanes = range(value.num_components)
        return tuple(lane for lane in lanes if instr.write_mask >> lane & 1), value.bit_size
    if instr.def_ is not None:
        # The three values are deltas of one component.
        count = 1 if instr.name == "load_fs_input_interp_deltas" else instr.def_.num_components
        return tuple(range(count)), instr.def_.bit_size
    if instr.reg_dest is None:
        return None
    register = instr.reg_dest.reg
    return tuple(range(register.num_components)), register.bit_size
