"""Fragments that end (discard, terminate) or continue as helpers (demote)."""

from __future__ import annotations

from collections.abc import Callable

from nirls.ir.model.instructions import IntrinsicInstr
from nirls.verification.evaluate.alu.operation import encode
from nirls.verification.evaluate.state.compiler import Compiler, StepMaker
from nirls.verification.evaluate.state.state import State, Step
from nirls.verification.evaluate.steps.inputs import dest_shape
from nirls.verification.evaluate.values.arrays import Array
from nirls.verification.evaluate.values.value import Value


def _end(state: State, lanes: Array) -> None:
    state.masks.terminated = state.masks.terminated | lanes
    state.masks.set_active(state.masks.active & ~lanes)


def _demote(state: State, lanes: Array) -> None:
    state.masks.demoted = state.masks.demoted | lanes


_Effect = Callable[[State, Array], None]


def _always(effect: _Effect) -> StepMaker:
    return lambda compiler, instr: lambda state: effect(state, state.masks.active)


def _if(effect: _Effect) -> StepMaker:
    def make(compiler: Compiler, instr: IntrinsicInstr) -> Step:
        read = compiler.read(instr.sources[0])
        return lambda state: effect(state, state.masks.active & state.masks.decide(read(state)))

    return make


def _is_helper(compiler: Compiler, instr: IntrinsicInstr) -> Step:
    write = compiler.write(instr)
    _, bit_size = dest_shape(instr)
    return lambda state: write(state, Value(encode(state.masks.demoted[None], "bool", bit_size), bit_size))


STEPS = {
    "terminate": _always(_end),
    "terminate_if": _if(_end),
    "discard": _always(_end),
    "discard_if": _if(_end),
    "demote": _always(_demote),
    "demote_if": _if(_demote),
    "is_helper_invocation": _is_helper,
    "load_helper_invocation": _is_helper,
}
