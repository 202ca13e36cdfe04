"""Input and output accesses between a pair of stages."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

from nirls.ir.analysis.analysis_cache import cached_analysis
from nirls.ir.io.access import (
    HALVES_OF_A_SLOT,
    INPUT_LOADS,
    AccessKind,
    IoAccess,
    io_access,
    is_system_value_input,
    kind_of_slot_access,
)
from nirls.ir.io.level import LoweringLevel, header_mask, level_of_inputs, level_of_outputs
from nirls.ir.io.view import IoView
from nirls.ir.model.instructions import CallInstr, DerefInstr, IntrinsicInstr
from nirls.ir.model.io_semantics import IoSemantics
from nirls.ir.model.shader import Shader
from nirls.ir.model.slots import reads_attribute_in_tcs
from nirls.ir.model.stage import Stage
from nirls.ir.validation import defect_of
from nirls.passes.varyings.interface.rules import PAIRS, is_system_value_output, may_remove, short_name

PAYLOAD = "task-payload"
"""The code of an `Unlinkable` pair that is linked by a payload, see `payload_accesses`."""
BACKEND_IO = "backend-io"
"""The code of an `Unlinkable` pair of which a side has its inputs or outputs in a form of the hardware."""

HALF_BITS = 16

SUPPORTED_ACCESSES = INPUT_LOADS | {
    *("store_output", "store_per_vertex_output", "store_per_primitive_output"),
    *("load_output", "load_per_vertex_output", "load_per_primitive_output"),
}
"""The intrinsics that the passes change; others count as readers and writers."""


def name_of_half(number: int, bit_size: int = 32) -> str:
    """Return the name of a scalar: `VAR0.x`, or `VAR0.x.hi` for a 16-bit one in a high half."""
    name = short_name(number // HALVES_OF_A_SLOT, number % HALVES_OF_A_SLOT // 2)
    if bit_size > HALF_BITS:
        return name
    return f"{name}.{'hi' if number % 2 else 'lo'}"


def semantics_of(access: IoAccess) -> IoSemantics:
    """Return the I/O semantics of a slot access."""
    semantics = access.instr.io_semantics
    if semantics is None:
        raise ValueError("a slot access has I/O semantics")
    return semantics


def feeds_fixed_hardware(store: IoAccess, consumer: Stage) -> bool:
    """Whether the rasterizer or tessellator in front of `consumer` reads a store."""
    semantics = store.instr.io_semantics
    if semantics is not None and semantics.has("no_sysval_output"):
        return False
    return is_system_value_output(store.slot, consumer)


def name_of(access: IoAccess) -> str:
    """Return the name of an access: `VAR0.xy`, or `VAR3[].x` for an indexed range."""
    width = max(access.bits // 32, 1)
    lanes = "".join("xyzw"[access.component + lane * width & 3] for lane in access.lanes)
    return f"{short_name(access.slot)}{'[]' if access.is_indirect else ''}.{lanes}"


class ScalarAccess(NamedTuple):
    """An access of one scalar as the journal records it; `is_upper` for the second half of a wider one."""

    number: int
    bit_size: int
    is_read: bool
    is_upper: bool = False


class Linked(Protocol):
    """The accesses between two stages, as the journal and the ledger see them."""

    @property
    def producer_stage(self) -> Stage: ...

    @property
    def consumer_stage(self) -> Stage: ...

    def scalars(self) -> Iterable[ScalarAccess]:
        """Return the scalars of all accesses."""
        ...

    def name_of(self, number: int, bit_size: int) -> str:
        """Return the name of a scalar."""
        ...


@dataclass(eq=False, slots=True)
class Linkage:
    """All accesses between a producer and its consumer, by kind.

    `complete_producer` is false if stores may be missing (an unreadable line, or an access of a slot
    without a name), so that no slot can be called unwritten; `complete_consumer` likewise for loads.
    `roots` is a union-find forest over the halves that an indexed range may alias.
    """

    producer: Shader
    consumer: Shader
    producer_stage: Stage
    consumer_stage: Stage
    stores: list[IoAccess] = field(default_factory=list)
    output_loads: list[IoAccess] = field(default_factory=list)
    input_loads: list[IoAccess] = field(default_factory=list)
    complete_producer: bool = True
    complete_consumer: bool = True
    roots: dict[int, int] = field(default_factory=dict)

    def accesses(self) -> Iterator[IoAccess]:
        """Yield all stores, then all output loads, then all input loads."""
        yield from self.stores
        yield from self.output_loads
        yield from self.input_loads

    def scalars(self) -> Iterator[ScalarAccess]:
        """Yield the halves of all accesses."""
        for access in self.accesses():
            is_wide = access.bits > HALF_BITS
            for half in self.halves(access):
                is_upper = is_wide and bool(half % 2)
                yield ScalarAccess(half, min(access.bits, 32), not access.is_output, is_upper)

    def name_of(self, number: int, bit_size: int) -> str:
        """Return the name of a scalar by its half."""
        return name_of_half(number, bit_size)

    def halves(self, access: IoAccess) -> frozenset[int]:
        """Return the storage that an access may touch, as the consumer names it."""
        return access.storage(self.consumer_stage)

    def may_change(self, access: IoAccess) -> bool:
        """Whether the passes may remove or replace an access; others count as readers or writers only."""
        return (
            access.instr.name in SUPPORTED_ACCESSES
            and (access.is_store or access.instr.def_ is not None)
            and may_remove(self.producer_stage, self.consumer_stage, access.slot)
        )

    def storage(self, accesses: Iterable[IoAccess]) -> set[int]:
        """Return the storage that the accesses may touch, each indexed range as one piece."""
        return {self._root(half) for access in accesses for half in self.halves(access)}

    def touches(self, access: IoAccess, storage: set[int]) -> bool:
        """Whether an access may touch storage returned by `storage`."""
        return any(self._root(half) in storage for half in self.halves(access))

    def _root(self, half: int) -> int:
        while (above := self.roots.get(half, half)) != half:
            half = above
        return half

    def join_indexed_ranges(self) -> None:
        """Merge each indirectly indexed range, and all ranges that overlap it, into one piece of storage.

        As in Mesa's pass, a range is removed only if none of its elements is used.
        """
        for access in self.accesses():
            if access.is_indirect:
                self._join_elements(self.halves(access))

    def _join_elements(self, halves: frozenset[int]) -> None:
        first: dict[int, int] = {}
        for half in sorted(halves):
            start = self._root(first.setdefault(half % HALVES_OF_A_SLOT, half))
            root = self._root(half)
            if root != start:
                self.roots[max(root, start)] = min(root, start)


@dataclass(frozen=True, slots=True)
class Unlinkable:
    """Reason why a pair of shaders has no varyings to analyze: a stable `code` and a readable `message`."""

    code: str
    message: str
    shader: Shader | None = None


@cached_analysis
def link(producer: Shader, consumer: Shader) -> Linkage | Unlinkable:
    """Return the accesses between two shaders of successive stages, or why they cannot be analyzed."""
    if producer.stage is None or consumer.stage is None:
        return Unlinkable("stages", "no varyings between these stages")
    pair = producer.stage, consumer.stage
    if pair == (Stage.TASK, Stage.MESH):
        return Unlinkable(PAYLOAD, "a task shader hands its mesh shaders a payload in memory, not varyings")
    if pair not in PAIRS:
        return Unlinkable("stages", "no varyings between these stages")
    if (invalid := obstacle_of_invalid(producer, consumer)) is not None:
        return invalid
    if has_variables(producer, "shader_out"):
        return Unlinkable("io-variables", _still_variables(producer.stage, "outputs"), producer)
    if has_variables(consumer, "shader_in"):
        return Unlinkable("io-variables", _still_variables(consumer.stage, "inputs"), consumer)
    if level_of_outputs(producer) is LoweringLevel.BACKEND_IO:
        return Unlinkable(BACKEND_IO, _is_backend(producer.stage, "outputs"), producer)
    if level_of_inputs(consumer) is LoweringLevel.BACKEND_IO:
        return Unlinkable(BACKEND_IO, _is_backend(consumer.stage, "inputs"), consumer)
    linkage = Linkage(producer, consumer, producer.stage, consumer.stage)
    outputs = {AccessKind.STORE: linkage.stores, AccessKind.OUTPUT_LOAD: linkage.output_loads}
    linkage.complete_producer = _gather(producer, outputs) and is_whole(producer)
    linkage.complete_consumer = _gather(consumer, {AccessKind.INPUT_LOAD: linkage.input_loads}) and is_whole(
        consumer
    )
    linkage.join_indexed_ranges()
    return linkage


def obstacle_of_invalid(*shaders: Shader) -> Unlinkable | None:
    """Return the obstacle of the first shader with an error, None if all are valid."""
    for shader in shaders:
        if defect := defect_of(shader):
            word = "shader" if shader.stage is None else shader.stage.abbreviation
            return Unlinkable("incomplete", f"the {word} has an error: {defect}", shader)
    return None


def read_accesses(first: IoView, second: IoView) -> Linkage:
    """Return the accesses whose slots are known, in any form; for views, not for passes.

    A side is complete if its accesses cover the slots that its header lists. Raises ValueError if a stage is
    unknown.
    """
    producer, consumer = first.shader, second.shader
    if producer.stage is None or consumer.stage is None:
        raise ValueError("a linked shader has a stage")
    linkage = Linkage(producer, consumer, producer.stage, consumer.stage)
    by_kind = {AccessKind.STORE: linkage.stores, AccessKind.OUTPUT_LOAD: linkage.output_loads}
    for access in first.accesses():
        if access.is_output:
            by_kind[access.kind].append(access)
    linkage.input_loads += (access for access in second.accesses() if not access.is_output)
    linkage.complete_producer = is_whole(producer) and _covers(
        linkage.stores, header_mask(producer, "outputs_written")
    )
    linkage.complete_consumer = is_whole(consumer) and _covers(
        linkage.input_loads, header_mask(consumer, "inputs_read")
    )
    linkage.join_indexed_ranges()
    return linkage


def _covers(accesses: Iterable[IoAccess], mask: int) -> bool:
    found = {slot for access in accesses for slot in access.slots}
    return all(slot in found for slot in range(mask.bit_length()) if mask >> slot & 1)


def intrinsics(shader: Shader) -> Iterator[IntrinsicInstr]:
    """Yield every intrinsic of a shader, in printed order."""
    for instr in shader.instrs():
        if isinstance(instr, IntrinsicInstr):
            yield instr


def _still_variables(stage: Stage, what: str) -> str:
    return f"the {what} of the {stage.abbreviation} are still variables (run lower_io first)"


def _is_backend(stage: Stage, what: str) -> str:
    return f"the {what} of the {stage.abbreviation} are lowered to backend I/O; use an earlier snapshot"


def has_variables(shader: Shader, mode: str) -> bool:
    """Whether a shader accesses variables of a mode."""
    return any(isinstance(instr, DerefInstr) and mode in instr.modes for instr in shader.instrs())


def is_whole(shader: Shader) -> bool:
    """Whether every instruction that an invocation may run is known."""
    if shader.unreadable or shader.entrypoint is None or defect_of(shader):
        return False
    return not any(
        isinstance(instr, CallInstr) and (instr.callee is None or instr.callee.impl is None)
        for instr in shader.instrs()
    )


def _gather(shader: Shader, found: dict[AccessKind, list[IoAccess]]) -> bool:
    """Collect the slot accesses of these kinds; return whether the slots of all of them are known."""
    complete = True
    for instr in intrinsics(shader):
        kind = kind_of_slot_access(instr)
        if is_system_value_input(instr, shader.stage):
            kind = AccessKind.INPUT_LOAD
        if kind is None or kind not in found or reads_attribute_in_tcs(instr.name, shader.stage):
            continue
        access = io_access(instr, shader.stage)
        if access is None:
            complete = False
        else:
            found[kind].append(access)
    return complete
