"""Accesses to memory shared between invocations, and their possible conflicts."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import islice
from typing import NamedTuple

from nirls.ir.effects import BARRIER_CLASSES, Access, MemoryModel, effects_of
from nirls.ir.effects.barriers import barrier_effect
from nirls.ir.io.access import IoAccess, io_access
from nirls.ir.model.access import CAN_REORDER
from nirls.ir.model.control_flow import CfNode, If, nodes_around
from nirls.ir.model.instructions import AluInstr, Instr, IntrinsicInstr, LoadConstInstr
from nirls.ir.model.stage import Stage
from nirls.ir.model.values import Def
from nirls.passes.cleanup.constants import read_constant

_OWN_NUMBER = frozenset(("load_invocation_id", "load_local_invocation_index"))
_DEEPEST = 64
"""Maximum number of enclosing ifs and loops that `only_invocation` visits."""

_OUTPUT_STAGES = frozenset((Stage.TESS_CTRL, Stage.MESH, Stage.TASK))

Places = frozenset[tuple[int, int]]
"""Slots with components of outputs."""

_MOST_INVOCATIONS = 32
"""Maximum size of an output patch (gl_MaxPatchVertices)."""
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


class AccessedOutputs(NamedTuple):
    """The outputs that an access may touch, and its invocations.

    `places` are the accessed outputs, None for any, moved by `shift` slots. `vertex` is the vertex index of a
    per-vertex output, None if unknown. `only` is the ID of the single invocation that executes the
    instruction, None if several may.
    """

    vertex: Affine | None
    places: Places | None
    shift: Affine
    only: int | None

    def by_vertex(self) -> dict[int | None, list[int]]:
        """Return the invocations that execute the access by the vertex that they access, None for any."""
        found: dict[int | None, list[int]] = {}
        for invocation in range(_MOST_INVOCATIONS) if self.only is None else (self.only,):
            vertex = None if self.vertex is None else self.vertex.at(invocation)
            found.setdefault(vertex, []).append(invocation)
        return found

    def of(self, invocation: int) -> Places | None:
        distance = self.shift.at(invocation)
        if self.places is None or not distance:
            return self.places
        return frozenset((slot + distance, component) for slot, component in self.places)


@dataclass(frozen=True, slots=True, eq=False)
class SharedAccess:
    """The accesses of an instruction to memory that other invocations may access too.

    `classes` are the memory classes of `accesses`. `synchronizes` is set for accesses through which
    invocations can synchronize without a barrier: atomics, coherent and volatile accesses, and unknown
    effects.
    """

    instr: Instr
    model: MemoryModel
    accesses: tuple[Access, ...]
    classes: frozenset[str]
    outputs: AccessedOutputs
    synchronizes: bool

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
        if self.outputs.only is not None and self.outputs.only == other.outputs.only:
            return False
        if not _may_overlap(self.outputs, other.outputs):
            return False
        return any(
            (access.writes or two.writes) and self.model.may_alias(access, two)
            for access in self.accesses
            for two in other.accesses
        )


@lru_cache(4096)
def _may_overlap(one: AccessedOutputs, two: AccessedOutputs) -> bool:
    """Whether two different invocations may access the same output component."""
    is_shifted = one.shift != _NO_SHIFT or two.shift != _NO_SHIFT
    if not is_shifted and not _overlap(one.places, two.places):
        return False
    return any(
        first != second and (not is_shifted or _overlap(one.of(first), two.of(second)))
        for vertex, firsts in one.by_vertex().items()
        for other_vertex, seconds in two.by_vertex().items()
        if vertex is None or other_vertex is None or vertex == other_vertex
        for first in firsts
        for second in seconds
    )


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
    is_output = classes == {"shader_out"} and len(accesses) == 1
    is_output = is_output and accesses[0].memories == {"output"}
    output = io_access(instr, stage) if is_output else None
    is_patch = stage is Stage.TESS_CTRL
    places, shift = (None, _NO_SHIFT) if output is None else _places(output, is_patch)
    vertex = None if output is None or not is_patch else _vertex(output.vertex)
    outputs = AccessedOutputs(vertex, places, shift, only_invocation(instr))
    synchronizes = effects.is_everything or any(access.synchronizes for access in accesses)
    return SharedAccess(instr, model, accesses, classes, outputs, synchronizes)


def _classes(access: Access, stage: Stage | None) -> frozenset[str]:
    found = {found for memory in access.memories if (found := BARRIER_CLASSES.get(memory)) is not None}
    if stage not in _OUTPUT_STAGES and not access.by_modes:
        found.discard("shader_out")
    # A control shader has no shared memory of its own: drivers keep its inputs and outputs there.
    if stage is Stage.TESS_CTRL and "shared" in found:
        found.add("shader_out")
    return frozenset(found)


def _places(output: IoAccess, is_patch: bool) -> tuple[Places, Affine]:
    """Return the places of an access, and how far an affine array index moves them."""
    sources = output.instr.sources if output.instr.io_semantics is not None else ()
    shift = affine(sources[-1].def_) if sources else None
    if not output.is_indirect or output.is_compact or not is_patch or shift is None:
        return output.places, _NO_SHIFT
    return replace(output, index=0).places, shift


def _vertex(index: Def | int | None) -> Affine | None:
    return affine(index) if isinstance(index, Def) else None if index is None else Affine(0, index)


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
    known = [operand for operand in operands if operand is not None]
    return _combined(maker.op, known[0], known[-1]) if len(known) == len(operands) else None


def _combined(op: str, one: Affine, two: Affine) -> Affine | None:
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


def only_invocation(instr: Instr) -> int | None:
    """Return the ID of the only invocation that can execute an instruction; None if unknown.

    Enclosing ifs that compare the invocation ID with a constant determine it.
    """
    child: CfNode | None = instr.block
    for node in islice(nodes_around(instr.block), _DEEPEST):
        if isinstance(node, If):
            number = asked_number(node.condition.def_)
            if number is not None and number[1] is (child in node.then_body):
                return number[0]
        child = node
    return None


def asked_number(condition: Def | None) -> tuple[int, bool] | None:
    """Return the constant that a condition compares the invocation ID with; True for `==`, False for `!=`."""
    maker = None if condition is None else condition.instr
    if not isinstance(maker, AluInstr) or maker.op not in ("ieq", "ine", "ieq32", "ine32"):
        return None
    for src, other in (maker.sources, maker.sources[::-1]):
        asked = src.def_instr
        if isinstance(asked, IntrinsicInstr) and asked.name in _OWN_NUMBER:
            constant = read_constant(other)
            return None if constant is None else (constant[0], maker.op.startswith("ieq"))
    return None


def _overlap(one: Places | None, two: Places | None) -> bool:
    return one is None or two is None or not one.isdisjoint(two)
