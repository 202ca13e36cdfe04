"""Accesses of the payload between a task shader and its mesh shaders, by byte.

The payload is memory that the invocations of a task workgroup share. Mesh workgroups read it as it is when
the task shader launches them; bytes that are not stored by then are undefined.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from nirls.ir.analysis.unsigned_bounds import UnsignedBounds
from nirls.ir.effects import Access, effects_of
from nirls.ir.model.access import VOLATILE
from nirls.ir.model.instructions import CallInstr, Instr, IntrinsicInstr
from nirls.ir.model.shader import Shader
from nirls.ir.model.stage import Stage
from nirls.ir.model.values import AluSrc, Def
from nirls.passes.varyings.interface.accesses import (
    BACKEND_IO,
    ScalarAccess,
    Unlinkable,
    has_variables,
    is_whole,
    obstacle_of_invalid,
)

STORE = "store_task_payload"
LOAD = "load_task_payload"
_LAUNCHES = ("launch_mesh_workgroups", "launch_mesh_workgroups_with_payload_deref")
_MEMORY = "task_payload"
_LARGEST = 1 << 14
"""Largest payload in bytes (Vulkan: `maxTaskPayloadSize` is 16384 or more, and drivers state that)."""

ANYWHERE = range(_LARGEST)
"""The reach of an access of which nothing is known."""


def is_payload_pair(producer: Shader, consumer: Shader) -> bool:
    """Whether two shaders are linked by a payload."""
    return producer.stage is Stage.TASK and consumer.stage is Stage.MESH


def name_of_bytes(where: range) -> str:
    """Return the name of some bytes: `payload[4..7]`, or `payload[4]` for one."""
    last = f"..{where.stop - 1}" if len(where) > 1 else ""
    return f"payload[{where.start}{last}]"


def overlap(one: range, other: range) -> bool:
    """Whether two ranges of bytes have a byte in common."""
    return one.start < other.stop and other.start < one.stop


@dataclass(frozen=True, slots=True, eq=False)
class PayloadAccess:
    """An access of the payload.

    `start` is the first byte of its first component, None unless constant. `reach` has all bytes that it may
    access. A pinned access (atomic or volatile) must stay. `obstacle` says why it is known only by its reach;
    "" for a plain access at a constant offset.
    """

    instr: IntrinsicInstr
    reads: bool
    writes: bool
    reach: range
    start: int | None = None
    obstacle: str = ""
    is_pinned: bool = False

    @property
    def value(self) -> Def | None:
        """The stored or loaded value."""
        return self.instr.sources[0].def_ if self.instr.name == STORE else self.instr.def_

    def pieces(self) -> Iterator[PayloadComponent]:
        """Yield the components of a plain access that it stores or loads."""
        value = self.value
        if value is None or self.start is None or self.obstacle:
            return
        size = value.bit_size // 8
        for lane in range(value.num_components):
            if not self.writes or self.instr.write_mask >> lane & 1:
                first = self.start + lane * size
                yield PayloadComponent(self, lane, range(first, first + size))


@dataclass(frozen=True, slots=True)
class PayloadComponent:
    """One component of a plain access, with its bytes."""

    access: PayloadAccess
    lane: int
    where: range

    @property
    def is_used(self) -> bool:
        """Whether the component of a load is used."""
        value = self.access.value
        if value is None:
            return False
        return any(
            not isinstance(src, AluSrc) or not src.swizzle or self.lane in src.swizzle for src in value.uses
        )


@dataclass(eq=False, slots=True)
class PayloadLinkage:
    """All accesses of a payload: of the task shader (`own`), and of the mesh shader (`loads`).

    `launches` are the instructions that launch the mesh shader. `partition` has the parts of the payload that
    decisions are recorded for; overlapping accesses are to one part.
    """

    task: Shader
    mesh: Shader
    own: list[PayloadAccess] = field(default_factory=list)
    loads: list[PayloadAccess] = field(default_factory=list)
    launches: list[IntrinsicInstr] = field(default_factory=list)
    partition: tuple[range, ...] = ()
    producer_stage = Stage.TASK
    consumer_stage = Stage.MESH

    def accesses(self) -> Iterator[PayloadAccess]:
        """Yield all accesses."""
        yield from self.own
        yield from self.loads

    def stores(self) -> Iterator[PayloadAccess]:
        """Yield the accesses that write."""
        return (access for access in self.own if access.writes)

    def written(self) -> set[int]:
        """Return all bytes that may be written."""
        return {byte for access in self.stores() for byte in _bytes(access)}

    def parts_in(self, where: range) -> list[range]:
        """Return the parts of the partition that some bytes belong to."""
        return [part for part in self.partition if overlap(part, where)]

    def scalars(self) -> Iterator[ScalarAccess]:
        """Yield for each access the parts of the partition that it may touch, as the journal numbers them."""
        for access in self.accesses():
            touched = _bytes(access)
            for part in self.partition:
                if not touched.isdisjoint(part):
                    is_read = access.reads and access in self.loads
                    yield ScalarAccess(part.start, 8 * len(part), is_read)

    def name_of(self, number: int, bit_size: int) -> str:
        """Return the name of a part of the partition."""
        return name_of_bytes(range(number, number + bit_size // 8))


def _bytes(access: PayloadAccess) -> set[int]:
    if access.start is None or access.obstacle:
        return set(access.reach)
    return {byte for piece in access.pieces() for byte in piece.where}


def bytes_accessed(instr: IntrinsicInstr) -> range | None:
    """Return the bytes of an access at a constant offset; None for other instructions."""
    if instr.name not in (STORE, LOAD):
        return None
    where = effects_of(instr).accesses[0].range
    if where is None or not where.is_constant:
        return None
    return range(where.start.constant, where.start.constant + where.size)


def parts_touched(accesses: Iterable[PayloadAccess]) -> tuple[range, ...]:
    """Return the bytes that accesses touch, divided where none of them crosses.

    Accesses that may be anywhere do not count.
    """
    pieces: list[range] = []
    for access in accesses:
        plain = [piece.where for piece in access.pieces()]
        pieces += plain or [access.reach] * (access.reach != ANYWHERE)
    parts: list[range] = []
    for piece in sorted(pieces, key=lambda piece: (piece.start, piece.stop)):
        if parts and piece.start < parts[-1].stop:
            parts[-1] = range(parts[-1].start, max(parts[-1].stop, piece.stop))
        else:
            parts.append(piece)
    return tuple(parts)


def link_payload(
    task: Shader, mesh: Shader, partition: tuple[range, ...] | None = None
) -> PayloadLinkage | Unlinkable:
    """Return the payload accesses of two stages, or why they cannot be analyzed.

    `partition` is that of an earlier state of the stages.
    """
    if (invalid := obstacle_of_invalid(task, mesh)) is not None:
        return invalid
    linkage = PayloadLinkage(task, mesh)
    for shader in (task, mesh):
        assert shader.stage is not None
        word = shader.stage.abbreviation
        if has_variables(shader, _MEMORY) or has_variables(shader, f"mem_{_MEMORY}"):
            return Unlinkable("io-variables", f"the payload of the {word} is still a variable", shader)
        if not is_whole(shader) or any(isinstance(instr, CallInstr) for instr in shader.instrs()):
            message = f"not every access of the payload in the {word} could be read"
            return Unlinkable("incomplete", message, shader)
        bounds = UnsignedBounds(shader)
        payload_accesses = linkage.own if shader is task else linkage.loads
        for instr in shader.instrs():
            if isinstance(instr, IntrinsicInstr) and instr.name in _LAUNCHES:
                linkage.launches.append(instr)
                if instr.int_index("base"):
                    return Unlinkable("payload-base", "the launched payload does not start at byte 0", task)
                continue
            effects = effects_of(instr)
            if effects.is_everything:
                return Unlinkable("unknown-effects", f"{_named(instr)} may access the payload", shader)
            for access in effects.accesses:
                if _MEMORY not in access.memories:
                    continue
                if not isinstance(instr, IntrinsicInstr) or not _is_by_offset(instr):
                    message = f"the payload of the {word} is lowered to {_named(instr)}"
                    return Unlinkable(BACKEND_IO, f"{message}; use an earlier snapshot", shader)
                payload_accesses.append(_access(instr, access, bounds))
    linkage.partition = parts_touched(linkage.accesses()) if partition is None else partition
    return linkage


def _is_by_offset(instr: IntrinsicInstr) -> bool:
    return instr.name in (STORE, LOAD) or instr.name.startswith(f"{_MEMORY}_atomic")


def _named(instr: Instr) -> str:
    return f"@{instr.name}" if isinstance(instr, IntrinsicInstr) else instr.kind


def _access(instr: IntrinsicInstr, access: Access, bounds: UnsignedBounds) -> PayloadAccess:
    obstacle = ""
    if access.is_atomic:
        obstacle = f"@{instr.name} accesses it"
    elif access.flags & VOLATILE:
        obstacle = "an access of it is volatile"
    start = None if access.range is None or not access.range.is_constant else access.range.start.constant
    value = instr.sources[0].def_ if instr.name == STORE else instr.def_
    if start is None and not obstacle:
        verb = "written" if access.writes else "read"
        obstacle = f"it may be {verb} at an offset that is not constant"
    elif not obstacle and (value is None or value.bit_size % 8):
        obstacle = "an access of it uses a register"
    is_pinned = access.is_atomic or bool(access.flags & VOLATILE)
    return PayloadAccess(
        instr, access.reads, access.writes, _reach(access, bounds), start, obstacle, is_pinned
    )


def _reach(access: Access, bounds: UnsignedBounds) -> range:
    if access.range is None:
        return ANYWHERE
    first = access.range.start.constant
    last = first
    for value, factor in access.range.start.factors.items():
        if not isinstance(value, Def) or factor < 0:
            return ANYWHERE
        last += factor * bounds.of(value)[1]
    return range(first, min(last + access.range.size, _LARGEST)) if last < _LARGEST else ANYWHERE
