"""Instructions without a result: barriers (see `storage.races`) and hints to drivers."""

from __future__ import annotations

import numpy as np

from nirls.ir.effects.barriers import OLD_FENCES, SCOPED_BARRIERS, SUBGROUP, WORKGROUP, barrier_effect
from nirls.ir.model.instructions import IntrinsicInstr
from nirls.verification.evaluate.state.compiler import Compiler, StepMaker, no_step
from nirls.verification.evaluate.state.state import State, Step
from nirls.verification.evaluate.storage.races import Fence


def _check_all_wait(state: State, name: str) -> None:
    """Check that all invocations of a group reach a barrier: anything else is undefined behaviour.

    Outside of workgroups and patches each invocation is a group of its own.
    """
    launch = state.launch
    reached = np.bincount(launch.group[state.masks.active], minlength=launch.group_count)
    divergent = (reached != 0) & (reached != launch.group_size)
    if divergent.any():
        state.masks.give_up(divergent[launch.group], f"{name} in divergent control flow")


def _barrier(compiler: Compiler, instr: IntrinsicInstr) -> Step:
    """Compile a barrier of any release. A `control_barrier` orders only patch outputs."""
    effect = barrier_effect(instr)
    if effect is None:
        return no_step(compiler, instr)
    waits, whole_group = effect.waits >= SUBGROUP, effect.waits >= WORKGROUP
    fence = None
    if effect.classes and effect.reaches >= SUBGROUP:
        fence = Fence(effect.classes, effect.releases, effect.acquires, effect.reaches >= WORKGROUP)
    if not waits and fence is None:
        return no_step(compiler, instr)

    def step(state: State) -> None:
        if whole_group:
            _check_all_wait(state, instr.name)
        if state.races is not None:
            state.races.barrier(state.masks.active, waits=waits, whole_group=whole_group, fence=fence)

    return step


STEPS: dict[str, StepMaker] = {
    **dict.fromkeys((*SCOPED_BARRIERS, "control_barrier", *OLD_FENCES), _barrier),
    "begin_invocation_interlock": no_step,
    "end_invocation_interlock": no_step,
    "nop": no_step,
}
