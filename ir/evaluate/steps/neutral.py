"""Instructions without a result: barriers (see `nirls.ir.evaluate.races`) and hints to drivers."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from nirls.ir.effects import memory_class
from nirls.ir.evaluate.compiler import Compiler
from nirls.ir.evaluate.launch import WORKGROUP_STAGES
from nirls.ir.evaluate.races import WATCHED_MODES, Fence
from nirls.ir.evaluate.state import State, Step
from nirls.ir.model.instructions import IntrinsicInstr
from nirls.ir.model.stage import Stage


def _nothing(compiler: Compiler, instr: IntrinsicInstr) -> Step | None:
    return None


_WIDER_THAN_A_SUBGROUP = ("WORKGROUP", "SHADER_CALL", "QUEUE_FAMILY", "DEVICE")


def _check_all_wait(state: State, name: str) -> None:
    """Check that all invocations of a group reach a barrier: anything else is undefined behaviour."""
    launch = state.launch
    if launch.stage is not Stage.TESS_CTRL and launch.stage not in WORKGROUP_STAGES:
        return
    reached = np.bincount(launch.group[state.active], minlength=launch.group_count)
    divergent = (reached != 0) & (reached != launch.group_size)
    if divergent.any():
        state.give_up(divergent[launch.group], f"{name} in divergent control flow")


def _order(waits: bool, whole_group: bool, fence: Fence | None, name: str) -> Step:
    def step(state: State) -> None:
        if waits and whole_group:
            _check_all_wait(state, name)
        if state.races is not None:
            state.races.barrier(state.active, waits=waits, whole_group=whole_group, fence=fence)

    return step


def _control_barrier(compiler: Compiler, instr: IntrinsicInstr) -> Step:
    """Execution barrier without memory ordering except for patch outputs; other barriers order memory."""
    return _order(True, True, None, instr.name)


def _barrier(compiler: Compiler, instr: IntrinsicInstr) -> Step | None:
    """Scoped barrier (Mesa: `nir_barrier`); the oldest forms have no scopes and only wait."""
    if "execution_scope" not in instr.indices:
        return _control_barrier(compiler, instr)
    waits_for, reaches = (
        str(instr.indices.get(name, "NONE")) for name in ("execution_scope", "memory_scope")
    )
    semantics, modes = (_words(instr.indices.get(name)) for name in ("memory_semantics", "memory_modes"))
    whole_group = any(word in waits_for for word in _WIDER_THAN_A_SUBGROUP)
    reaches_group = any(word in reaches for word in _WIDER_THAN_A_SUBGROUP)
    ordered = frozenset(filter(None, map(memory_class, modes)))
    fence = None
    if ordered and (reaches_group or "SUBGROUP" in reaches):
        fence = Fence(ordered, "REL" in semantics, "ACQ" in semantics, reaches_group)
    waits = whole_group or "SUBGROUP" in waits_for
    return _order(waits, whole_group, fence, instr.name) if waits or fence is not None else None


def _words(index: object) -> frozenset[str]:
    return frozenset(map(str, index)) if isinstance(index, tuple) else frozenset(str(index).split("|"))


def _memory_barrier(*modes: str) -> Callable[[Compiler, IntrinsicInstr], Step]:
    fence = Fence(frozenset(modes))
    return lambda compiler, instr: _order(False, True, fence, instr.name)


STEPS: dict[str, Callable[[Compiler, IntrinsicInstr], Step | None]] = {
    "barrier": _barrier,
    "scoped_barrier": _barrier,
    "control_barrier": _control_barrier,
    "memory_barrier": _memory_barrier(*WATCHED_MODES),
    "group_memory_barrier": _memory_barrier(*WATCHED_MODES),
    "memory_barrier_atomic_counter": _memory_barrier("buffer"),
    "memory_barrier_buffer": _memory_barrier("buffer"),
    "memory_barrier_image": _memory_barrier("image"),
    "memory_barrier_shared": _memory_barrier("shared"),
    "memory_barrier_tcs_patch": _memory_barrier("shader_out"),
    "begin_invocation_interlock": _nothing,
    "end_invocation_interlock": _nothing,
    "nop": _nothing,
}
