"""Reading of the interface between two stages, with the steps that may change each scalar varying.

This is step 0 of the varying-linking design.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from nirls.ir.finding import counted
from nirls.ir.io.access import AccessKind, IoAccess
from nirls.ir.io.interpolation import FragmentInputs, InputKind, Interpolation, Sampling
from nirls.ir.model.builder import Builder
from nirls.ir.model.instructions import IntrinsicInstr
from nirls.ir.model.shader import Shader
from nirls.ir.model.slots import varying_slot
from nirls.ir.model.stage import Stage
from nirls.ir.model.values import Def
from nirls.passes.varyings.interface.accesses import (
    SUPPORTED_ACCESSES,
    Linkage,
    Unlinkable,
    link,
    semantics_of,
)
from nirls.passes.varyings.interface.decisions import Step, StepObstacle
from nirls.passes.varyings.interface.link_options import LinkOptions
from nirls.passes.varyings.interface.rules import PRIMITIVE_ID, TESS_LEVELS, TEXCOORDS, may_remove
from nirls.passes.varyings.interface.scalar_slots import (
    BACK_COLORS,
    COLORS,
    FOGC,
    HALVES,
    VAR0,
    AllowedSteps,
    Category,
    Interface,
    LinkProgress,
    PackingGroup,
    ScalarSlot,
    identity_of,
)

_RASTERIZED = frozenset(
    varying_slot(name)
    for name in ("LAYER", "VIEWPORT", "CLIP_DIST0", "CLIP_DIST1", "CULL_DIST0", "CULL_DIST1")
)
_NEVER_TOUCHED_FLAGS = frozenset(("perview", "fbfetch", "fb_fetch_output", "dualsrc", "per_view"))


def read_interface(
    producer: Shader, consumer: Shader, options: LinkOptions, progress: LinkProgress | None = None
) -> Interface | Unlinkable:
    """Return the scalar varyings between two successive stages, or why they cannot be optimized.

    Unlike the removal of dead varyings, the rest of the pass needs every access: a dump with unreadable
    lines, or with accesses of slots without a name, is not optimized.
    """
    linkage = link(producer, consumer)
    if isinstance(linkage, Unlinkable):
        return linkage
    for complete, shader in ((linkage.complete_producer, producer), (linkage.complete_consumer, consumer)):
        if not complete:
            return Unlinkable("incomplete", "not every access of a varying could be read", shader)
    producer_impl, consumer_impl = producer.entrypoint, consumer.entrypoint
    if producer_impl is None or consumer_impl is None:
        return Unlinkable("incomplete", "there is no entry point")
    interface = Interface(
        producer,
        consumer,
        linkage.producer_stage,
        linkage.consumer_stage,
        producer_impl,
        consumer_impl,
        options.for_pair(producer, consumer),
        LinkProgress() if progress is None else progress,
        Builder(producer_impl, producer_impl.start_block),
        Builder(consumer_impl, consumer_impl.start_block),
    )
    _Reader(interface, linkage).read()
    return interface


_EVERY_STEP = AllowedSteps(True, True, True, True)
_FIXED_FUNCTION = "fixed-function hardware uses this slot"
_COLOR_STATE = "the state of colors applies: clamping, two-sided selection, shade model"
_COORD_REPLACE = "point sprites may replace TEXn"


def allowed_steps(producer: Stage, consumer: Stage, location: int) -> AllowedSteps:
    """Return the steps that may change a vec4 slot between two stages (step 1 of the design)."""
    if consumer is Stage.FRAGMENT:
        if location >= VAR0 or location in (FOGC, PRIMITIVE_ID):
            return _EVERY_STEP
        if location in COLORS or location in BACK_COLORS:
            return AllowedSteps(propagate=True, deduplicate=True, pack=True, reason=_COLOR_STATE)
        if location in TEXCOORDS:
            return AllowedSteps(propagate=True, reason=_COORD_REPLACE)
        if location in _RASTERIZED:
            return AllowedSteps(propagate=True, deduplicate=True, reason="the rasterizer reads this slot")
        return AllowedSteps(reason="no step changes this slot before a fragment shader")
    if producer is Stage.TESS_CTRL and location in TESS_LEVELS:
        return AllowedSteps(propagate=True, deduplicate=True, reason="the tessellator reads this slot")
    return _EVERY_STEP


class _Reader:
    """Reader that fills an interface from the accesses of both stages."""

    def __init__(self, interface: Interface, linkage: Linkage) -> None:
        self.interface = interface
        self.linkage = linkage
        self.blocked_halves: set[int] = set()
        self.inputs = FragmentInputs(interface.consumer)

    def read(self) -> None:
        linkage = self.linkage
        for access in linkage.accesses():
            if not may_remove(self.linkage.producer_stage, self.linkage.consumer_stage, access.slot):
                self._obstruct(self.linkage.halves(access), "fixed-function", _FIXED_FUNCTION)
                continue
            unsupported = self._unsupported(access)
            if not unsupported:
                self._add(access)
            else:
                self._block(access)
                code = "indirect" if access.is_indirect else "unsupported-access"
                self._obstruct(self.linkage.halves(access), code, unsupported)
        slots = self.interface.slots
        for number, slot in slots.items():
            # A 32-bit value in both halves and a 16-bit one in the high half contradict each other.
            partner = slots.get(number + 1) if number % 2 == 0 else slots.get(number - 1)
            clash = partner is not None and 32 in (slot.bit_size, partner.bit_size)
            if slot.blocked or clash:
                self._obstruct((number,), "bit-sizes", "its accesses have different bit sizes")
            slot.blocked = slot.blocked or clash or number in self.blocked_halves
        for slot in slots.values():
            self._finish(slot)
        for access in linkage.accesses():
            if access.is_indirect:
                self._spread(access)

    def _spread(self, access: IoAccess) -> None:
        """Apply the category of any vec4 of an indexed range to all of them."""
        occupied_as = self.interface.occupied_as
        locations = sorted({half // HALVES for half in self.linkage.halves(access)})
        known = next((occupied_as[location] for location in locations if location in occupied_as), None)
        if known is not None:
            for location in locations:
                occupied_as.setdefault(location, known)

    def _obstruct(self, halves: Iterable[int], code: str, message: str) -> None:
        journal = self.interface.progress.journal
        if journal is not None:
            journal.obstruct(halves, StepObstacle(Step.ACCESS, code, message))

    def _unsupported(self, access: IoAccess) -> str:
        """Return why only dead-varying removal may change an access; "" if all steps may."""
        if access.is_indirect:
            return f"@{access.instr.name} accesses it with a variable index"
        if access.instr.name not in SUPPORTED_ACCESSES:
            return f"@{access.instr.name} is not supported"
        if len(access.lanes) != 1:
            return "it is accessed as a vector"
        semantics = semantics_of(access)
        flags = _NEVER_TOUCHED_FLAGS & set(semantics.flags)
        if flags:
            return f"its accesses have the flag {min(flags)}"
        if access.streams - {0}:
            return "it belongs to a vertex stream other than 0"
        if access.kind is AccessKind.OUTPUT_LOAD and self.linkage.producer_stage is not Stage.TESS_CTRL:
            return f"the {self.linkage.producer_stage.abbreviation} reads its own output"
        if access.instr.block is None or access.instr.reg_dest is not None:
            return "it is loaded into a register"
        if any(src.def_ is None for src in access.instr.srcs()):
            return "it is accessed through a register"
        value = _value(access)
        if value.num_components != 1 or value.bit_size not in (16, 32):
            return f"it has {value.bit_size} bits and {counted(value.num_components, 'component')}"
        return "" if self._is_in_entry_point(access) else "it is accessed outside of the entry point"

    def _is_in_entry_point(self, access: IoAccess) -> bool:
        shader, impl = self.interface.producer, self.interface.producer_impl
        if access.kind is AccessKind.INPUT_LOAD:
            shader, impl = self.interface.consumer, self.interface.consumer_impl
        return sum(1 for _ in shader.impls()) == 1 or access.instr.block in set(impl.blocks())

    def _block(self, access: IoAccess) -> None:
        interface = self.interface
        halves = {half & ~1 for half in self.linkage.halves(access)}
        self.blocked_halves |= halves | {half + 1 for half in halves}
        interface.occupied |= halves | {half + 1 for half in halves}
        if access.kind is AccessKind.INPUT_LOAD and interface.feeds_fragments:
            value = access.instr.def_
            category = self._read_as([access.instr], 32 if value is None else value.bit_size)
            for location in {half // HALVES for half in self.linkage.halves(access)}:
                if category is not None:
                    interface.occupied_as[location] = category

    def _add(self, access: IoAccess) -> None:
        number, bit_size = min(self.linkage.halves(access)), _value(access).bit_size
        slot = self.interface.slots.get(number)
        if slot is None:
            slot = self.interface.slots[number] = ScalarSlot(number, bit_size)
        if slot.bit_size != bit_size:
            slot.blocked = True
        if access.kind is AccessKind.STORE:
            slot.stores.append(access.instr)
            slot.captured = slot.captured or access.is_captured
        elif access.kind is AccessKind.OUTPUT_LOAD:
            slot.output_loads.append(access.instr)
        else:
            slot.input_loads.append(access.instr)

    def _finish(self, slot: ScalarSlot) -> None:
        interface = self.interface
        if slot.blocked:
            interface.occupied |= {slot.number & ~1, slot.number | 1}
            if interface.feeds_fragments and slot.input_loads:
                category = self._read_as(slot.input_loads, slot.bit_size)
                if category is not None:
                    interface.occupied_as.setdefault(slot.location, category)
            return
        slot.allowed = allowed_steps(interface.producer_stage, interface.consumer_stage, slot.location)
        if slot.location in TEXCOORDS and not interface.options.coordinate_replacement:
            slot.allowed = _EVERY_STEP
        slot.value = common_value(slot.stores)
        slot.category = self._category(slot)
        if slot.category is None:
            message = "its loads interpolate it in different ways"
            refusal = next(filter(None, map(self.inputs.refusal, slot.input_loads)), None)
            self._keep(slot, "mixed-interpolation", refusal or message)
            if interface.feeds_fragments:
                # Nothing may join a vec4 of unknown interpolation.
                interface.occupied.update(range(slot.location * HALVES, (slot.location + 1) * HALVES))
        elif any(map(self._is_smooth_by_declaration, slot.input_loads)):
            # In another place, another declaration would apply.
            interface.occupied_as.setdefault(slot.location, slot.category)
            message = "only the declaration of the input says how it is interpolated"
            self._keep(slot, "declared-interpolation", message)
        elif self.inputs.go_by_declarations:
            slot.allowed = replace(
                slot.allowed,
                pack=False,
                move_code=False,
                reason="only declarations say how the inputs are interpolated",
            )

    def _keep(self, slot: ScalarSlot, code: str, message: str) -> None:
        """Leave a slot as it is, for a reason."""
        self._obstruct((slot.number,), code, message)
        slot.blocked, slot.allowed = True, AllowedSteps()
        self.interface.occupied |= {slot.number & ~1, slot.number | 1}

    def _category(self, slot: ScalarSlot) -> Category | None:
        interface = self.interface
        if slot.stores and not slot.input_loads:
            if slot.output_loads:
                return Category(PackingGroup.NO_VARYING, None, slot.bit_size)
            return Category(PackingGroup.CAPTURED_ONLY, None, slot.bit_size)
        if not interface.feeds_fragments:
            crosses = interface.consumer_stage is Stage.TESS_CTRL and any(
                _reads_other_invocation(load) for load in slot.input_loads
            )
            return Category(
                PackingGroup.CROSS_INVOCATION if crosses else PackingGroup.FLAT, None, slot.bit_size
            )
        return self._read_as(slot.input_loads, slot.bit_size)

    def _read_as(self, loads: list[IntrinsicInstr], bit_size: int) -> Category | None:
        """Return how the fragment shader reads an input; None if its loads contradict each other."""
        groups: set[PackingGroup] = set()
        interpolations: set[Interpolation] = set()
        for load in loads:
            reading = self.inputs.reading(load)
            if reading is None:
                return None
            groups.add(self._group(load, reading.kind))
            if reading.interpolation is not None:
                interpolations.add(reading.interpolation)
        if groups == {PackingGroup.SHADE_MODEL, PackingGroup.INTERPOLATED}:
            groups = {PackingGroup.SHADE_MODEL}
        if len(groups) != 1:
            return None
        group = groups.pop()
        return Category(group, _qualifier(interpolations), bit_size)

    def _is_smooth_by_declaration(self, load: IntrinsicInstr) -> bool:
        reading = self.inputs.reading(load)
        return reading is not None and reading.declaration is not None and reading.interpolation is not None

    def _group(self, load: IntrinsicInstr, kind: InputKind) -> PackingGroup:
        semantics = load.io_semantics
        if (
            kind is InputKind.FLAT
            and self.linkage.producer_stage is Stage.MESH
            and semantics is not None
            and (semantics.location in _RASTERIZED or semantics.location == PRIMITIVE_ID)
            and semantics.location < VAR0
        ):
            # Per primitive in the mesh shader, although the fragment shader uses `load_input`.
            return PackingGroup.PER_PRIMITIVE
        return PackingGroup(kind.value)


def _qualifier(interpolations: set[Interpolation]) -> Interpolation | None:
    """Return the qualifier of an input that is read with all these qualifiers.

    `interpolateAtCentroid` may read an input that has another qualifier.
    """
    if not interpolations:
        return None
    others = [item for item in interpolations if item.sampling is not Sampling.CENTROID]
    return min(others or interpolations, key=lambda item: item.value)


def common_value(stores: list[IntrinsicInstr]) -> Def | None:
    """Return the value that all stores of a slot store, with equal constants as the same; else None."""
    values = [store.sources[0].ssa for store in stores]
    return values[0] if len(set(map(identity_of, values))) == 1 else None


def _value(access: IoAccess) -> Def:
    if access.kind is AccessKind.STORE:
        return access.instr.sources[0].ssa
    if access.instr.def_ is None:
        raise ValueError("a load makes a value")
    return access.instr.def_


def _reads_other_invocation(load: IntrinsicInstr) -> bool:
    if load.name != "load_per_vertex_input":
        return False
    maker = load.sources[0].ssa.instr
    return not (isinstance(maker, IntrinsicInstr) and maker.name == "load_invocation_id")
