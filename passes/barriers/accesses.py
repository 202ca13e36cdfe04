"""Accesses to memory shared between invocations, and their possible conflicts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from nirls.ir.effects import BARRIER_CLASSES, Access, MemoryModel, effects_of
from nirls.ir.io.access import io_access
from nirls.ir.model.access import CAN_REORDER
from nirls.ir.model.control_flow import If, Loop
from nirls.ir.model.instructions import AluInstr, Instr, IntrinsicInstr, LoadConstInstr
from nirls.ir.model.stage import Stage
from nirls.ir.model.values import Def, Src
from nirls.passes.barriers.effects import barrier_effect

_OWN_NUMBER = frozenset(("load_invocation_id", "load_local_invocation_index"))
_DEEPEST = 64
"""Maximum number of enclosing ifs and loops that `only_invocation` visits."""

_OUTPUT_STAGES = frozenset((Stage.TESS_CTRL, Stage.MESH, Stage.TASK))


@dataclass(frozen=True, slots=True, eq=False)
class SharedAccess:
    """The accesses of an instruction to memory that other invocations may access too.

    `classes` are the memory classes of `accesses`. `places` are the slots with components of outputs, None
    for any. `vertex` is the vertex index of a per-vertex output: a number, "own" for the invocation's own
    vertex, None if unknown. `only` is the ID of the single invocation that executes the instruction, None
    if several may. `synchronizes` is set for accesses through which invocations can synchronize without a
    barrier: atomics, coherent and volatile accesses, and unknown effects.
    """

    instr: Instr
    model: MemoryModel
    accesses: tuple[Access, ...]
    classes: frozenset[str]
    places: frozenset[tuple[int, int]] | None = None
    vertex: int | str | None = None
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
        if self.vertex is not None and other.vertex is not None:
            if self._own_vertex and other._own_vertex:
                return False
            if isinstance(self.vertex, int) and isinstance(other.vertex, int) and self.vertex != other.vertex:
                return False
        return any(
            (one.writes or two.writes)
            and self.model.may_alias(one, two)
            and (not {"output"} == one.memories == two.memories or _overlap(self.places, other.places))
            for one in self.accesses
            for two in other.accesses
        )

    @property
    def _own_vertex(self) -> bool:
        return self.vertex == "own" or (self.only is not None and self.vertex == self.only)


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
    output = io_access(instr, stage) if is_output else None
    return SharedAccess(
        instr,
        model,
        accesses,
        classes,
        None if output is None else output.places,
        None if output is None or stage is not Stage.TESS_CTRL else _vertex(output.vertex),
        only_invocation(instr),
        effects.is_everything or any(access.synchronizes for access in accesses),
    )


def _classes(access: Access, stage: Stage | None) -> frozenset[str]:
    found = {found for memory in access.memories if (found := BARRIER_CLASSES.get(memory)) is not None}
    if stage not in _OUTPUT_STAGES:
        found.discard("shader_out")
    return frozenset(found)


def _vertex(index: Def | int | None) -> int | str | None:
    """Return the vertex of an output access: its number, "own", or None for unknown and per-patch ones."""
    if not isinstance(index, Def):
        return index
    maker = index.instr
    if isinstance(maker, LoadConstInstr) and maker.values:
        return maker.values[0]
    return "own" if isinstance(maker, IntrinsicInstr) and maker.name == "load_invocation_id" else None


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


def _overlap(one: frozenset[tuple[int, int]] | None, two: frozenset[tuple[int, int]] | None) -> bool:
    return one is None or two is None or not one.isdisjoint(two)
