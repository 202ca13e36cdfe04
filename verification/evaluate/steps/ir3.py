"""The constant file of Adreno GPUs, which the preamble of a shader fills.

One invocation runs the preamble for all, and computes the same whoever it is. Here all of them run it, each
with a constant file of its own. What the preamble does not write are the push constants, before a later pass
copies them into the same registers.
"""

from __future__ import annotations

import numpy as np

from nirls.ir.model.instructions import IntrinsicInstr
from nirls.verification.evaluate.state.compiler import Compiler, StepMaker, no_step, step_of
from nirls.verification.evaluate.state.state import State, Step
from nirls.verification.evaluate.steps.descriptors import place_of_block
from nirls.verification.evaluate.steps.inputs import dest_shape
from nirls.verification.evaluate.steps.memory_words import Spot, load_component, unsigned, untouched_words
from nirls.verification.evaluate.storage.memory import CONST_FILE
from nirls.verification.evaluate.values.arrays import Array
from nirls.verification.evaluate.values.errors import Unsupported
from nirls.verification.evaluate.values.value import Value, stack
from nirls.verification.evaluate.values.wanted_types import wanted_base

_PLACE = (CONST_FILE,)
_PUSH_CONSTANTS = ("push_const",)
_WORDS_OF_VEC4 = 4


def _load(compiler: Compiler, instr: IntrinsicInstr) -> Step:
    """Load 32-bit words at the register number `base` plus the source."""
    width, bit_size = dest_shape(instr)
    if bit_size != 32:
        raise Unsupported(f"{instr.name} of {bit_size} bits")
    read, write = compiler.read(instr.sources[0]), compiler.write(instr)
    base = instr.int_index("base")
    wanted = wanted_base(instr.def_)

    def step(state: State) -> None:
        offset = read(state)
        spot = Spot(_PUSH_CONSTANTS, np.zeros(state.lanes, np.int64), unsigned(offset), [offset])
        parts = []
        for number in range(width):
            words = spot.address + (base + number)
            untouched = untouched_words(state, spot, words, wanted, 32)
            parts.append(
                state.memory.load(_PLACE, [state.lane_numbers, words], untouched, state.masks.active)
            )
        write(state, spot.marks.marked(stack(parts)))

    return step


def _store(compiler: Compiler, instr: IntrinsicInstr) -> Step:
    """Store 32-bit words at the register number `base`."""
    if instr.sources[0].bit_size != 32:
        raise Unsupported(f"{instr.name} of {instr.sources[0].bit_size} bits")
    read, base = compiler.read(instr.sources[0]), instr.int_index("base")

    def step(state: State) -> None:
        value = read(state)
        for number in range(len(value.bits)):
            _fill(state, base + number, value.component(number))

    return step


def _copy_buffer(compiler: Compiler, instr: IntrinsicInstr) -> Step:
    """Copy `range` vec4s of a UBO, from the vec4 number in the second source, to the register `base`."""
    return _copy(compiler, instr, "ubo", _WORDS_OF_VEC4)


def _copy_push_constants(compiler: Compiler, instr: IntrinsicInstr) -> Step:
    """Copy `range` words of the push constants, from that number in the source, to the register `base`."""
    return _copy(compiler, instr, "push_const", 1)


def _copy(compiler: Compiler, instr: IntrinsicInstr, space: str, unit: int) -> Step:
    if _has_uniforms(compiler):
        raise Unsupported(f"load_uniform beside {instr.name}")
    readers = [compiler.read(src) for src in instr.sources]
    place_of = place_of_block(instr, instr.sources[0], space)
    base, count = instr.int_index("base"), unit * instr.int_index("range")

    def step(state: State) -> None:
        sources = [read(state) for read in readers]
        buffer: Array = unsigned(sources[0]) if len(sources) > 1 else np.zeros(state.lanes, np.int64)
        spot = Spot(place_of(state), buffer, unsigned(sources[-1]) * (4 * unit), sources)
        for number in range(count):
            word = load_component(state, spot, spot.address + 4 * number, "float", 32)
            _fill(state, base + number, spot.marks.marked(word))

    return step


def _has_uniforms(compiler: Compiler) -> bool:
    """Whether the constant file is read as uniforms, as before Mesa 25, in a unit that is not printed."""
    return any(
        isinstance(instr, IntrinsicInstr) and instr.name == "load_uniform"
        for instr in compiler.shader.instrs()
    )


def _fill(state: State, register: int, word: Value) -> None:
    numbers = np.full(state.lanes, register, np.int64)
    state.memory.store(_PLACE, [state.lane_numbers, numbers], word, state.masks.active)


def _true(state: State) -> Value:
    return Value(np.ones((1, state.lanes), np.uint8), 1)


STEPS: dict[str, StepMaker] = {
    "load_const_ir3": _load,
    "store_const_ir3": _store,
    "copy_ubo_to_uniform_ir3": _copy_buffer,
    "copy_push_const_to_uniform_ir3": _copy_push_constants,
    "preamble_start_ir3": step_of(_true),
    "elect_any_ir3": step_of(_true),
    "preamble_end_ir3": no_step,
}
