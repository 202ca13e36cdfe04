"""Scalar varyings between two stages: their accesses, and which steps may change them.

This is step 0 of the varying-linking design. A scalar slot is a half of a component: number `location * 8 +
component * 2`, plus 1 for the high 16 bits, as in `accesses`.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass, field, replace
from enum import Enum

from nirls.ir.finding import counted
from nirls.ir.io.access import HALVES_OF_A_SLOT, AccessKind, IoAccess, io_access
from nirls.ir.io.interpolation import (
    FragmentInputs,
    InputKind,
    Interpolation,
    Sampling,
    barycentric_of,
    is_at_a_point,
)
from nirls.ir.model.builder import Builder
from nirls.ir.model.control_flow import FunctionImpl
from nirls.ir.model.instructions import IntrinsicInstr, constant_of
from nirls.ir.model.shader import Shader
from nirls.ir.model.slots import varying_slot
from nirls.ir.model.stage import Stage
from nirls.ir.model.values import Def
from nirls.passes.varyings.accesses import (
    SUPPORTED_ACCESSES,
    Linkage,
    Unlinkable,
    feeds_fixed_hardware,
    link,
    name_of_half,
    semantics_of,
)
from nirls.passes.varyings.decisions import Fate, Journal, Step, StepObstacle
from nirls.passes.varyings.link_options import LinkOptions
from nirls.passes.varyings.rules import (
    PRIMITIVE_ID,
    TESS_LEVELS,
    TEXCOORDS,
    is_patch,
    may_remove,
)
from nirls.passes.varyings.uniform_variables import UniformVariables

HALVES = HALVES_OF_A_SLOT
VAR0 = varying_slot("VAR0")
FOGC = varying_slot("FOGC")
COLORS = frozenset((varying_slot("COL0"), varying_slot("COL1")))
BACK_COLORS = frozenset((varying_slot("BFC0"), varying_slot("BFC1")))
_RASTERIZED = frozenset(
    varying_slot(name)
    for name in ("LAYER", "VIEWPORT", "CLIP_DIST0", "CLIP_DIST1", "CULL_DIST0", "CULL_DIST1")
)
_NEVER_TOUCHED_FLAGS = frozenset(("perview", "fbfetch", "fb_fetch_output", "dualsrc", "per_view"))


class PackingGroup(Enum):
    """The way a varying is read, which decides which varyings may share a vec4 with it."""

    INTERPOLATED = "interpolated"
    SHADE_MODEL = "by shade model"
    FLAT = "flat"
    CONVERGENT = "convergent"
    EXPLICIT = "explicit"
    EXPLICIT_STRICT = "explicit, strict"
    PER_PRIMITIVE = "per primitive"
    CAPTURED_ONLY = "transform feedback only"
    CROSS_INVOCATION = "read across invocations"
    NO_VARYING = "no varying"


@dataclass(frozen=True, slots=True)
class Category:
    """A group, with the interpolation if the group has one."""

    group: PackingGroup
    interpolation: Interpolation | None = None
    bit_size: int = 32


@dataclass(frozen=True, slots=True)
class AllowedSteps:
    """The steps that may change a slot, besides the removal of dead varyings.

    `reason` says why the other steps may not.
    """

    propagate: bool = False
    deduplicate: bool = False
    move_code: bool = False
    pack: bool = False
    reason: str = field(default="", compare=False)


@dataclass(eq=False, slots=True)
class ScalarSlot:
    """One scalar varying: its accesses in printed order and its properties.

    `value` is the stored value if all stores store the same one. `category` is how it is read, None if
    unknown or if its loads contradict each other. `convergent` is set if all vertices of a primitive have
    the same value, `captured` if transform feedback reads it. A `blocked` slot takes part in no step but
    occupies its storage.
    """

    number: int
    bit_size: int
    stores: list[IntrinsicInstr] = field(default_factory=list)
    output_loads: list[IntrinsicInstr] = field(default_factory=list)
    input_loads: list[IntrinsicInstr] = field(default_factory=list)
    value: Def | None = None
    category: Category | None = None
    convergent: bool = False
    captured: bool = False
    blocked: bool = False
    allowed: AllowedSteps = AllowedSteps()

    @property
    def location(self) -> int:
        """The vec4 slot."""
        return self.number // HALVES

    @property
    def component(self) -> int:
        return self.number % HALVES // 2

    @property
    def name(self) -> str:
        """Name of the place: `VAR0.x`, `VAR0.x.hi`."""
        return name_of_half(self.number, self.bit_size)

    def forget_removed(self) -> None:
        """Drop removed accesses. An access may be removed along with another one that was its only reader."""
        self.stores = [store for store in self.stores if store.block is not None]
        self.output_loads = [load for load in self.output_loads if load.block is not None]
        self.input_loads = [load for load in self.input_loads if load.block is not None]

    @property
    def accesses(self) -> tuple[IntrinsicInstr, ...]:
        """All accesses of the slot."""
        return (*self.stores, *self.output_loads, *self.input_loads)

    @property
    def is_mediump(self) -> bool:
        """Whether every access allows the driver to send the varying in 16 bits."""
        return all(
            access.io_semantics is not None and access.io_semantics.has("mediump") for access in self.accesses
        )

    @property
    def is_patch(self) -> bool:
        """Whether the slot is per patch, by its location."""
        return is_patch(self.location)


@dataclass(slots=True)
class LinkProgress:
    """Progress of a run.

    `producer` and `consumer` are the progress that Mesa's pass reports: accesses removed, replaced or
    moved. `changed` holds the ids of all shaders whose text changed in any way (also slots or flags only).
    `journal` receives the decisions of the steps, if any.
    """

    producer: bool = False
    consumer: bool = False
    changed: set[int] = field(default_factory=set)
    journal: Journal | None = None

    def mark(self, shader: Shader) -> None:
        self.changed.add(id(shader))

    def on_producer(self, interface: Interface) -> None:
        self.producer = True
        self.mark(interface.producer)

    def on_consumer(self, interface: Interface) -> None:
        self.consumer = True
        self.mark(interface.consumer)


@dataclass(eq=False, slots=True)
class Interface:
    """All scalar varyings between a producer and a consumer, by number, and the other occupied storage.

    `occupied` are the halves that blocked accesses occupy. `occupied_as` maps vec4 slots among them to how
    the fragment shader reads them. `variables` are the uniforms of both shaders.
    """

    producer: Shader
    consumer: Shader
    producer_stage: Stage
    consumer_stage: Stage
    producer_impl: FunctionImpl
    consumer_impl: FunctionImpl
    options: LinkOptions
    progress: LinkProgress
    producer_builder: Builder
    consumer_builder: Builder
    slots: dict[int, ScalarSlot] = field(default_factory=dict)
    occupied: set[int] = field(default_factory=set)
    occupied_as: dict[int, Category] = field(default_factory=dict)
    variables: UniformVariables = field(init=False)

    def __post_init__(self) -> None:
        self.variables = UniformVariables(self.producer, self.consumer, self.options)

    @property
    def feeds_fragments(self) -> bool:
        """Whether the consumer is a fragment shader."""
        return self.consumer_stage is Stage.FRAGMENT

    def in_order(self) -> list[ScalarSlot]:
        """The slots by number, without those that have no accesses left."""
        return [
            slot
            for _, slot in sorted(self.slots.items())
            if slot.stores or slot.output_loads or slot.input_loads
        ]

    def obstruct(self, slot: ScalarSlot, obstacle: StepObstacle) -> None:
        """Record why a step leaves a slot as it is."""
        if self.progress.journal is not None:
            self.progress.journal.obstruct((slot.number,), obstacle)

    def origin(self, slot: ScalarSlot) -> str:
        """Return the name that a slot had before the run."""
        journal = self.progress.journal
        return slot.name if journal is None else journal.origin(slot.number, slot.bit_size)

    def affect(self, slot: ScalarSlot, step: Step, fate: Fate, message: str, *, gone: bool = True) -> None:
        """Record what a step did to a slot; see `Journal.affect`."""
        if self.progress.journal is not None:
            self.progress.journal.affect((slot.number,), step, fate, message, gone=gone)

    def is_color(self, slot: ScalarSlot) -> bool:
        """Whether fixed-function color state applies to a slot."""
        return self.feeds_fragments and slot.location in COLORS

    def is_texcoord(self, slot: ScalarSlot) -> bool:
        """Whether point sprites may replace the value of a slot."""
        return self.options.coordinate_replacement and self.feeds_fragments and slot.location in TEXCOORDS

    def feeds_fixed_hardware(self, store: IntrinsicInstr) -> bool:
        """Whether the rasterizer or tessellator reads a store."""
        access = io_access(store, self.producer.stage)
        return access is not None and feeds_fixed_hardware(access, self.consumer_stage)


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
_FIXED_FUNCTION = "fixed-function hardware sets or reads this slot, whether it is written or not"
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
            if not self._may_touch(access.slot):
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

    def _may_touch(self, location: int) -> bool:
        return may_remove(self.linkage.producer_stage, self.linkage.consumer_stage, location)

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


def identity_of(value: Def) -> Hashable:
    """Return a key that a value shares only with constants of the same bits, if it is one itself."""
    bits = constant_of(value)
    return value if bits is None else (value.bit_size, bits)


def dedup_qualifier(interface: Interface, slot: ScalarSlot) -> Hashable | None:
    """Return the key that two varyings must share for one to replace the other; None if none may."""
    if slot.is_patch:
        return "patch"
    category = slot.category
    if category is None:
        return None
    if not interface.feeds_fragments:
        return PackingGroup.FLAT
    if category.group in (PackingGroup.INTERPOLATED, PackingGroup.SHADE_MODEL):
        barycentrics = [barycentric_of(load) for load in slot.input_loads]
        if not interface.options.flexible_interpolation and all(
            barycentric is None or is_at_a_point(barycentric) for barycentric in barycentrics
        ):
            # The qualifier of the varying is unknown, because all its loads are evaluated at a point.
            return None
        interpolation = None if interface.options.flexible_interpolation else category.interpolation
        return (category.group, interface.is_color(slot), interpolation)
    return (category.group, interface.is_color(slot))


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
