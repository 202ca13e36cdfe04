"""Effects of the barrier intrinsics of all Mesa releases: execution scope and memory ordering."""

from __future__ import annotations

from dataclasses import dataclass

from nirls.ir.effects.effects import BARRIER_CLASSES, memory_class
from nirls.ir.model.instructions import Instr, IntrinsicInstr
from nirls.ir.model.stage import Stage

_SCOPES = {
    "NONE": 0,
    "INVOCATION": 0,
    "SUBGROUP": 1,
    "SHADER_CALL": 2,
    "WORKGROUP": 2,
    "QUEUE_FAMILY": 3,
    "DEVICE": 4,
}
NOBODY, SUBGROUP, WORKGROUP, DEVICE = 0, 1, 2, 4
"""Scopes, narrow to wide; `NOBODY` is the single invocation."""

GROUP_CLASSES = frozenset(("shared", "shader_out", "task_payload"))
"""Memory private to one workgroup or patch, unless a driver has lowered its accesses to those of a buffer."""

MERGED_STAGES = frozenset((Stage.VERTEX, Stage.TESS_CTRL, Stage.TESS_EVAL, Stage.GEOMETRY))
"""Stages without shared memory of their own. Drivers merge two of them: the other one runs before the start
or behind the end of the shader, in the same workgroup and with the same shared memory."""

STARTING_STAGES = MERGED_STAGES | {Stage.TASK, Stage.MESH}
"""Stages by whose outputs invocations of later stages start, which may load what was stored before."""

ALL_CLASSES = frozenset(BARRIER_CLASSES.values())
OLD_FENCES = {
    "memory_barrier": (ALL_CLASSES, DEVICE),
    "group_memory_barrier": (ALL_CLASSES, WORKGROUP),
    "memory_barrier_atomic_counter": (frozenset(("buffer",)), DEVICE),
    "memory_barrier_buffer": (frozenset(("buffer",)), DEVICE),
    "memory_barrier_image": (frozenset(("image",)), DEVICE),
    "memory_barrier_shared": (frozenset(("shared",)), WORKGROUP),
    "memory_barrier_tcs_patch": (frozenset(("shader_out",)), WORKGROUP),
}
"""Memory classes and scope of the memory barriers of older releases; they release and acquire."""


@dataclass(frozen=True, slots=True)
class BarrierEffect:
    """The effect of a barrier.

    `waits` is the execution scope, `reaches` the memory scope, `classes` the memory classes that are released
    or acquired. `semantics` are the printed words, including Vulkan's availability operations.
    """

    waits: int
    classes: frozenset[str]
    reaches: int
    releases: bool
    acquires: bool
    semantics: frozenset[str] = frozenset()

    def orders(self, memory: str) -> bool:
        """Whether it orders accesses to a memory class.

        A pure execution barrier orders none, not even patch outputs: adjacent memory barriers do.
        """
        return memory in self.classes and (self.releases or self.acquires)

    def covers(self, other: BarrierEffect, memory: str, *, is_private: bool) -> bool:
        """Whether it orders a memory class at least as strongly as another barrier.

        Scopes wider than the workgroup have no additional effect on memory that is private to it.
        """
        if self.waits < other.waits:
            return False
        if not other.orders(memory):
            return True
        return (
            memory in self.classes
            and (self.reaches >= other.reaches or (is_private and self.reaches >= WORKGROUP))
            and self.releases >= other.releases
            and self.acquires >= other.acquires
            and (is_private or self.semantics >= other.semantics)
        )


SCOPED_BARRIERS = frozenset(("barrier", "scoped_barrier", "scoped_memory_barrier"))
"""Barriers with scopes in their indices, by their names in all releases; the last one waits for nobody."""


def barrier_effect(instr: Instr) -> BarrierEffect | None:
    """Return the effect of a barrier; None for other instructions, and for scopes of no known release.

    A barrier of an unknown scope is neither removed nor relied upon.
    """
    if not isinstance(instr, IntrinsicInstr):
        return None
    if instr.name in OLD_FENCES:
        classes, scope = OLD_FENCES[instr.name]
        return BarrierEffect(NOBODY, classes, scope, True, True, frozenset(("ACQ", "REL")))
    if instr.name == "control_barrier" or (instr.name == "barrier" and not instr.indices):
        return BarrierEffect(WORKGROUP, frozenset(), NOBODY, False, False)
    if instr.name not in SCOPED_BARRIERS:
        return None
    waits, reaches = _scope(instr, "execution_scope"), _scope(instr, "memory_scope")
    if waits is None or reaches is None:
        return None
    semantics, modes = (_words(instr.indices.get(name)) for name in ("memory_semantics", "memory_modes"))
    classes = frozenset(found for mode in modes if (found := memory_class(mode)) is not None)
    if any(memory_class(mode) is None and mode.startswith("mem_") for mode in modes):
        classes |= {"buffer"}
    return BarrierEffect(
        waits,
        classes,
        reaches,
        any(word.startswith("REL") for word in semantics),
        any(word.startswith("ACQ") for word in semantics),
        semantics - {"NONE", ""},
    )


def _scope(instr: IntrinsicInstr, name: str) -> int | None:
    text = str(instr.indices.get(name, "NONE"))
    return next((rank for word, rank in _SCOPES.items() if word in text), None)


def _words(index: object) -> frozenset[str]:
    words = map(str, index) if isinstance(index, tuple) else str(index or "").split("|")
    return frozenset(word.strip() for word in words)
