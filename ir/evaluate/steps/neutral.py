"""Instructions that change nothing: barriers (lanes run in lock step), and what only drivers look at."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from nirls.ir.evaluate.errors import DivergentBarrier
from nirls.ir.evaluate.launch import WORKGROUP_STAGES
from nirls.ir.evaluate.state import State, Step
from nirls.ir.instructions import IntrinsicInstr
from nirls.ir.stage import Stage

if TYPE_CHECKING:
    from nirls.ir.evaluate.program import Compiler


def _nothing(compiler: Compiler, instr: IntrinsicInstr) -> Step | None:
    return None


def _execution_barrier(compiler: Compiler, instr: IntrinsicInstr) -> Step | None:
    name = instr.name

    def step(state: State) -> None:
        launch = state.launch
        if launch.stage is not Stage.TESS_CTRL and launch.stage not in WORKGROUP_STAGES:
            return
        reached = np.bincount(launch.group[state.active], minlength=launch.group_count)
        if ((reached != 0) & (reached != launch.group_size)).any():
            raise DivergentBarrier(name)
        state.barriers += 1

    return step


def _barrier(compiler: Compiler, instr: IntrinsicInstr) -> Step | None:
    scope = str(instr.indices.get("execution_scope", "NONE"))
    return _execution_barrier(compiler, instr) if "WORKGROUP" in scope else None


_WITHOUT_EFFECT = (
    "memory_barrier",
    "memory_barrier_atomic_counter",
    "memory_barrier_buffer",
    "memory_barrier_image",
    "memory_barrier_shared",
    "memory_barrier_tcs_patch",
    "group_memory_barrier",
    "begin_invocation_interlock",
    "end_invocation_interlock",
    "nop",
)
STEPS = {
    "barrier": _barrier,
    "scoped_barrier": _barrier,
    "control_barrier": _execution_barrier,
    **dict.fromkeys(_WITHOUT_EFFECT, _nothing),
}
