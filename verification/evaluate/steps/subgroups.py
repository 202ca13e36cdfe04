"""Subgroup operations: votes, ballots, exchange between lanes, reductions and scans."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

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
from nirls.verification.evaluate.values.marks import Marks
from nirls.verification.evaluate.values.value import NEGLIGIBLE, Value, lane_index


def _members(state: State) -> Iterator[Array]:
    """Yield the running lanes of each subgroup, in order."""
    group = subgroup_of_lane(state)
    for number in np.unique(group[state.masks.active]):
        yield np.nonzero((group == number) & state.masks.active)[0]


def _whole_group_marks(state: State, value: Value, result: Value) -> None:
    """Propagate marks: an undefined value on any running lane makes all results of the subgroup undefined."""
    for lanes in _members(state):
        for name in ("poison", "fragile"):
            marks = getattr(value, name)
            if marks is None:
                continue
            touched = marks[:, lanes].any()
            if touched:
                old = getattr(result, name)
                new = np.zeros(result.bits.shape, np.bool_) if old is None else old.copy()
                new[:, lanes] = True
                setattr(result, name, new)


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
    source = state.lane_numbers.copy()
    for lanes in _members(state):
        source[lanes] = lanes[0]
    return take_lanes(state, value, source)


def _as_uniform(state: State, value: Value) -> Value:
    """Return a value that is the same on all running lanes; `step_of` marks one that is not."""
    return value


def _number_of(last: bool) -> StepMaker:
    def make(compiler: Compiler, instr: IntrinsicInstr) -> Step:
        write = compiler.write(instr)
        _, bit_size = dest_shape(instr)

        def step(state: State) -> None:
            numbers = subgroup_invocation(state).copy()
            for lanes in _members(state):
                numbers[lanes] = numbers[lanes[-1 if last else 0]]
            write(state, Value(numbers.astype(container_type(bit_size))[None], bit_size))

        return step

    return make


def _elect(compiler: Compiler, instr: IntrinsicInstr) -> Step:
    write = compiler.write(instr)
    _, bit_size = dest_shape(instr)

    def step(state: State) -> None:
        chosen = np.zeros((1, state.lanes), np.bool_)
        for lanes in _members(state):
            chosen[0, lanes[0]] = True
        write(state, Value(encode(chosen, "bool", bit_size), bit_size))

    return step


def _vote(kind: str) -> StepMaker:
    def make(compiler: Compiler, instr: IntrinsicInstr) -> Step:
        read, write = compiler.read(instr.sources[0]), compiler.write(instr)
        _, bit_size = dest_shape(instr)

        def step(state: State) -> None:
            value = read(state)
            truth = np.zeros((1, state.lanes), np.bool_)
            for lanes in _members(state):
                truth[0, lanes] = _agree(kind, value, lanes)
            result = Value(encode(truth, "bool", bit_size), bit_size)
            _whole_group_marks(state, value, result)
            if value.error is not None and kind == "feq" and (value.error > NEGLIGIBLE).any():
                result.fragile = np.ones(result.bits.shape, np.bool_)
            write(state, result)

        return step

    return make


def _agree(kind: str, value: Value, lanes: Array) -> bool:
    bits = value.bits[:, lanes]
    if kind == "any":
        return bool((bits != 0).any())
    if kind == "all":
        return bool((bits != 0).all())
    numbers = decode(bits, "float", value.bit_size) if kind == "feq" else bits
    return bool((numbers == numbers[:, :1]).all())


def _ballot(compiler: Compiler, instr: IntrinsicInstr) -> Step:
    read, write = compiler.read(instr.sources[0]), compiler.write(instr)
    width, bit_size = dest_shape(instr)

    def step(state: State) -> None:
        value = read(state)
        rows = np.zeros((width, state.lanes), np.uint64)
        numbers = subgroup_invocation(state)
        for lanes in _members(state):
            for lane in lanes[value.bits[0, lanes] != 0]:
                number = int(numbers[lane])
                if number // bit_size < width:
                    rows[number // bit_size, lanes] |= np.uint64(1 << number % bit_size)
        result = Value(rows.astype(container_type(bit_size)), bit_size)
        _whole_group_marks(state, value, result)
        write(state, result)

    return step


def _mask_number(value: Value, lane: int) -> int:
    """Return a ballot as one number."""
    return sum(int(part) << value.bit_size * row for row, part in enumerate(value.bits[:, lane]))


def _of_ballot(compute: Callable[[int, int, int], int], takes_index: bool = False) -> StepMaker:
    """Compute from the ballot, the invocation number (or the second source) and the subgroup size."""

    def make(compiler: Compiler, instr: IntrinsicInstr) -> Step:
        read, write = compiler.operand(instr, 0), compiler.write(instr)
        which = compiler.operand(instr, 1) if takes_index else None
        _, bit_size = dest_shape(instr)

        def step(state: State) -> None:
            value = read(state)
            numbers = subgroup_invocation(state) if which is None else lane_index(which(state))
            size = subgroup_size(state)
            mask = (1 << bit_size) - 1
            row = [
                compute(_mask_number(value, lane), int(numbers[lane]), size) & mask
                for lane in range(state.lanes)
            ]
            bits = np.array(row, np.uint64).astype(container_type(bit_size))[None]
            marks = Marks.of(value) if which is None else Marks.of(value, which(state))
            write(state, marks.marked(Value(bits, bit_size)))

        return step

    return make


def _lowest(mask: int) -> int:
    return (mask & -mask).bit_length() - 1


def _within(mask: int, size: int) -> int:
    return mask & ((1 << size) - 1)


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
            value = read(state)
            numbers = subgroup_invocation(state)
            clusters = [
                lanes for members in _members(state) for lanes in _clusters(members, numbers, cluster)
            ]
            result = Value(value.bits.copy(), bit_size)
            total = np.full((width, len(clusters)), start, value.bits.dtype)
            for lanes, rows in _positions(clusters):
                if not inclusive:
                    result.bits[:, lanes] = total[:, rows]
                total[:, rows] = plan.compute(plan.decoded([total[:, rows], value.bits[:, lanes]]))
                if inclusive:
                    result.bits[:, lanes] = total[:, rows]
            if whole:
                for number, lanes in enumerate(clusters):
                    result.bits[:, lanes] = total[:, number : number + 1]
            result.poison = _scanned_marks(value.poison, clusters, width, inclusive, whole)
            result.fragile = _scanned_marks(value.fragile, clusters, width, inclusive, whole)
            if state.track and operation.startswith("f"):
                result.error = np.zeros(value.bits.shape)
                for lanes in clusters:
                    result.error[:, lanes] = _scan_error(operation, value, lanes, bit_size)
            write(state, result)

        return step

    return make


def _positions(clusters: Sequence[Array]) -> Iterator[tuple[Array, Array]]:
    """Yield the lanes at each position in the clusters, and the numbers of their clusters."""
    sizes = np.array([len(lanes) for lanes in clusters], np.int64)
    for position in range(int(sizes.max(initial=0))):
        rows = np.nonzero(sizes > position)[0]
        yield np.array([clusters[row][position] for row in rows.tolist()]), rows


def _scanned_marks(
    marks: Array | None, clusters: Sequence[Array], width: int, inclusive: bool, whole: bool
) -> Array | None:
    """Return the marks of all lanes that a lane's result depends on."""
    if marks is None or not marks.any():
        return None
    found = np.zeros((width, marks.shape[1]), np.bool_)
    for lanes in clusters:
        own = np.broadcast_to(marks[:, lanes], (width, len(lanes)))
        if whole:
            found[:, lanes] = own.any(axis=1, keepdims=True)
        else:
            every = np.logical_or.accumulate(own, axis=1)
            found[:, lanes[0 if inclusive else 1 :]] = every if inclusive else every[:, :-1]
    return found if found.any() else None


def _clusters(members: Array, numbers: Array, size: int) -> Iterator[Array]:
    if not size:
        yield members
        return
    cluster = numbers[members] // size
    for number in np.unique(cluster):
        yield members[cluster == number]


def _scan_error(operation: str, value: Value, lanes: Array, bit_size: int) -> Array:
    """Return an error bound valid for any order of the operations."""
    given = 0.0 if value.error is None else value.error[:, lanes].sum(axis=1, keepdims=True)
    if operation in ("fmin", "fmax"):
        return np.zeros((len(value.bits), 1)) + given
    numbers = np.abs(decode(value.bits[:, lanes], "float", bit_size).astype(np.float64))
    if operation == "fadd":
        error = given + len(lanes) * half_ulp(numbers.sum(axis=1, keepdims=True), bit_size)
    else:
        product = np.maximum(numbers, 1.0).prod(axis=1, keepdims=True)
        error = product * (given + len(lanes) * 2 * half_ulp(np.ones((1, 1)), bit_size))
    return np.where(np.isfinite(error), error, np.inf)


def _inverse(mask: int, number: int, size: int) -> int:
    return mask >> number & 1


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
    "ballot_bit_count_reduce": _of_ballot(lambda mask, own, size: _within(mask, size).bit_count()),
    "ballot_bit_count_inclusive": _of_ballot(lambda mask, own, size: _within(mask, own + 1).bit_count()),
    "ballot_bit_count_exclusive": _of_ballot(lambda mask, own, size: _within(mask, own).bit_count()),
    "ballot_find_lsb": _of_ballot(lambda mask, own, size: _lowest(_within(mask, size))),
    "ballot_find_msb": _of_ballot(lambda mask, own, size: _within(mask, size).bit_length() - 1),
    "reduce": _scan(inclusive=True, whole=True),
    "inclusive_scan": _scan(inclusive=True, whole=False),
    "exclusive_scan": _scan(inclusive=False, whole=False),
}
STEPS = {name: make for name, make in _MAKERS.items() if intrinsic(name) is not None}
