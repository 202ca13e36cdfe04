"""State of a running shader: active lanes, values, frames and memory."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from nirls.ir.model.instructions import Instr, LoadConstInstr
from nirls.verification.evaluate.storage.races import RaceWatch
from nirls.verification.evaluate.surroundings.environment import Environment
from nirls.verification.evaluate.surroundings.launch import Launch
from nirls.verification.evaluate.values.arrays import Array, container_type
from nirls.verification.evaluate.values.marks import Marks
from nirls.verification.evaluate.values.value import (
    Override,
    Value,
    certain,
    constant,
    either,
    overridden,
    select,
    undefined_value,
)

if TYPE_CHECKING:
    from nirls.ir.model.control_flow import Block
    from nirls.ir.model.values import Def
    from nirls.verification.evaluate.state.coverage import Coverage
    from nirls.verification.evaluate.storage.memory import Memory
    from nirls.verification.evaluate.storage.outputs import OutputStore
    from nirls.verification.evaluate.surroundings.inputs import InputSupply
    from nirls.verification.evaluate.surroundings.result import EmittedVertex, OutputKey, XfbOutput

Step = Callable[["State"], None]
"""One compiled instruction."""

UNDECIDED = -2
"""Value of `came_from` for a lane that ran both branches of an if: no phi has a src for it."""

Overrides = Mapping["Def", Sequence[Override]]
"""Components of values that are set, whatever their instructions compute."""


class ProgramEntry(Protocol):
    """One entry of a program; takes its own position and returns the next one, -1 at the end."""

    def __call__(self, state: State, position: int) -> int: ...


class Program:
    """The compiled form of one function body, valid until the body is modified."""

    __slots__ = ("_template", "code", "defs")

    def __init__(self, code: list[ProgramEntry], defs: list[Def]) -> None:
        self.code = code
        self.defs = defs
        self._template: tuple[int, list[Value]] | None = None

    def fresh_values(
        self, lanes: int, overrides: Overrides | None = None, certain_defs: Collection[Def] = ()
    ) -> list[Value]:
        """Return the initial values: constants, and undefined for all other defs; see `RunOptions`."""
        if self._template is None or self._template[0] != lanes:
            undefined: dict[tuple[int, int], Value] = {}
            values: list[Value] = []
            for value in self.defs:
                instr = value.instr
                if isinstance(instr, LoadConstInstr):
                    values.append(constant(instr.values, value.bit_size, lanes))
                    continue
                shape = (max(value.num_components, 1), value.bit_size or 32)
                if shape not in undefined:
                    undefined[shape] = undefined_value(*shape, lanes)
                values.append(undefined[shape])
            self._template = (lanes, values)
        if not overrides and not certain_defs:
            return list(self._template[1])
        slots = list(enumerate(self.defs))
        own = {slot: overrides[value] for slot, value in slots if overrides and value in overrides}
        return _AdjustedValues(
            self._template[1], own, {slot for slot, value in slots if value in certain_defs}
        )


class _AdjustedValues(list[Value]):
    """Values of which some are overridden or made certain whenever they are assigned, by slot."""

    def __init__(
        self, values: list[Value], overrides: Mapping[int, Sequence[Override]], certain_slots: Collection[int]
    ) -> None:
        super().__init__(values)
        self._overrides = overrides
        self._certain = certain_slots

    def __setitem__(self, slot: Any, value: Any) -> None:
        value = overridden(value, self._overrides.get(slot, ()))
        super().__setitem__(slot, certain(value) if slot in self._certain else value)


@dataclass(frozen=True, slots=True)
class RunOptions:
    """Limits and instrumentation of a run.

    `iteration_limit` is the maximum number of iterations of a loop; invocations that are still in it then are
    given up: their effects are undefined. `track_error` propagates float error bounds (see
    `nirls.verification.evaluate.alu.rounding`), at about twice the run time; the
    instructions in `uncounted` add none, and with `interpolation_is_exact` neither does interpolation. With
    `marks_inexact` every result of an inexact operation has a bound above 0. With `saturates`, conversions to
    integers are defined where they saturate. `at_end` is called with the
    state at the end of the shader, with the values of its entry function. `coverage` accumulates the
    coverage of the run. `overrides` replace what instructions of the entry function compute. The error bounds
    of the values in `certain` are 0; the operations of those in `unchanged` add nothing to bounds of 0.
    The run raises `TimeUsedUp` when the CPU time of the thread (`time.thread_time`) has passed `deadline`.
    """

    iteration_limit: int = 2000
    track_error: bool = False
    uncounted: Collection[Instr] = ()
    marks_inexact: bool = False
    saturates: bool = False
    interpolation_is_exact: bool = False
    at_end: Callable[[State], None] | None = None
    coverage: Coverage | None = None
    overrides: Overrides | None = None
    certain: Collection[Def] = ()
    unchanged: Collection[Def | None] = ()
    deadline: float | None = None


@dataclass(slots=True)
class LoopFrame:
    """A running loop: lanes that broke out (`is_left`: in this iteration) or executed `continue`."""

    broken: Array
    continued: Array
    rounds: int = 0
    is_left: bool = False


@dataclass(slots=True)
class BranchFrame:
    """A running if: lanes that wait for the else branch, and lanes that finished the then branch.

    `undecided` are lanes with an undefined condition that run both branches, `outer` are those of the
    enclosing ifs; None for nowhere.
    """

    waiting: Array
    finished: Array
    undecided: Array | None = None
    outer: Array | None = None


@dataclass(slots=True)
class GotoFrame:
    """A running function with gotos.

    `next_block` is the block that each lane waits for, -1 for a running or finished lane. `finished` are
    the lanes that reached the end, `rounds` how often each block ran.
    """

    next_block: Array
    finished: Array
    rounds: dict[int, int] = field(default_factory=dict)


@dataclass(slots=True)
class CallFrame:
    """A running function: its values, its variables, and the lanes that have returned from it."""

    program: Program
    values: list[Value]
    returned: Array
    locals: dict[object, object]
    parameters: list[Value]
    return_to: int = 0
    loops: list[LoopFrame] = field(default_factory=list)
    branches: list[BranchFrame] = field(default_factory=list)
    goto: GotoFrame | None = None


class State:
    """The mutable state of a running shader.

    `active` are the running lanes, `running` is whether there are any. `undecided` are the lanes that run
    both branches of an if because its condition is undefined (see `enter_branches`), None for nowhere;
    `rejoined` are those that have run past such an if. `values`, `loops` and `branches` are those of the
    function on top of `calls`.
    """

    __slots__ = (
        "_blanks",
        "active",
        "astray",
        "branches",
        "calls",
        "came_from",
        "demoted",
        "emitted",
        "environment",
        "executed",
        "fragile",
        "given_up",
        "inputs",
        "interpolations",
        "lane_numbers",
        "lanes",
        "launch",
        "locals",
        "loops",
        "memory",
        "options",
        "outputs",
        "overwritten",
        "poisoned",
        "races",
        "rejoined",
        "rounds",
        "running",
        "shared_variables",
        "store_flags",
        "terminated",
        "trace_marks",
        "traces",
        "track",
        "undecided",
        "values",
        "xfb",
    )

    def __init__(
        self,
        environment: Environment,
        launch: Launch,
        inputs: InputSupply,
        memory: Memory,
        outputs: OutputStore,
        options: RunOptions,
    ) -> None:
        lanes = launch.lanes
        self.environment = environment
        self.launch = launch
        self.lanes = lanes
        self.lane_numbers: Array = np.arange(lanes)
        self.inputs = inputs
        self.memory = memory
        self.outputs = outputs
        self.options = options
        self.races = outputs.races = RaceWatch.of(launch, environment.subgroup_size)
        memory.begin(self.races, launch.draw, launch.stage)
        environment.begin(launch.draw)
        self.track = options.track_error
        self.active: Array = launch.is_alive.copy()
        self.running = bool(self.active.any())
        self.came_from: Array = np.full(lanes, -1, np.int32)
        self.terminated: Array = np.zeros(lanes, np.bool_)
        self.demoted: Array = np.zeros(lanes, np.bool_)
        self.poisoned: Array = launch.is_lost.copy()
        self.undecided: Array | None = None
        self.rejoined: Array = np.zeros(lanes, np.bool_)
        self.fragile: Array = np.zeros(lanes, np.bool_)
        self.astray: Array = np.zeros(lanes, np.bool_)
        self.given_up: dict[str, Array] = {}
        self.rounds = 0
        self.values: list[Value] = []
        self.locals: dict[object, object] = {}
        self.shared_variables: dict[object, object] = {}
        self.loops: list[LoopFrame] = []
        self.branches: list[BranchFrame] = []
        self.calls: list[CallFrame] = []
        self.emitted: list[EmittedVertex] = []
        self.xfb: set[XfbOutput] = set()
        self.interpolations: set[tuple[object, ...]] = set()
        # The flags that all stores to an output have in common.
        self.store_flags: dict[OutputKey, frozenset[str]] = {}
        self.executed: Counter[Block] = Counter()
        # System values overwritten by the shader, by name.
        self.overwritten: dict[str, Value] = {}
        # Hashes of the memory accesses by intrinsics of which only the effects are known, and the lanes on
        # which they are undefined or fragile.
        self.traces: dict[str, Array] = {}
        self.trace_marks: dict[str, Marks] = {}
        self._blanks: dict[tuple[int, int], Array] = {}

    def set_active(self, mask: Array) -> None:
        """Set the running lanes."""
        self.active = mask
        self.running = bool(mask.any())

    def note_store(self, key: OutputKey, flags: frozenset[str]) -> None:
        """Note the flags of a store to an output."""
        known = self.store_flags.get(key)
        self.store_flags[key] = flags if known is None else known & flags

    def outputs_with(self, flag: str) -> set[OutputKey]:
        """Return the outputs of which every executed store has a flag."""
        return {key for key, flags in self.store_flags.items() if flag in flags}

    def trace(self, memory: str) -> Array:
        """Return the hash of each lane's accesses to a memory so far, see `steps.opaque_effects`."""
        found = self.traces.get(memory)
        if found is None:
            found = self.traces[memory] = np.zeros(self.lanes, np.uint64)
        return found

    def blank(self, width: int, bit_size: int) -> Array:
        """Return zeros for a value whose bits are not significant."""
        key = (width, bit_size)
        found = self._blanks.get(key)
        if found is None:
            found = self._blanks[key] = np.zeros((width, self.lanes), container_type(bit_size))
        return found

    def effective(self) -> Array:
        """Return the running lanes with side effects, without helper invocations."""
        return self.active & ~self.demoted

    def merge(self, slot: int, value: Value) -> None:
        """Assign a value on the running lanes only; other lanes keep theirs."""
        if not self.active.all():
            value = select(self.active, value, self.values[slot])
        self.values[slot] = value

    def mark_poisoned(self, mask: Array) -> None:
        """Mark lanes whose control flow depends on an undefined value; their later effects are undefined."""
        self.poisoned = self.poisoned | mask

    def give_up(self, lanes: Array, reason: str) -> None:
        """Mark the effects of these lanes as undefined from here on, and record the reason."""
        self.mark_poisoned(lanes)
        self.given_up[reason] = lanes | self.given_up.get(reason, np.zeros(self.lanes, np.bool_))

    def mark_fragile(self, mask: Array) -> None:
        """Mark lanes whose control flow a rounding difference could have changed."""
        self.fragile = self.fragile | mask

    def note_lost_store(self, marks: Marks, active: Array, *, is_private: bool = False) -> None:
        """Mark lanes that store to a location with marks: their later effects are not compared.

        Those of other lanes may be affected too, unless the memory is private to the lane.
        """
        if marks.poison is not None:
            self.mark_poisoned(active & marks.poison)
            if not is_private:
                self.astray = self.astray | (active & marks.poison)
        if marks.fragile is not None:
            self.mark_fragile(active & marks.fragile)

    def certain(self) -> Array:
        """Return the running lanes whose control flow is defined."""
        lanes: Array = self.active & ~self.poisoned
        return lanes if self.undecided is None else lanes & ~self.undecided

    @property
    def counts_as_run(self) -> bool:
        """Whether what runs now counts for coverage: not if no lane is certain to come here."""
        return self.undecided is None or bool(self.certain().any())

    def stored(self, value: Value) -> Value:
        """Return a value as it is stored: undefined on lanes of which it is not known whether they store."""
        if self.undecided is None:
            return value
        poison = either(value.poison, np.broadcast_to(self.undecided, value.bits.shape))
        return Value(value.bits, value.bit_size, poison, value.error, value.fragile)

    def enter_branches(self, condition: Value, *, rejoins: bool) -> None:
        """Begin an if.

        Where the condition is undefined, either branch may run. If the branches `rejoin` (see `regions`),
        such a lane runs both: what it stores is undefined, and so are the phis at the end. Otherwise its
        effects are undefined from here on.
        """
        undecided = None
        if rejoins and condition.poison is not None and self.races is None:
            undecided = self.active & condition.poison[0] & ~self.poisoned
        if undecided is None or not undecided.any():
            taken = self.decide(condition)
            frame = BranchFrame(self.active & ~taken, self.active & ~taken)
        else:
            taken = (condition.bits[0] != 0) | undecided
            if condition.fragile is not None:
                self.mark_fragile(self.active & condition.fragile[0])
            waiting = self.active & (~taken | undecided)
            frame = BranchFrame(waiting, waiting, undecided, self.undecided)
            self.undecided = undecided if self.undecided is None else self.undecided | undecided
        self.branches.append(frame)
        self.set_active(self.active & taken)

    def leave_branches(self) -> None:
        """End an if: the lanes of both branches run again."""
        frame = self.branches.pop()
        self.set_active(self.active | frame.finished)
        if frame.undecided is not None:
            self.undecided = frame.outer
            self.rejoined |= frame.undecided
            self.came_from[frame.undecided] = UNDECIDED

    def decide(self, condition: Value) -> Array:
        """Return the lanes on which a branch condition is true; mark undefined and fragile conditions."""
        truth: Array = condition.bits[0] != 0
        if condition.poison is not None:
            self.mark_poisoned(self.active & condition.poison[0])
        if condition.fragile is not None:
            self.mark_fragile(self.active & condition.fragile[0])
        return truth

    def push_call(self, frame: CallFrame) -> None:
        """Enter a function."""
        self.calls.append(frame)
        self._show(frame)

    def pop_call(self) -> CallFrame:
        """Leave a function; the lanes that returned from it run again."""
        frame = self.calls.pop()
        self.set_active(self.active | frame.returned)
        if self.calls:
            self._show(self.calls[-1])
        return frame

    def _show(self, frame: CallFrame) -> None:
        self.values, self.locals = frame.values, frame.locals
        self.loops, self.branches = frame.loops, frame.branches
