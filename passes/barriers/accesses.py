"""Accesses to memory shared between invocations, and their possible conflicts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from nirls.ir.effects import BARRIER_CLASSES, Access, MemoryModel, effects_of
from nirls.ir.model.access import CAN_REORDER
from nirls.ir.model.control_flow import If, Loop
from nirls.ir.model.instructions import AluInstr, DerefInstr, Instr, IntrinsicInstr, LoadConstInstr
from nirls.ir.model.slots import varying_slot
from nirls.ir.model.stage import Stage
from nirls.ir.model.values import Def, Src
from nirls.passes.barriers.effects import barrier_effect

_OWN_NUMBER = frozenset(("load_invocation_id", "load_local_invocation_index"))
_DEEPEST = 64
"""Maximum number of enclosing ifs and loops that `only_invocation` visits."""

_OUTPUT_STAGES = frozenset((Stage.TESS_CTRL, Stage.MESH, Stage.TASK))

Slots = tuple[tuple[int, int], ...]
"""Half-open ranges of output components, numbered `4 * slot + component`."""

_MOST_INVOCATIONS = 32
"""Maximum size of an output patch (GL and Vulkan: gl_MaxPatchVertices is 32)."""
_MOST_STEPS = 16


class Affine(NamedTuple):
    """An index as a function of the invocation ID: `scale * id + offset`, in signed 32-bit arithmetic."""

    scale: int
    offset: int

    def at(self, invocation: int) -> int:
        """Return the index of an invocation."""
        bits = (self.scale * invocation + self.offset) & 0xFFFFFFFF
        return bits - (1 << 32) if bits >> 31 else bits


_NO_SHIFT = Affine(0, 0)


@dataclass(frozen=True, slots=True, eq=False)
class SharedAccess:
    """The accesses of an instruction to memory that other invocations may access too.

    `classes` are the memory classes of `accesses`. `slots` are the output components without the offset,
    None for any; `shift` is the offset in slots. `vertex` is the vertex index of a per-vertex output, None if
    unknown. `only` is the ID of the single invocation that executes the instruction, None if several may.
    `synchronizes` is set for accesses through which invocations can synchronize without a barrier: atomics,
    coherent and volatile accesses, and unknown effects.
    """

    instr: Instr
    model: MemoryModel
    accesses: tuple[Access, ...]
    classes: frozenset[str]
    slots: Slots | None = None
    shift: Affine = _NO_SHIFT
    vertex: Affine | None = None
    only: int | None = None
    synchronizes: bool = False

    @property
    def reads(self) -> bool:
        """Whether any of the accesses reads."""
        return any(access.reads for access in self.accesses)

    @property
    def writes(self) -> bool:
        """Whether any of the accesses writes."""
        return any(access.writes for access in self.accesses)

    def may_meet(self, other: SharedAccess) -> bool:
        """Whether the two may conflict: different invocations, the same location, at least one write."""
        if not self.classes & other.classes:
            return False
        if self.only is not None and self.only == other.only:
            return False
        if not _may_overlap(
            (self.vertex, self.slots, self.shift, self.only),
            (other.vertex, other.slots, other.shift, other.only),
        ):
            return False
        return any(
            (one.writes or two.writes) and self.model.may_alias(one, two)
            for one in self.accesses
            for two in other.accesses
        )


_Outputs = tuple[Affine | None, Slots | None, Affine, int | None]
"""Vertex index, slots, slot offset and only invocation of an access of outputs."""


@lru_cache(4096)
def _may_overlap(one: _Outputs, two: _Outputs) -> bool:
    """Whether two different invocations may access the same output component."""
    return any(
        first != second
        and _same_vertex(one[0], first, two[0], second)
        and _overlap(_slots_of(one, first), _slots_of(two, second))
        for first in _invocations(one)
        for second in _invocations(two)
    )


def _invocations(outputs: _Outputs) -> Iterable[int]:
    return range(_MOST_INVOCATIONS) if outputs[3] is None else (outputs[3],)


def _same_vertex(one: Affine | None, first: int, two: Affine | None, second: int) -> bool:
    return one is None or two is None or one.at(first) == two.at(second)


def _slots_of(outputs: _Outputs, invocation: int) -> Slots | None:
    _, slots, shift, _ = outputs
    distance = 4 * shift.at(invocation)
    return None if slots is None else tuple((start + distance, end + distance) for start, end in slots)


def shared_access(instr: Instr, stage: Stage | None, model: MemoryModel) -> SharedAccess | None:
    """Return the shared accesses of an instruction; None for a barrier or if there are none."""
    if barrier_effect(instr) is not None:
        return None
    if isinstance(instr, IntrinsicInstr) and instr.int_index("access") & CAN_REORDER:
        return None
    effects = effects_of(instr)
    accesses = tuple(access for access in effects.accesses if _classes(access, stage))
    if not accesses:
        return None
    classes = frozenset[str]().union(*(_classes(access, stage) for access in accesses))
    slots, shift, vertex = None, _NO_SHIFT, None
    if classes == {"shader_out"} and len(accesses) == 1 and accesses[0].memories == {"output"}:
        if isinstance(instr, IntrinsicInstr):
            slots, shift = _slots(instr, stage)
        if stage is Stage.TESS_CTRL:
            vertex = _vertex_of(accesses[0])
    return SharedAccess(
        instr,
        model,
        accesses,
        classes,
        slots,
        shift,
        vertex,
        only_invocation(instr),
        effects.is_everything or any(access.synchronizes for access in accesses),
    )


def _classes(access: Access, stage: Stage | None) -> frozenset[str]:
    found = {found for memory in access.memories if (found := BARRIER_CLASSES.get(memory)) is not None}
    if stage not in _OUTPUT_STAGES:
        found.discard("shader_out")
    return frozenset(found)


def _vertex_of(access: Access) -> Affine | None:
    """Return the vertex of a per-vertex output access; None if unknown, and for per-patch outputs."""
    if access.deref is not None:
        return _vertex_of_deref(access.deref)
    return None if access.resource is None else affine(access.resource.def_)


def _deref(src: Src) -> DerefInstr | None:
    maker = None if src.def_ is None else src.def_.instr
    return maker if isinstance(maker, DerefInstr) else None


def _path(deref: DerefInstr | None) -> list[DerefInstr]:
    """Return a deref chain, starting with the variable."""
    path: list[DerefInstr] = []
    while deref is not None:
        path.append(deref)
        deref = None if deref.parent is None else _deref(deref.parent)
    return path[::-1]


def _vertex_of_deref(deref: DerefInstr | None) -> Affine | None:
    path = _path(deref)
    if len(path) < 2 or path[0].var is None or "patch" in path[0].var.qualifiers:
        return None
    index = path[1]
    if index.deref_kind != "array":
        return None
    if index.const_index is not None:
        return Affine(0, index.const_index)
    return None if index.index is None else affine(index.index.def_)


def affine(value: Def | None, component: int = 0, steps: int = _MOST_STEPS) -> Affine | None:
    """Return a 32-bit value as an affine function of the invocation ID; None for others."""
    maker = None if value is None else value.instr
    if isinstance(maker, LoadConstInstr):
        return Affine(0, maker.values[component]) if component < len(maker.values) else None
    if isinstance(maker, IntrinsicInstr):
        return Affine(1, 0) if maker.name == "load_invocation_id" else None
    if not isinstance(maker, AluInstr) or not steps or value is None or value.bit_size != 32:
        return None
    if "sat" in maker.flags or any(src.negate or src.abs for src in maker.sources):
        return None
    if maker.op not in ("mov", "imov", "iadd", "isub", "imul", "ishl", "ineg"):
        return None
    operands = [affine(src.def_, src.swizzle[component], steps - 1) for src in maker.sources]
    return _combined(maker.op, [one for one in operands if one is not None], len(operands))


def _combined(op: str, operands: Sequence[Affine], count: int) -> Affine | None:
    if len(operands) < count:
        return None
    one, two = operands[0], operands[-1]
    match op:
        case "mov" | "imov":
            return one
        case "ineg":
            return Affine(-one.scale, -one.offset)
        case "iadd":
            return Affine(one.scale + two.scale, one.offset + two.offset)
        case "isub":
            return Affine(one.scale - two.scale, one.offset - two.offset)
        case "ishl" if not two.scale:
            return Affine(one.scale << (two.offset & 31), one.offset << (two.offset & 31))
        case "imul" if not one.scale or not two.scale:
            factor, other = (one.offset, two) if not one.scale else (two.offset, one)
            return Affine(factor * other.scale, factor * other.offset)
    return None


def _slots(instr: IntrinsicInstr, stage: Stage | None) -> tuple[Slots | None, Affine]:
    """Return the component ranges of an output access without offset, None if unknown, and the offset."""
    semantics = instr.io_semantics
    stores = instr.def_ is None
    value = instr.sources[0].def_ if stores and instr.sources else instr.def_
    if semantics is None or semantics.location < 0 or value is None or not instr.sources:
        return None, _NO_SHIFT
    shift = affine(instr.sources[-1].def_)
    if shift is None or (shift.scale and (stage is not Stage.TESS_CTRL or _is_level(semantics.location))):
        last = semantics.location + max(semantics.num_slots, 1)
        return ((semantics.location * 4, last * 4),), _NO_SHIFT
    width = 2 if value.bit_size == 64 else 1
    first = semantics.location * 4 + instr.int_index("component")
    lanes = [lane for lane in range(value.num_components) if not stores or instr.write_mask >> lane & 1]
    return tuple((first + lane * width, first + (lane + 1) * width) for lane in lanes), shift


def _is_level(location: int) -> bool:
    """Whether a slot is a tessellation level, whose variable offsets may be in components."""
    return location in (varying_slot("TESS_LEVEL_OUTER"), varying_slot("TESS_LEVEL_INNER"))


def only_invocation(instr: Instr) -> int | None:
    """Return the ID of the only invocation that can execute an instruction; None if unknown.

    Enclosing ifs that compare the invocation ID with a constant determine it.
    """
    child: object = instr.block
    at = None if instr.block is None else instr.block.parent
    for _ in range(_DEEPEST):
        if not isinstance(at, If | Loop):
            return None
        if isinstance(at, If):
            number = _asked_number(at.condition.def_)
            if number is not None and number[1] is (child in at.then_body):
                return number[0]
        child, at = at, at.parent
    return None


def _asked_number(condition: Def | None) -> tuple[int, bool] | None:
    """Return the constant that a condition compares the invocation ID with; True for `==`, False for `!=`."""
    maker = None if condition is None else condition.instr
    if not isinstance(maker, AluInstr) or maker.op not in ("ieq", "ine", "ieq32", "ine32"):
        return None
    for one, other in (maker.sources, maker.sources[::-1]):
        asked = None if one.def_ is None else one.def_.instr
        if isinstance(asked, IntrinsicInstr) and asked.name in _OWN_NUMBER:
            constant = _constant(other)
            return None if constant is None else (constant, maker.op.startswith("ieq"))
    return None


def _constant(src: Src) -> int | None:
    maker = None if src.def_ is None else src.def_.instr
    if not isinstance(maker, LoadConstInstr) or not maker.values:
        return None
    swizzle: Sequence[int] = getattr(src, "swizzle", (0,))
    lane = swizzle[0] if swizzle else 0
    return maker.values[lane] if lane < len(maker.values) else None


def _overlap(one: Slots | None, two: Slots | None) -> bool:
    if one is None or two is None:
        return True
    return any(first[0] < second[1] and second[0] < first[1] for first in one for second in two)
