"""Geometry shaders: emitting vertices and ending primitives; mesh shaders: sizes and launches."""

from __future__ import annotations

from nirls.ir.evaluate.compiler import Compiler
from nirls.ir.evaluate.result import EmittedVertex
from nirls.ir.evaluate.state import State, Step
from nirls.ir.model.instructions import IntrinsicInstr


def _emit(compiler: Compiler, instr: IntrinsicInstr) -> Step:
    stream = instr.int_index("stream_id")

    def step(state: State) -> None:
        active = state.effective()
        state.emitted.append(EmittedVertex(stream, active.copy(), state.outputs.snapshot()))
        # Outputs are undefined after `emit_vertex`.
        state.outputs.forget(active)

    return step


def _end(compiler: Compiler, instr: IntrinsicInstr) -> Step:
    stream = instr.int_index("stream_id")

    def step(state: State) -> None:
        state.emitted.append(EmittedVertex(stream, state.effective().copy(), None))

    return step


STEPS = {
    "emit_vertex": _emit,
    "emit_vertex_with_counter": _emit,
    "end_primitive": _end,
    "end_primitive_with_counter": _end,
}
