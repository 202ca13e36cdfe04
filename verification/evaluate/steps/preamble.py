"""The preamble of a shader: a function that runs once for all invocations, and the values that it hands on.

Source: Mesa's `nir_opt_preamble`. Here all invocations run the preamble before the entry point, each with
values of its own, which are the same. Where a driver keeps them is known after its lowering only (`ir3`).
What no preamble in the dump stores, the driver has put there (agx: the address of the descriptors).
"""

from __future__ import annotations

from collections.abc import Iterator
from weakref import WeakKeyDictionary

from nirls.ir.model.instructions import IntrinsicInstr
from nirls.ir.model.shader import Shader
from nirls.verification.evaluate.state.compiler import Compiler, StepMaker
from nirls.verification.evaluate.state.state import State, Step
from nirls.verification.evaluate.steps.inputs import dest_shape
from nirls.verification.evaluate.steps.opaque_values import opaque_value_step
from nirls.verification.evaluate.storage.memory import PREAMBLE
from nirls.verification.evaluate.values.value import stack, undefined_value

_STORED: WeakKeyDictionary[Compiler, frozenset[object]] = WeakKeyDictionary()
"""What the preamble of each shader stores."""


def _load(compiler: Compiler, instr: IntrinsicInstr) -> Step:
    if compiler not in _STORED:
        _STORED[compiler] = _stored(compiler.shader)
    if _where(instr) not in _STORED[compiler]:
        return opaque_value_step(compiler, instr)
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


def has_values_of_driver(shader: Shader) -> bool:
    """Return whether a shader loads values that no preamble in the dump stores."""
    loads = [instr for instr in _intrinsics(shader) if instr.name == "load_preamble"]
    return bool(loads) and not _stored(shader).issuperset(map(_where, loads))


def _stored(shader: Shader) -> frozenset[object]:
    return frozenset(_where(instr) for instr in _intrinsics(shader) if instr.name == "store_preamble")


def _intrinsics(shader: Shader) -> Iterator[IntrinsicInstr]:
    return (instr for instr in shader.instrs() if isinstance(instr, IntrinsicInstr))


def _where(instr: IntrinsicInstr) -> tuple[object, int]:
    """Return the class and the number of a value; `base` counts in units of the driver."""
    return instr.indices.get("preamble_class"), instr.int_index("base")


def _place(instr: IntrinsicInstr, component: int) -> tuple[object, ...]:
    return PREAMBLE, *_where(instr), component


STEPS: dict[str, StepMaker] = {"load_preamble": _load, "store_preamble": _store}
