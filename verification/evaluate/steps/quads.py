"""Derivatives and quad swaps; a quad is four successive lanes in two rows of two."""

from __future__ import annotations

from functools import partial

import numpy as np

from nirls.ir.model.instructions import AluInstr, IntrinsicInstr
from nirls.verification.evaluate.alu.float_error import half_ulp
from nirls.verification.evaluate.alu.operation import decode, encode
from nirls.verification.evaluate.alu.run import plan_of
from nirls.verification.evaluate.state.compiler import Compiler, StepMaker, step_of
from nirls.verification.evaluate.state.state import State, Step
from nirls.verification.evaluate.steps.arithmetic import alu_reader
from nirls.verification.evaluate.steps.inputs import dest_shape
from nirls.verification.evaluate.values.arrays import Array
from nirls.verification.evaluate.values.errors import Unsupported
from nirls.verification.evaluate.values.marks import Marks
from nirls.verification.evaluate.values.value import Value, either, lane_index


def take_lanes(state: State, value: Value, source: Array) -> Value:
    """Read each lane's value from a source lane; undefined if that does not exist or is inactive."""
    inside = (source >= 0) & (source < state.lanes)
    safe = np.where(inside, source, 0)
    missing = ~(inside & state.masks.active[safe])
    taken = value.at((slice(None), safe))
    if missing.any():
        taken.poison = either(taken.poison, np.broadcast_to(missing, value.bits.shape))
    return taken


def derivative(state: State, value: Value, axis: str, coarse: bool) -> Value:
    """Subtract neighbours along `x` or `y`; coarse derivatives are those of the quad's first lane."""
    lane = state.lane_numbers
    step = 1 if axis == "x" else 2
    first = lane & ~np.int64(3) if coarse else lane & ~np.int64(step)
    low, high = take_lanes(state, value, first), take_lanes(state, value, first + step)
    size = value.bit_size
    start, end = decode(low.bits, "float", size), decode(high.bits, "float", size)
    difference = end - start
    result = Value(
        encode(difference, "float", size),
        size,
        either(low.poison, high.poison),
        fragile=either(low.fragile, high.fragile),
    )
    if state.track:
        error = half_ulp(difference, size)
        for side in (low, high):
            if side.error is not None:
                error = error + side.error
        result.error = np.where(np.isfinite(difference), error, np.inf)
    return result


def derivative_of_alu(compiler: Compiler, instr: AluInstr) -> Step:
    """Compile `fddx` and other derivatives, ALU opcodes before 25.0. Raises `Unsupported`."""
    name = instr.op
    if "must_abs" in name or not name.startswith(("fddx", "fddy")):
        raise Unsupported(name)
    read, write = alu_reader(compiler, instr, instr.sources[0], "float"), compiler.write(instr)
    axis, coarse = name[3], name.endswith("_coarse")
    saturate = "sat" in instr.flags

    def step(state: State) -> None:
        result = derivative(state, read(state), axis, coarse)
        if saturate:
            plan = plan_of("fsat", len(result.bits), result.bit_size, (result.bit_size,))
            result.bits = plan.compute(plan.decoded([result.bits]))
        write(state, result)

    return step


def _swapped(state: State, value: Value, distance: int) -> Value:
    return take_lanes(state, value, state.lane_numbers ^ np.int64(distance))


def _broadcast(state: State, value: Value, number: Value) -> Value:
    source = (state.lane_numbers & ~np.int64(3)) + (lane_index(number) & 3)
    return Marks.of(number).marked(take_lanes(state, value, source))


def _vote(everybody: bool) -> StepMaker:
    def make(compiler: Compiler, instr: IntrinsicInstr) -> Step:
        read, write = compiler.read(instr.sources[0]), compiler.write(instr)
        _, bit_size = dest_shape(instr)

        def step(state: State) -> None:
            value = read(state)
            quads = state.masks.active.reshape(-1, 4)
            truth = (value.bits[0] != 0).reshape(-1, 4)
            each = (truth | ~quads).all(axis=1) if everybody else (truth & quads).any(axis=1)
            result = Value(encode(np.repeat(each, 4)[None], "bool", bit_size), bit_size)
            if value.poison is not None:
                unknown = (value.poison[0].reshape(-1, 4) & quads).any(axis=1)
                result.poison = np.repeat(unknown, 4)[None]
            if value.fragile is not None:
                result.fragile = np.repeat(value.fragile[0].reshape(-1, 4).any(axis=1), 4)[None]
            write(state, result)

        return step

    return make


STEPS = {
    **{
        f"dd{axis}{kind}": step_of(partial(derivative, axis=axis, coarse=kind == "_coarse"))
        for axis in "xy"
        for kind in ("", "_coarse", "_fine")
    },
    "quad_broadcast": step_of(_broadcast),
    "quad_swap_horizontal": step_of(partial(_swapped, distance=1)),
    "quad_swap_vertical": step_of(partial(_swapped, distance=2)),
    "quad_swap_diagonal": step_of(partial(_swapped, distance=3)),
    "quad_vote_any": _vote(False),
    "quad_vote_all": _vote(True),
}
