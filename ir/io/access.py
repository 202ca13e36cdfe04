"""The accesses of inputs and outputs, whatever form a shader has them in.

Storage is counted in halves of components, as Mesa's nir_opt_varyings does: a slot has eight, and component c
of slot s has the numbers `s * 8 + c * 2` and, for the high 16 bits, one more.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from nirls.ir.io.backend import backend_access
from nirls.ir.io.level import LoweringLevel
from nirls.ir.io.variables import deref_place
from nirls.ir.model.instructions import DerefInstr, Instr, IntrinsicInstr, LoadConstInstr
from nirls.ir.model.io_semantics import IoSemantics, XfbOutputs
from nirls.ir.model.shader import Shader
from nirls.ir.model.slots import reads_attribute_in_tcs, varying_slot
from nirls.ir.model.stage import Stage
from nirls.ir.model.values import Def

HALVES_OF_A_SLOT = 8
_MOST_SLOTS = 128
"""No stage has more slots (Mesa: VARYING_SLOT_MAX); a dump may claim any number."""
_DEREF_LOADS = frozenset(
    {
        "load_deref",
        "interp_deref_at_centroid",
        "interp_deref_at_sample",
        "interp_deref_at_offset",
        "interp_deref_at_vertex",
    }
)
_FRONT_COLOR_OF = {
    varying_slot("BFC0"): varying_slot("COL0"),
    varying_slot("BFC1"): varying_slot("COL1"),
}


@dataclass(frozen=True, slots=True, eq=False)
class IoAccess:
    """A load or store of inputs or outputs.

    `slot` has the constant part of the offset added. `num_slots` is 1 unless a variable index chooses one of
    several slots. `components` are 32-bit components counted from the start of `slot`; those of 64-bit
    vectors may go on into the next slot. `half` is 0 or 1 for the low or high 16 bits, None for whole
    components. `vertex` is the index of arrayed I/O (a value, or a constant of a deref). `form` is the
    lowering level of the access.
    """

    instr: IntrinsicInstr
    form: LoweringLevel
    is_output: bool
    is_store: bool
    slot: int
    num_slots: int
    components: tuple[int, ...]
    half: int | None
    is_indirect: bool
    vertex: Def | int | None = None

    @property
    def halves(self) -> frozenset[int]:
        """All storage that the access may touch."""
        parts = (0, 1) if self.half is None else (self.half,)
        return frozenset(
            (self.slot + element) * HALVES_OF_A_SLOT + component * 2 + part
            for element in range(self.num_slots)
            for component in self.components
            for part in parts
        )

    @property
    def slots(self) -> frozenset[int]:
        """All slots that the access may touch."""
        return frozenset(half // HALVES_OF_A_SLOT for half in self.halves)

    @property
    def is_per_primitive(self) -> bool:
        """Whether it accesses an output or input of a primitive, not of a vertex."""
        return "per_primitive" in self.instr.name

    @property
    def captured(self) -> frozenset[int]:
        """The components that transform feedback captures of a store."""
        found: set[int] = set()
        for index, first in (("io_xfb", 0), ("io_xfb2", 2)):
            captured = self.instr.indices.get(index)
            if not isinstance(captured, XfbOutputs):
                continue
            for component, count, _buffer, _offset in captured.outputs:
                # Older printers count the components of io_xfb2 from 0, newer ones from 2.
                start = component if component >= first else component + first
                found.update(range(start, start + count))
        return frozenset(found)

    def meets(self, other: IoAccess, consumer: Stage | None) -> bool:
        """Whether an output and an input (or two outputs) may touch the same storage.

        `consumer` is the stage that reads the outputs, see `slot_read_as`.
        """
        return not _storage(self, consumer).isdisjoint(_storage(other, consumer))


def io_access(instr: Instr, stage: Stage | None) -> IoAccess | None:
    """The input or output access of an instruction; None for anything else, and for unknown slots."""
    if not isinstance(instr, IntrinsicInstr):
        return None
    if instr.io_semantics is not None:
        return _slot_access(instr, instr.io_semantics)
    if instr.name in _DEREF_LOADS or instr.name == "store_deref":
        return _deref_access(instr, stage)
    found = backend_access(instr, stage)
    if found is None:
        return None
    return IoAccess(
        instr,
        LoweringLevel.BACKEND_IO,
        found.is_output,
        found.is_store,
        found.slot,
        found.num_slots,
        found.components,
        None,
        found.num_slots > 1,
    )


def io_accesses(shader: Shader) -> Iterator[IoAccess]:
    """All accesses of varyings and fragment outputs, in printed order; no vertex attributes."""
    for impl in shader.impls():
        for instr in impl.instrs():
            access = io_access(instr, shader.stage)
            if access is None or reads_attribute_in_tcs(access.instr.name, shader.stage):
                continue
            if shader.stage is not Stage.VERTEX or access.is_output:
                yield access


def slot_read_as(slot: int, consumer: Stage | None) -> int:
    """The slot of an input that reads an output slot: a fragment shader reads BFC0 as COL0, BFC1 as COL1."""
    return _FRONT_COLOR_OF.get(slot, slot) if consumer is Stage.FRAGMENT else slot


def constant_offset(instr: IntrinsicInstr) -> int | None:
    """The offset source of a slot intrinsic, which is its last; None if it is not constant."""
    if not instr.sources or instr.sources[-1].def_ is None:
        return None
    maker = instr.sources[-1].def_.instr
    return maker.values[0] if isinstance(maker, LoadConstInstr) and len(maker.values) == 1 else None


def _slot_access(instr: IntrinsicInstr, semantics: IoSemantics) -> IoAccess | None:
    is_output = "output" in instr.name
    if semantics.location < 0 or (not is_output and "input" not in instr.name):
        return None
    is_store = instr.name.startswith("store_")
    stored = instr.sources[0].def_ if instr.sources else None
    value = stored if is_store else instr.def_
    if value is None:
        return None
    lanes = _lanes(instr, value, is_store)
    num_slots = min(max(semantics.num_slots, 1), _MOST_SLOTS)
    offset = constant_offset(instr)
    if offset is not None and offset >= num_slots:
        offset = None  # outside of the range that the access declares
    vertex = None
    if (
        "per_vertex" in instr.name
        or "per_primitive_output" in instr.name
        or instr.name == "load_input_vertex"
    ):
        place = 1 if is_store else 0
        vertex = instr.sources[place].def_ if place < len(instr.sources) else None
    return IoAccess(
        instr,
        LoweringLevel.LOWERED_IO,
        is_output,
        is_store,
        semantics.location + (offset or 0),
        1 if offset is not None else num_slots,
        _components(instr.int_index("component"), lanes, value.bit_size),
        int(semantics.has("high_16bits")) if value.bit_size <= 16 else None,
        offset is None,
        vertex,
    )


def _deref_access(instr: IntrinsicInstr, stage: Stage | None) -> IoAccess | None:
    source = instr.sources[0].def_ if instr.sources else None
    deref = source.instr if source is not None else None
    if not isinstance(deref, DerefInstr) or deref.mode not in ("shader_in", "shader_out"):
        return None
    place = deref_place(stage, deref)
    if isinstance(place, str):
        return None
    is_store = instr.name == "store_deref"
    value = instr.sources[1].def_ if is_store and len(instr.sources) > 1 else instr.def_
    if value is None:
        return None
    lanes = _lanes(instr, value, is_store)
    return IoAccess(
        instr,
        LoweringLevel.VARIABLES,
        deref.mode == "shader_out",
        is_store,
        place.slot,
        place.num_slots,
        _components(place.component, lanes, value.bit_size),
        0 if value.bit_size == 16 else None,
        bool(place.dynamic),
        place.vertex,
    )


def _lanes(instr: IntrinsicInstr, value: Def, is_store: bool) -> list[int]:
    if not is_store:
        return list(range(value.num_components))
    return [lane for lane in range(instr.write_mask.bit_length()) if instr.write_mask >> lane & 1]


def _components(first: int, lanes: list[int], bit_size: int) -> tuple[int, ...]:
    if bit_size == 64:
        return tuple(first + lane * 2 + part for lane in lanes for part in (0, 1))
    return tuple(first + lane for lane in lanes)


def _storage(access: IoAccess, consumer: Stage | None) -> frozenset[int]:
    if not access.is_output or access.slot not in _FRONT_COLOR_OF:
        return access.halves
    moved = (slot_read_as(access.slot, consumer) - access.slot) * HALVES_OF_A_SLOT
    return frozenset(half + moved for half in access.halves)
