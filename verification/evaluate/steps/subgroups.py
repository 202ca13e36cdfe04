"""Subgroup operations: votes, ballots, exchange between lanes, reductions and scans."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from nirls.ir.model.instructions import IntrinsicInstr
from nirls.ir.tables import intrinsic
from nirls.verification.evaluate.alu.float_error import half_ulp
from nirls.verification.evaluate.alu.operation import decode, encode, float_type
from nirls.verification.evaluate.alu.run import plan_of
from nirls.verification.evaluate.state.compiler import Compiler, StepMaker, step_of
from nirls.verification.evaluate.state.state import State, Step
from nirls.verification.evaluate.state.subgroup_lanes import (
    lane_with,
    subgroup_invocation,
    subgroup_of_lane,
    subgroup_size,
)
from nirls.verification.evaluate.steps.inputs import dest_shape
from nirls.verification.evaluate.steps.quads import take_lanes
from nirls.verification.evaluate.values.arrays import Array, container_type
from nirls.verification.evaluate.values.errors import Unsupported
from nirls.verification.evaluate.values.grouped_lanes import GroupedLanes
from nirls.verification.evaluate.values.marks import Marks
from nirls.verification.evaluate.values.value import NEGLIGIBLE, Value, either, lane_index


def _members(state: State, cluster_size: int = 0) -> GroupedLanes:
    """Group the running lanes by subgroup, or by the clusters of that size in a subgroup."""
    group, lanes = subgroup_of_lane(state), np.nonzero(state.masks.active)[0]
    if cluster_size:
        group = group * subgroup_size(state) + subgroup_invocation(state) // cluster_size
    return GroupedLanes(group[lanes], lanes)


def _set_of_groups(target: Array, groups: GroupedLanes, values: Array) -> None:
    """Set a value of each group on all its lanes."""
    target[..., groups.lanes] = groups.of_groups(values)


def _whole_group_marks(groups: GroupedLanes, value: Value, result: Value) -> None:
    """Propagate marks: an undefined value on any running lane makes all results of the subgroup undefined."""
    for name in ("poison", "fragile"):
        marks = getattr(value, name)
        if marks is None or not marks.any():
            continue
        touched = np.zeros(result.bits.shape, np.bool_)
        _set_of_groups(touched, groups, groups.combine(np.logical_or, marks.any(axis=0)[groups.lanes]))
        setattr(result, name, either(getattr(result, name), touched))


def _exchange(target: Callable[[Array, Array], Array]) -> StepMaker:
    """Read from the invocation that `target` computes from the lane's own number and the second source."""

    def exchanged(state: State, value: Value, number: Value) -> Value:
        invocation = target(subgroup_invocation(state), lane_index(number))
        return Marks.of(number).marked(take_lanes(state, value, lane_with(state, invocation)))

    return step_of(exchanged)


def _rotate(compiler: Compiler, instr: IntrinsicInstr) -> Step:
    read, delta = compiler.operand(instr, 0), compiler.operand(instr, 1)
    write = compiler.write(instr)
    cluster = instr.int_index("cluster_size")

    def step(state: State) -> None:
        size = cluster or subgroup_size(state)
        own = subgroup_invocation(state)
        distance = delta(state)
        within = (own % size + lane_index(distance)) % size
        taken = take_lanes(state, read(state), lane_with(state, own // size * size + within))
        write(state, Marks.of(distance).marked(taken))

    return step


def _first(state: State, value: Value) -> Value:
    """Return the value of the first running invocation."""
    source, groups = state.lane_numbers.copy(), _members(state)
    source[groups.lanes] = groups.of_first(groups.lanes)
    return take_lanes(state, value, source)


def _as_uniform(state: State, value: Value) -> Value:
    """Return a value that is the same on all running lanes; `step_of` marks one that is not."""
    return value


def _number_of(last: bool) -> StepMaker:
    def make(compiler: Compiler, instr: IntrinsicInstr) -> Step:
        write = compiler.write(instr)
        _, bit_size = dest_shape(instr)

        def step(state: State) -> None:
            numbers, groups = subgroup_invocation(state).copy(), _members(state)
            chosen = groups.lanes[groups.ends if last else groups.starts]
            _set_of_groups(numbers, groups, numbers[chosen])
            write(state, Value(numbers.astype(container_type(bit_size))[None], bit_size))

        return step

    return make


def _elect(compiler: Compiler, instr: IntrinsicInstr) -> Step:
    write = compiler.write(instr)
    _, bit_size = dest_shape(instr)

    def step(state: State) -> None:
        chosen, groups = np.zeros((1, state.lanes), np.bool_), _members(state)
        chosen[0, groups.lanes[groups.starts]] = True
        write(state, Value(encode(chosen, "bool", bit_size), bit_size))

    return step


def _vote(kind: str) -> StepMaker:
    def make(compiler: Compiler, instr: IntrinsicInstr) -> Step:
        read, write = compiler.read(instr.sources[0]), compiler.write(instr)
        _, bit_size = dest_shape(instr)

        def step(state: State) -> None:
            value, groups = read(state), _members(state)
            truth = np.zeros((1, state.lanes), np.bool_)
            _set_of_groups(truth, groups, _agree(kind, value, groups))
            result = Value(encode(truth, "bool", bit_size), bit_size)
            _whole_group_marks(groups, value, result)
            if value.error is not None and kind == "feq" and (value.error > NEGLIGIBLE).any():
                result.fragile = np.ones(result.bits.shape, np.bool_)
            write(state, result)

        return step

    return make


def _agree(kind: str, value: Value, groups: GroupedLanes) -> Array:
    """Return the result of a vote in each group."""
    bits = value.bits[:, groups.lanes]
    if kind == "any":
        return groups.combine(np.logical_or, (bits != 0).any(axis=0))
    if kind == "all":
        return groups.combine(np.logical_and, (bits != 0).all(axis=0))
    numbers = decode(bits, "float", value.bit_size) if kind == "feq" else bits
    firsts = groups.of_groups(numbers[:, groups.starts])
    return groups.combine(np.logical_and, (numbers == firsts).all(axis=0))


def _ballot(compiler: Compiler, instr: IntrinsicInstr) -> Step:
    read, write = compiler.read(instr.sources[0]), compiler.write(instr)
    width, bit_size = dest_shape(instr)

    def step(state: State) -> None:
        value, groups = read(state), _members(state)
        numbers, is_set = subgroup_invocation(state)[groups.lanes], value.bits[0, groups.lanes] != 0
        own = np.where(is_set, np.uint64(1) << (numbers % bit_size).astype(np.uint64), np.uint64(0))
        rows = np.zeros((width, state.lanes), np.uint64)
        for row in range(width):
            of_row = np.where(numbers // bit_size == row, own, np.uint64(0))
            _set_of_groups(rows[row], groups, groups.combine(np.bitwise_or, of_row))
        result = Value(rows.astype(container_type(bit_size)), bit_size)
        _whole_group_marks(groups, value, result)
        write(state, result)

    return step


def _of_ballot(compute: Callable[[Array, Array, int], Array], takes_index: bool = False) -> StepMaker:
    """Compute from a ballot, the invocation number (or the second source) and the subgroup size.

    The ballot has a row for each invocation of a subgroup: whether it is set on each lane.
    """

    def make(compiler: Compiler, instr: IntrinsicInstr) -> Step:
        read, write = compiler.operand(instr, 0), compiler.write(instr)
        which = compiler.operand(instr, 1) if takes_index else None
        _, bit_size = dest_shape(instr)

        def step(state: State) -> None:
            value = read(state)
            numbers = subgroup_invocation(state) if which is None else lane_index(which(state))
            places = np.arange(value.bit_size, dtype=np.uint64)[:, None]
            is_set = value.bits[:, None].astype(np.uint64) >> places & np.uint64(1) != 0
            ballot = is_set.reshape(-1, is_set.shape[-1])
            found = compute(ballot, numbers, subgroup_size(state)).astype(np.uint64)
            bits = (found & np.uint64((1 << bit_size) - 1)).astype(container_type(bit_size))[None]
            marks = Marks.of(value) if which is None else Marks.of(value, which(state))
            write(state, marks.marked(Value(bits, bit_size)))

        return step

    return make


def _count(ballot: Array, limit: Array | int) -> Array:
    """Return how many invocations below a limit are set."""
    count: Array = (ballot & (np.arange(len(ballot))[:, None] < limit)).sum(axis=0)
    return count


def _lowest(ballot: Array) -> Array:
    """Return the lowest invocation that is set, -1 if there is none."""
    return np.where(ballot.any(axis=0), ballot.argmax(axis=0), -1)


def _highest(ballot: Array) -> Array:
    """Return the highest invocation that is set, -1 if there is none."""
    return np.where(ballot.any(axis=0), len(ballot) - 1 - ballot[::-1].argmax(axis=0), -1)


def _inverse(ballot: Array, number: Array, size: int) -> Array:
    """Return whether an invocation is set; none is outside of the ballot."""
    inside = (number >= 0) & (number < len(ballot))
    picked = np.take_along_axis(ballot, np.where(inside, number, 0)[None], axis=0)[0]
    return (inside & picked).astype(np.int64)


_IDENTITY: dict[str, int | float] = {
    "iadd": 0,
    "imul": 1,
    "ior": 0,
    "ixor": 0,
    "umax": 0,
    "iand": -1,
    "umin": -1,
    "fadd": -0.0,
    "fmul": 1.0,
    "fmin": float("inf"),
    "fmax": float("-inf"),
}


def _identity(operation: str, bit_size: int) -> int:
    if operation == "imin":
        return (1 << (bit_size - 1)) - 1 if bit_size > 1 else 0
    if operation == "imax":
        return 1 << (bit_size - 1) if bit_size > 1 else 1
    if operation not in _IDENTITY:
        raise Unsupported(f"a reduction by {operation}")
    number = _IDENTITY[operation]
    if isinstance(number, float):
        return int(np.array([number], float_type(bit_size)).view(container_type(bit_size))[0])
    return int(number) & ((1 << bit_size) - 1)


def _scan(inclusive: bool, whole: bool) -> StepMaker:
    """Combine the values of preceding lanes (`inclusive`: and the lane itself), or of a whole cluster."""

    def make(compiler: Compiler, instr: IntrinsicInstr) -> Step:
        operation = str(instr.indices.get("reduction_op", ""))
        read, write = compiler.read(instr.sources[0]), compiler.write(instr)
        width, bit_size = dest_shape(instr)
        cluster = instr.int_index("cluster_size") if whole else 0
        start = _identity(operation, bit_size)
        plan = plan_of(operation, width, bit_size, (bit_size, bit_size))

        def step(state: State) -> None:
            value, groups = read(state), _members(state, cluster)
            result = Value(value.bits.copy(), bit_size)
            total = np.full((width, len(groups.starts)), start, value.bits.dtype)
            for lanes, numbers in groups.at_turns():
                if not inclusive:
                    result.bits[:, lanes] = total[:, numbers]
                total[:, numbers] = plan.compute(plan.decoded([total[:, numbers], value.bits[:, lanes]]))
                if inclusive:
                    result.bits[:, lanes] = total[:, numbers]
            if whole:
                _set_of_groups(result.bits, groups, total)
            result.poison, result.fragile = (
                _scanned_marks(marks, groups, width, inclusive, whole)
                for marks in (value.poison, value.fragile)
            )
            if state.track and operation.startswith("f"):
                result.error = np.zeros(value.bits.shape)
                _set_of_groups(result.error, groups, _scan_error(operation, value, groups, bit_size))
            write(state, result)

        return step

    return make


def _scanned_marks(
    marks: Array | None, groups: GroupedLanes, width: int, inclusive: bool, whole: bool
) -> Array | None:
    """Return the marks of all lanes that a lane's result depends on."""
    if marks is None or not marks.any():
        return None
    found = np.zeros((width, marks.shape[1]), np.bool_)
    for row, own in enumerate(np.broadcast_to(marks[:, groups.lanes], (width, len(groups)))):
        if whole:
            _set_of_groups(found[row], groups, groups.combine(np.logical_or, own))
            continue
        begun = groups.has_begun(own)
        found[row, groups.lanes] = begun if inclusive else ~groups.is_first & groups.before(begun)
    return found if found.any() else None


def _scan_error(operation: str, value: Value, groups: GroupedLanes, bit_size: int) -> Array:
    """Return an error bound for each group that is valid for any order of the operations."""
    bits = value.bits[:, groups.lanes]
    errors = np.zeros(bits.shape) if value.error is None else value.error[:, groups.lanes]
    given = groups.combine(np.add, errors)
    if operation in ("fmin", "fmax"):
        return given
    count = groups.combine(np.add, np.ones(len(groups)))
    numbers = np.abs(decode(bits, "float", bit_size).astype(np.float64))
    if operation == "fadd":
        error = given + count * half_ulp(groups.combine(np.add, numbers), bit_size)
    else:
        product = groups.combine(np.multiply, np.maximum(numbers, 1.0))
        error = product * (given + count * 2 * half_ulp(np.ones(1), bit_size))
    return np.where(np.isfinite(error), error, np.inf)


_MAKERS: dict[str, StepMaker] = {
    "read_invocation": _exchange(lambda own, number: number),
    "shuffle": _exchange(lambda own, number: number),
    "shuffle_xor": _exchange(lambda own, number: own ^ number),
    "shuffle_up": _exchange(lambda own, number: own - number),
    "shuffle_down": _exchange(lambda own, number: own + number),
    "rotate": _rotate,
    "read_first_invocation": step_of(_first),
    "as_uniform": step_of(_as_uniform),
    "first_invocation": _number_of(last=False),
    "last_invocation": _number_of(last=True),
    "elect": _elect,
    "vote_any": _vote("any"),
    "vote_all": _vote("all"),
    "vote_feq": _vote("feq"),
    "vote_ieq": _vote("ieq"),
    "ballot": _ballot,
    "ballot_relaxed": _ballot,
    "inverse_ballot": _of_ballot(_inverse),
    "ballot_bitfield_extract": _of_ballot(_inverse, takes_index=True),
    "ballot_bit_count_reduce": _of_ballot(lambda ballot, own, size: _count(ballot, size)),
    "ballot_bit_count_inclusive": _of_ballot(lambda ballot, own, size: _count(ballot, own + 1)),
    "ballot_bit_count_exclusive": _of_ballot(lambda ballot, own, size: _count(ballot, own)),
    "ballot_find_lsb": _of_ballot(lambda ballot, own, size: _lowest(ballot[:size])),
    "ballot_find_msb": _of_ballot(lambda ballot, own, size: _highest(ballot[:size])),
    "reduce": _scan(inclusive=True, whole=True),
    "inclusive_scan": _scan(inclusive=True, whole=False),
    "exclusive_scan": _scan(inclusive=False, whole=False),
}
STEPS = {name: make for name, make in _MAKERS.items() if intrinsic(name) is not None}
