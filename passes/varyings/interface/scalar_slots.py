"""Scalar varyings between two stages: their accesses, and which steps may change them.

`interface_reader` reads them. A scalar slot is a half of a component: number `location * 8 +
component * 2`, plus 1 for the high 16 bits, as in `accesses`.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field
from enum import Enum

from nirls.ir.io.access import HALVES_OF_A_SLOT, io_access
from nirls.ir.io.interpolation import Interpolation
from nirls.ir.model.builder import Builder
from nirls.ir.model.control_flow import FunctionImpl
from nirls.ir.model.instructions import IntrinsicInstr, constant_of
from nirls.ir.model.shader import Shader
from nirls.ir.model.slots import varying_slot
from nirls.ir.model.stage import Stage
from nirls.ir.model.values import Def
from nirls.passes.varyings.interface.accesses import feeds_fixed_hardware, name_of_half
from nirls.passes.varyings.interface.decisions import Fate, Journal, Step, StepObstacle
from nirls.passes.varyings.interface.link_options import LinkOptions
from nirls.passes.varyings.interface.rules import TEXCOORDS, is_patch
from nirls.passes.varyings.interface.uniform_variables import UniformVariables

HALVES = HALVES_OF_A_SLOT
VAR0 = varying_slot("VAR0")
FOGC = varying_slot("FOGC")
COLORS = frozenset((varying_slot("COL0"), varying_slot("COL1")))
BACK_COLORS = frozenset((varying_slot("BFC0"), varying_slot("BFC1")))


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


def identity_of(value: Def) -> Hashable:
    """Return a key that a value shares only with constants of the same bits, if it is one itself."""
    bits = constant_of(value)
    return value if bits is None else (value.bit_size, bits)
