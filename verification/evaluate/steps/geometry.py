"""Geometry shaders: emitting vertices and ending primitives; task shaders: launching mesh workgroups."""

from __future__ import annotations

import numpy as np

from nirls.ir.model.instructions import IntrinsicInstr
from nirls.verification.evaluate.state.compiler import Compiler
from nirls.verification.evaluate.state.state import State, Step
from nirls.verification.evaluate.surroundings.result import HARDWARE, EmittedVertex, OutputKey

MESH_WORKGROUPS = f"{HARDWARE}mesh workgroups"
"""Slot of the output with the numbers of workgroups that a task workgroup launches, by component."""


def _emit(compiler: Compiler, instr: IntrinsicInstr) -> Step:
    stream = instr.int_index("stream_id")

    def step(state: State) -> None:
        active = state.masks.effective()
        state.record.emitted.append(EmittedVertex(stream, active.copy(), state.outputs.snapshot()))
        # Outputs are undefined after `emit_vertex`.
        state.outputs.forget(active)

    return step


def _end(compiler: Compiler, instr: IntrinsicInstr) -> Step:
    stream = instr.int_index("stream_id")

    def step(state: State) -> None:
        state.record.emitted.append(EmittedVertex(stream, state.masks.effective().copy(), None))

    return step


def _launch_mesh(compiler: Compiler, instr: IntrinsicInstr) -> Step:
    """Launch mesh workgroups and end the invocations; the first one of each group decides how many.

    Undefined unless all invocations of the group take part.
    """
    read = compiler.read(instr.sources[0])

    def step(state: State) -> None:
        value, running, group = read(state), state.masks.effective(), state.launch.group
        counts = np.bincount(group[running], minlength=state.launch.group_count)
        state.masks.mark_poisoned(running & (counts < state.launch.group_size)[group])
        lanes = np.nonzero(running)[0]
        first = np.zeros(state.lanes, np.bool_)
        first[lanes[np.unique(group[lanes], return_index=True)[1]]] = True
        for number in range(len(value.bits)):
            state.outputs.store(OutputKey(MESH_WORKGROUPS, number), value.component(number), first)
        state.masks.set_active(state.masks.active & ~running)

    return step


STEPS = {
    "emit_vertex": _emit,
    "emit_vertex_with_counter": _emit,
    "end_primitive": _end,
    "end_primitive_with_counter": _end,
    "launch_mesh_workgroups": _launch_mesh,
    "launch_mesh_workgroups_with_payload_deref": _launch_mesh,
}
