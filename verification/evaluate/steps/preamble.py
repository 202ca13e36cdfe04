"""The preamble of a shader: a function that runs once for all invocations, and the values that it hands on.

Source: Mesa's `nir_opt_preamble`. Here all invocations run the preamble before the entry point, each with
values of its own, which are the same. Where a driver keeps them is known after its lowering only (`ir3`).
"""

from __future__ import annotations

from nirls.ir.model.instructions import IntrinsicInstr
from nirls.verification.evaluate.state.compiler import Compiler, StepMaker
from nirls.verification.evaluate.state.state import State, Step
from nirls.verification.evaluate.steps.inputs import dest_shape
from nirls.verification.evaluate.storage.memory import PREAMBLE
from nirls.verification.evaluate.values.errors import Unsupported
from nirls.verification.evaluate.values.value import stack, undefined_value


def _load(compiler: Compiler, instr: IntrinsicInstr) -> Step:
    entry = compiler.shader.entrypoint
    if entry is None or entry.preamble is None:
        raise Unsupported(f"{instr.name} in a shader without preamble")
    (width, bit_size), write = dest_shape(instr), compiler.write(instr)
    places = [_place(instr, component) for component in range(width)]

    def step(state: State) -> None:
        unset = undefined_value(1, bit_size, state.lanes)
        loaded = [
            state.memory.load(place, [state.lane_numbers], unset, state.masks.active) for place in places
        ]
        write(state, stack(loaded))

    return step


def _store(compiler: Compiler, instr: IntrinsicInstr) -> Step:
    read = compiler.read(instr.sources[0])

    def step(state: State) -> None:
        value = read(state)
        for component in range(len(value.bits)):
            word = value.component(component)
            state.memory.store(_place(instr, component), [state.lane_numbers], word, state.masks.active)

    return step


def _place(instr: IntrinsicInstr, component: int) -> tuple[object, ...]:
    """Return the place of a component; `base` counts in units of the driver."""
    return PREAMBLE, instr.indices.get("preamble_class"), instr.int_index("base"), component


STEPS: dict[str, StepMaker] = {"load_preamble": _load, "store_preamble": _store}
