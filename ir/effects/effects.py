"""Effects of one instruction: its row, applied to sources, indices and access flags."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache

from nirls.ir.effects.formula import Formula, Linear
from nirls.ir.effects.rows import (
    EVERYTHING,
    MEMORIES,
    AccessRow,
    EffectRow,
    Exchange,
    row_of_intrinsic,
    row_of_texture,
)
from nirls.ir.model.access import COHERENT, VOLATILE
from nirls.ir.model.instructions import (
    AluInstr,
    CallInstr,
    DerefInstr,
    Instr,
    IntrinsicInstr,
    LoadConstInstr,
    TexInstr,
)
from nirls.ir.model.values import Def, Register, Src

ALL_MEMORIES = frozenset(MEMORIES)

_MEMORY_OF_MODE = {
    "shader_in": "input",
    "shader_out": "output",
    "shader_temp": "register",
    "function_temp": "register",
    "shader_storage": "ssbo",
    "push_constant": "push_const",
    "system": "uniform",
    "shader_call_data": "ray",
    "ray_hit_attrib": "ray",
    "payload": "task_payload",
    "payload_in": "task_payload",
}
BARRIER_CLASSES: Mapping[str, str] = {
    "ssbo": "buffer",
    "global": "buffer",
    "counter": "buffer",
    "gds": "buffer",
    "image": "image",
    "shared": "shared",
    "output": "shader_out",
    "task_payload": "task_payload",
}
"""The class of memory that barriers order, by memory; other memory is private or never written."""

DERIVATIVE_OPCODES = frozenset(
    f"fdd{axis}{kind}" for axis in "xy" for kind in ("", "_coarse", "_fine", "_must_abs_mali")
)
"""Derivatives that were ALU opcodes until 2024."""


@dataclass(frozen=True, slots=True)
class ByteRange:
    """Bytes `start` to `start + size` of a resource; `start` is a constant plus multiples of values."""

    start: Linear
    size: int

    def overlaps(self, other: ByteRange) -> bool:
        """Whether two ranges may overlap, given equal values in both."""
        if dict(self.start.factors) != dict(other.start.factors):
            return True
        first, second = self.start.constant, other.start.constant
        return first < second + other.size and second < first + self.size

    @property
    def is_constant(self) -> bool:
        """Whether the range is the same for all invocations."""
        return not self.start.factors


@dataclass(frozen=True, slots=True, eq=False)
class Access:
    """An access of memory.

    The access is to one of `memories`. `resource` is the source with the buffer, image or vertex index,
    `deref` the accessed deref. `range` is None for unknown bytes. With `per_subgroup`, the range is that of a
    whole subgroup. With `by_modes`, the memory is given by the index `memory_modes`, through a descriptor.
    """

    memories: frozenset[str]
    reads: bool
    writes: bool
    is_atomic: bool = False
    resource: Src | None = None
    deref: DerefInstr | None = None
    range: ByteRange | None = None
    per_subgroup: bool = False
    by_modes: bool = False
    flags: int = 0

    @property
    def synchronizes(self) -> bool:
        """Whether another invocation can synchronize with it without a barrier."""
        return self.is_atomic or bool(self.flags & (VOLATILE | COHERENT))


@dataclass(frozen=True, slots=True, eq=False)
class Effects:
    """Effects of an instruction; `words` and `exchange` are those of its row."""

    accesses: tuple[Access, ...] = ()
    exchange: Exchange = ""
    words: frozenset[str] = frozenset()
    is_everything: bool = False

    def touches(self, memory: str) -> bool:
        """Whether it may access a memory."""
        return any(memory in access.memories for access in self.accesses)

    def reads(self, memories: frozenset[str] = ALL_MEMORIES) -> bool:
        """Whether it may read one of these memories."""
        return any(access.reads and not memories.isdisjoint(access.memories) for access in self.accesses)

    def writes(self, memories: frozenset[str] = ALL_MEMORIES) -> bool:
        """Whether it may write one of these memories."""
        return any(access.writes and not memories.isdisjoint(access.memories) for access in self.accesses)

    @property
    def is_atomic(self) -> bool:
        """Whether one of the accesses is atomic."""
        return any(access.is_atomic for access in self.accesses)

    @property
    def is_barrier(self) -> bool:
        """Whether it is a barrier and nothing else."""
        return "barrier" in self.words and not self.is_everything

    @property
    def crosses_lanes(self) -> bool:
        """Whether it reads values of other invocations of the quad or subgroup."""
        return self.exchange in ("quad", "subgroup")

    @property
    def needs_helpers(self) -> bool:
        """Whether helper invocations take part."""
        return "helpers" in self.words


_NOTHING = Effects()
_QUAD = Effects((), "quad", frozenset(("helpers",)))


def effects_of(instr: Instr) -> Effects:
    """Return the effects of an instruction, other than reading sources and writing its def."""
    match instr:
        case IntrinsicInstr():
            everywhere = _effects_everywhere(instr.name, instr.int_index("access"))
            return everywhere or _of_row(row_of_intrinsic(instr.name), instr)
        case TexInstr():
            row = row_of_texture(instr.op)
            if "implicit lod" in instr.flags and not row.is_everything:
                row = EffectRow(row.accesses, "quad", row.words | {"helpers"})
            return _of_row(row, instr)
        case AluInstr() if instr.op in DERIVATIVE_OPCODES:
            return _QUAD
        case CallInstr():
            return _of_row(EVERYTHING, instr)
    return _NOTHING


@lru_cache(4096)
def _effects_everywhere(name: str, access: int) -> Effects | None:
    """Return the effects of an intrinsic whose row names no resource, bytes or modes; None for others."""
    row = row_of_intrinsic(name)
    if any(
        access.resource is not None or access.start is not None or access.memory == "modes"
        for access in row.accesses
    ):
        return None
    return _of_row(row, IntrinsicInstr(name, (), {"access": access}))


def _of_row(row: EffectRow, instr: Instr) -> Effects:
    if not row.accesses and not row.words and not row.exchange:
        return _NOTHING
    accesses = tuple(_access(access, row, instr) for access in row.accesses)
    return Effects(accesses, row.exchange, row.words, row.is_everything)


def _access(row: AccessRow, effects: EffectRow, instr: Instr) -> Access:
    sources: Sequence[Src] = instr.sources if isinstance(instr, IntrinsicInstr) else ()
    flags = instr.int_index("access") if isinstance(instr, IntrinsicInstr) else 0
    resource = None
    if row.resource is not None and row.resource < len(sources):
        resource = sources[row.resource]
    memories, deref = frozenset((row.memory,)), None
    if row.memory == "deref":
        deref = _deref(resource)
        memories = memories_of_modes(() if deref is None else deref.modes)
    elif row.memory == "modes":
        modes = instr.indices.get("memory_modes") if isinstance(instr, IntrinsicInstr) else None
        memories = memories_of_modes(modes if isinstance(modes, tuple) else ())
    elif row.memory == "image":
        deref = _deref(resource)
    return Access(
        memories,
        row.kind != "write",
        row.kind != "read",
        row.kind == "atomic",
        resource,
        deref,
        _range(row, instr) if isinstance(instr, IntrinsicInstr) else None,
        "per-subgroup" in effects.words,
        row.memory == "modes",
        flags,
    )


def memory_of_mode(mode: str) -> str:
    """Return the memory of a printed variable mode; unknown words are returned unchanged."""
    word = mode.strip().removeprefix("mem_").removeprefix("node_")
    return _MEMORY_OF_MODE.get(word, word)


@cache
def memory_class(mode: str) -> str | None:
    """Return the memory class of a printed variable mode, as in barriers; None for private memory."""
    return BARRIER_CLASSES.get(memory_of_mode(mode))


def memories_of_modes(modes: Collection[str]) -> frozenset[str]:
    """Return the memories of printed variable modes; all if there are none or one is unknown."""
    found = set()
    for mode in modes:
        memory = memory_of_mode(mode)
        if memory not in ALL_MEMORIES:
            return ALL_MEMORIES
        found.add(memory)
    return frozenset(found) or ALL_MEMORIES


def _deref(src: Src | None) -> DerefInstr | None:
    maker = None if src is None else src.def_instr
    return maker if isinstance(maker, DerefInstr) else None


def _range(row: AccessRow, instr: IntrinsicInstr) -> ByteRange | None:
    start, size = start_of(row, instr), _evaluate(row.size, row, instr)
    if start is None or size is None or size.factors:
        return None
    total = Linear(start.constant)
    for src, factor in start.factors.items():
        assert isinstance(src, Src)
        value = linear_of(src)
        scaled = None if value is None else value.times(Linear(factor))
        if scaled is None:
            return None
        total = total.plus(scaled)
    return ByteRange(total, size.constant)


def start_of(row: AccessRow, instr: IntrinsicInstr) -> Linear | None:
    """Return the first byte of an access as a linear form of its sources; None if the row has none."""
    return _evaluate(row.start, row, instr)


def _evaluate(formula: Formula | None, row: AccessRow, instr: IntrinsicInstr) -> Linear | None:
    if formula is None:
        return None
    value = accessed_value(row, instr)

    def resolve(name: str) -> Linear | None:
        if name in ("bytes", "width"):
            if value is None:
                return None
            count = min(instr.write_mask.bit_length(), value.num_components) if name == "width" else 1
            return Linear(max(value.bit_size // 8, 1) * count)
        if name[0] == "s" and name[1:].isdecimal():
            position = int(name[1:])
            return Linear(0, {instr.sources[position]: 1}) if position < len(instr.sources) else None
        found = instr.indices.get(name)
        return Linear(1 if found == "true" else found if isinstance(found, int) else 0)

    return formula.evaluate(resolve)


def accessed_value(row: AccessRow, instr: IntrinsicInstr) -> Def | Register | None:
    """Return the loaded or stored value: the def, or the first source of a store."""
    if row.kind != "write":
        made = instr.def_ if instr.reg_dest is None else instr.reg_dest.reg
        if made is not None:
            return made
    if not instr.sources:
        return None
    return instr.sources[0].def_ or instr.sources[0].reg


def linear_of(src: Src) -> Linear | None:
    """Return a scalar source as a constant or a single value; None for a register.

    Sums are not decomposed, because a 32-bit addition may wrap.
    """
    value = src.def_
    if value is None:
        return None
    maker = value.instr
    if isinstance(maker, LoadConstInstr) and maker.values:
        return Linear(maker.values[0])
    return Linear(0, {value: 1})
