"""Input and output accesses of a pair of stages, and the storage that each touches.

Storage is counted in 16-bit halves of components, as in Mesa's pass: a vec4 slot has eight, and component c
has number `location * 8 + c * 2`, plus 1 for its high 16 bits. Unlike in Mesa's pass, vectors and 64-bit
values need not be lowered first: an access covers all the halves that it touches.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from enum import Enum

from nirls.ir.io.level import LoweringLevel, input_level, output_level
from nirls.ir.model.instructions import CallInstr, DerefInstr, IntrinsicInstr, LoadConstInstr
from nirls.ir.model.io_semantics import IoSemantics, XfbOutputs
from nirls.ir.model.shader import Shader
from nirls.ir.model.slots import parse_mask, reads_attribute_in_tcs
from nirls.ir.model.stage import Stage
from nirls.passes.varyings.rules import FRONT_COLOR_OF, PAIRS, may_remove, short_name

_HALVES = 8
_INPUT_LOADS = frozenset(
    {
        "load_input",
        "load_per_vertex_input",
        "load_per_primitive_input",
        "load_interpolated_input",
        "load_input_vertex",
    }
)
_OUTPUT_STORES = frozenset({"store_output", "store_per_vertex_output", "store_per_primitive_output"})
_OUTPUT_LOADS = frozenset({"load_output", "load_per_vertex_output", "load_per_primitive_output"})
_PAYLOAD = (
    "a task shader hands its mesh shaders a payload in memory, which is no varying: nothing of it is removed,"
    " moved or packed"
)
KNOWN_ACCESSES = _INPUT_LOADS | _OUTPUT_STORES | _OUTPUT_LOADS
"""The intrinsics whose varying accesses the passes support."""


class AccessKind(Enum):
    """Side of the interface and direction of an access."""

    STORE = "store"
    OUTPUT_LOAD = "output load"
    INPUT_LOAD = "input load"


@dataclass(eq=False, slots=True)
class VaryingAccess:
    """An access of a varying.

    `halves` are the storage numbers that it may touch, all elements of an indexed range included. An access
    with `removable` false counts as a reader or writer, but the pass does not change it.
    """

    instr: IntrinsicInstr
    kind: AccessKind
    location: int
    components: tuple[int, ...]
    halves: frozenset[int]
    indirect: bool
    removable: bool

    @property
    def semantics(self) -> IoSemantics:
        semantics = self.instr.io_semantics
        if semantics is None:
            raise ValueError("an access has I/O semantics")
        return semantics

    @property
    def name(self) -> str:
        """Name of the access: `VAR0.xy`, or `VAR3[].x` for an indexed range."""
        lanes = "".join("xyzw"[component & 3] for component in self.components)
        return f"{short_name(self.location)}{'[]' if self.indirect else ''}.{lanes}"

    @property
    def captured(self) -> bool:
        """Whether transform feedback captures a component written by the access."""
        captured: set[int] = set()
        for index, first in (("io_xfb", 0), ("io_xfb2", 2)):
            outputs = self.instr.indices.get(index)
            if isinstance(outputs, XfbOutputs):
                for component, count, _buffer, _offset in outputs.outputs:
                    # Older printers count io_xfb2's components from 0, newer ones from 2.
                    start = component if component >= first else component + first
                    captured.update(range(start, start + count))
        return not captured.isdisjoint(self.components)


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
    stores: list[VaryingAccess] = field(default_factory=list)
    output_loads: list[VaryingAccess] = field(default_factory=list)
    input_loads: list[VaryingAccess] = field(default_factory=list)
    complete_producer: bool = True
    complete_consumer: bool = True
    roots: dict[int, int] = field(default_factory=dict)

    def storage(self, accesses: Iterable[VaryingAccess]) -> set[int]:
        """Return the storage that the accesses may touch, each indexed range as one piece."""
        return {self._root(half) for access in accesses for half in access.halves}

    def touches(self, access: VaryingAccess, storage: set[int]) -> bool:
        return any(self._root(half) in storage for half in access.halves)

    def _root(self, half: int) -> int:
        while (above := self.roots.get(half, half)) != half:
            half = above
        return half

    def join_indexed_ranges(self) -> None:
        """Merge each indirectly indexed range, and all ranges that overlap it, into one piece of storage.

        As in Mesa's pass, a range is removed only if none of its elements is used.
        """
        for access in (*self.stores, *self.output_loads, *self.input_loads):
            if access.indirect:
                self._join_elements(access.halves)

    def _join_elements(self, halves: frozenset[int]) -> None:
        first: dict[int, int] = {}
        for half in sorted(halves):
            start = self._root(first.setdefault(half % _HALVES, half))
            root = self._root(half)
            if root != start:
                self.roots[max(root, start)] = min(root, start)


@dataclass(frozen=True, slots=True)
class Unlinkable:
    """Reason why a pair of shaders has no varyings to analyze: a stable `code` and a readable `message`."""

    code: str
    message: str
    shader: Shader | None = None


def link(producer: Shader, consumer: Shader) -> Linkage | Unlinkable:
    """Return the accesses between two shaders of successive stages, or why they cannot be analyzed."""
    if producer.stage is None or consumer.stage is None:
        return Unlinkable("stages", "no varyings between these stages")
    pair = producer.stage, consumer.stage
    if pair == (Stage.TASK, Stage.MESH):
        return Unlinkable("task-payload", _PAYLOAD)
    if pair not in PAIRS:
        return Unlinkable("stages", "no varyings between these stages")
    if _has_variable_io(producer, "shader_out"):
        return Unlinkable("io-variables", _still_variables(producer.stage, "outputs"), producer)
    if _has_variable_io(consumer, "shader_in"):
        return Unlinkable("io-variables", _still_variables(consumer.stage, "inputs"), consumer)
    if output_level(producer.source, _mask(producer, "outputs_written")) is LoweringLevel.BACKEND_IO:
        return Unlinkable("backend-io", _is_backend(producer.stage, "outputs"), producer)
    if (
        input_level(consumer.source, consumer.stage, _mask(consumer, "inputs_read"))
        is LoweringLevel.BACKEND_IO
    ):
        return Unlinkable("backend-io", _is_backend(consumer.stage, "inputs"), consumer)
    linkage = Linkage(producer, consumer, producer.stage, consumer.stage)
    _gather(linkage, producer, _OUTPUT_STORES, AccessKind.STORE, linkage.stores)
    _gather(linkage, producer, _OUTPUT_LOADS, AccessKind.OUTPUT_LOAD, linkage.output_loads)
    _gather(linkage, consumer, _INPUT_LOADS, AccessKind.INPUT_LOAD, linkage.input_loads)
    linkage.complete_producer = linkage.complete_producer and _is_whole(producer)
    linkage.complete_consumer = linkage.complete_consumer and _is_whole(consumer)
    linkage.join_indexed_ranges()
    return linkage


def intrinsics(shader: Shader) -> Iterator[IntrinsicInstr]:
    """Yield every intrinsic of a shader, in printed order."""
    for impl in shader.impls():
        for instr in impl.instrs():
            if isinstance(instr, IntrinsicInstr):
                yield instr


def _still_variables(stage: Stage, what: str) -> str:
    return f"the {what} of the {stage.abbreviation} are still variables (run lower_io first)"


def _is_backend(stage: Stage, what: str) -> str:
    return f"the {what} of the {stage.abbreviation} are lowered to backend I/O; use an earlier snapshot"


def _mask(shader: Shader, field_name: str) -> int:
    return parse_mask(shader.header_value(field_name) or "") or 0


def _has_variable_io(shader: Shader, mode: str) -> bool:
    for impl in shader.impls():
        for instr in impl.instrs():
            if isinstance(instr, DerefInstr) and mode in instr.mode.split("|"):
                return True
    return False


def _is_whole(shader: Shader) -> bool:
    if shader.unreadable or shader.entrypoint is None:
        return False
    return not any(
        isinstance(instr, CallInstr) and (instr.callee is None or instr.callee.impl is None)
        for impl in shader.impls()
        for instr in impl.instrs()
    )


def _gather(
    linkage: Linkage, shader: Shader, names: frozenset[str], kind: AccessKind, found: list[VaryingAccess]
) -> None:
    for instr in intrinsics(shader):
        if reads_attribute_in_tcs(instr.name, shader.stage):
            continue
        removable = instr.name in names
        if not removable and not _is_other_access(instr, kind):
            continue
        access = _access(linkage, instr, kind, removable)
        if access is not None:
            found.append(access)
        elif kind is AccessKind.INPUT_LOAD:
            linkage.complete_consumer = False
        else:
            linkage.complete_producer = False


def _is_other_access(instr: IntrinsicInstr, kind: AccessKind) -> bool:
    """Whether an unsupported intrinsic accesses varyings: it counts as an access, and is kept."""
    if instr.io_semantics is None or instr.name in _INPUT_LOADS | _OUTPUT_STORES | _OUTPUT_LOADS:
        return False
    if kind is AccessKind.INPUT_LOAD:
        return "input" in instr.name
    return "output" in instr.name and (instr.def_ is None) == (kind is AccessKind.STORE)


def _access(
    linkage: Linkage, instr: IntrinsicInstr, kind: AccessKind, removable: bool
) -> VaryingAccess | None:
    """Return the access of an intrinsic; None if the dump does not state what it accesses."""
    semantics = instr.io_semantics
    if semantics is None or semantics.location < 0:
        return None
    if kind is AccessKind.STORE:
        if not instr.sources or instr.sources[0].def_ is None:
            return None
        value = instr.sources[0].def_
        lanes = [lane for lane in range(value.num_components) if instr.write_mask >> lane & 1]
    else:
        if instr.def_ is None:
            return None
        value = instr.def_
        lanes = list(range(value.num_components))
    offset = _constant_offset(instr)
    indirect = offset is None
    location = semantics.location + (offset or 0)
    slot = location
    if kind is not AccessKind.INPUT_LOAD and linkage.consumer_stage is Stage.FRAGMENT:
        slot = FRONT_COLOR_OF.get(location, location)
    component = instr.int_index("component")
    one_element = frozenset(
        half
        for lane in lanes
        for half in _halves(slot, component, lane, value.bit_size, semantics.has("high_16bits"))
    )
    elements = max(semantics.num_slots, 1) if indirect else 1
    return VaryingAccess(
        instr,
        kind,
        location,
        tuple(sorted({component + lane * max(value.bit_size // 32, 1) for lane in lanes})),
        frozenset(half + element * _HALVES for half in one_element for element in range(elements)),
        indirect,
        removable and may_remove(linkage.producer_stage, linkage.consumer_stage, location),
    )


def _constant_offset(instr: IntrinsicInstr) -> int | None:
    """Return the offset in vec4 slots, which is the last source; None if it is not constant."""
    if not instr.sources or instr.sources[-1].def_ is None:
        return None
    maker = instr.sources[-1].def_.instr
    return maker.values[0] if isinstance(maker, LoadConstInstr) and len(maker.values) == 1 else None


def _halves(slot: int, component: int, lane: int, bit_size: int, high: bool) -> tuple[int, ...]:
    if bit_size == 64:
        first = slot * _HALVES + (component + lane * 2) * 2
        return tuple(range(first, first + 4))
    first = slot * _HALVES + (component + lane) * 2
    return (first + high,) if bit_size <= 16 else (first, first + 1)
