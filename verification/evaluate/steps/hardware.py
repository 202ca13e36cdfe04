"""Exports, messages and size declarations of lowered shaders to the hardware.

They are recorded as outputs with a string as slot (`hardware: export 12`), where any difference counts.
Repeated messages are recorded as a hash over all of them, in order.
"""

from __future__ import annotations

import numpy as np

from nirls.ir.io.backend import export_target
from nirls.ir.model.instructions import IntrinsicInstr
from nirls.verification.evaluate.state.compiler import Compiler, StepMaker
from nirls.verification.evaluate.state.state import State, Step
from nirls.verification.evaluate.surroundings.hashing import lane_hash, name_hash
from nirls.verification.evaluate.surroundings.result import HARDWARE, OutputKey
from nirls.verification.evaluate.values.marks import Marks
from nirls.verification.evaluate.values.value import Value, either, lane_index


def _export(compiler: Compiler, instr: IntrinsicInstr) -> Step:
    """Export components of a value to a target; `export_row_amd` to the row in its second source."""
    read, mask = compiler.read(instr.sources[0]), instr.write_mask
    row_of = compiler.read(instr.sources[1]) if instr.name == "export_row_amd" else None
    slot = f"{HARDWARE}export {export_target(instr)} flags {instr.int_index('flags')}"

    def step(state: State) -> None:
        value = read(state)
        row = None if row_of is None else row_of(state)
        for number in range(len(value.bits)):
            if mask >> number & 1:
                part = value.component(number)
                if row is not None:
                    part.poison = either(part.poison, row.poison)
                at = None if row is None else lane_index(row)
                state.outputs.store(OutputKey(slot, number), part, state.masks.effective(), at)

    return step


def _record(*names: str) -> StepMaker:
    """Record the sources of the last execution under the given names."""

    def make(compiler: Compiler, instr: IntrinsicInstr) -> Step:
        readers = [compiler.read(src) for src in instr.sources]
        mask = instr.write_mask

        def step(state: State) -> None:
            for name, read in zip(names, readers, strict=False):
                value = read(state)
                for number in range(len(value.bits)):
                    if mask >> number & 1:
                        key = OutputKey(f"{HARDWARE}{name}", number)
                        state.outputs.store(key, value.component(number), state.masks.effective())

        return step

    return make


def _message(compiler: Compiler, instr: IntrinsicInstr) -> Step:
    """Append a message, with its sources and indices, to the sequence."""
    readers = [compiler.read(src) for src in instr.sources]
    indices = [value for value in instr.indices.values() if isinstance(value, int)]
    key = OutputKey(f"{HARDWARE}{instr.name}", 0)
    name = name_hash(instr.name, *indices)

    def step(state: State) -> None:
        so_far = state.outputs.load(key, 32, state.lanes)
        plane = state.outputs.planes.get(key)
        known = np.zeros(state.lanes, np.bool_)
        if plane is not None:
            known = plane.written[state.outputs.instance, 0]
        values = [read(state) for read in readers]
        before = np.where(known, so_far.bits[0], np.uint32(0))
        bits = lane_hash(name, before, *(row for value in values for row in value.bits))
        shown = (np.broadcast_to(bits, (state.lanes,)) >> np.uint64(32)).astype(np.uint32)[None]
        marks = Marks.of(so_far)
        marks.poison, marks.fragile = (
            None if mark is None else mark & known for mark in (marks.poison, marks.fragile)
        )
        for value in values:
            marks.add(value, inexact=True)
        state.outputs.store(key, marks.marked(Value(shown, 32)), state.masks.effective())

    return step


def _export_vertex(compiler: Compiler, instr: IntrinsicInstr) -> Step:
    """Export the outputs stored so far: later stores have no effect."""
    tell = _message(compiler, instr)

    def step(state: State) -> None:
        tell(state)
        state.outputs.closed = state.outputs.closed | state.masks.effective()

    return step


STEPS: dict[str, StepMaker] = {
    "export_amd": _export,
    "export_row_amd": _export,
    "export_dual_src_blend_amd": _record("dual source 0", "dual source 1"),
    "export_primitive_amd": _record("primitive"),
    "export_vertex_amd": _export_vertex,
    "sendmsg_amd": _message,
    "alloc_vertices_and_primitives_amd": _record("vertices made", "primitives made"),
    "set_vertex_and_primitive_count": _record("vertices made", "primitives made", "primitives decomposed"),
    "atomic_add_gen_prim_count_amd": _message,
    "atomic_add_gs_emit_prim_count_amd": _message,
    "atomic_add_shader_invocation_count_amd": _message,
    "atomic_add_xfb_prim_count_amd": _message,
}
