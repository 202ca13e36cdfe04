"""State of a running shader: the lanes, the running functions, inputs and memory."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import numpy as np

from nirls.verification.evaluate.state.frames import BranchFrame, CallFrame
from nirls.verification.evaluate.state.lane_masks import UNDECIDED, LaneMasks
from nirls.verification.evaluate.state.options import RunOptions
from nirls.verification.evaluate.state.run_record import RunRecord
from nirls.verification.evaluate.storage.memory import Memory
from nirls.verification.evaluate.storage.outputs import OutputStore
from nirls.verification.evaluate.storage.races import RaceWatch
from nirls.verification.evaluate.surroundings.environment import Environment
from nirls.verification.evaluate.surroundings.inputs import InputSupply
from nirls.verification.evaluate.surroundings.launch import Launch
from nirls.verification.evaluate.values.arrays import Array, container_type
from nirls.verification.evaluate.values.value import Value, select

Step = Callable[["State"], None]
"""One compiled instruction."""


class ProgramEntry(Protocol):
    """One entry of a program; takes its own position and returns the next one, -1 at the end."""

    def __call__(self, state: State, position: int) -> int: ...


class State:
    """The mutable state of a running shader.

    `masks` are the sets of lanes. `frame` is the running function, on top of `calls`; `rounds` counts the
    iterations of all loops. `record` has what the run did. `overwritten` are system values that the shader
    has overwritten, by name.
    """

    def __init__(
        self,
        environment: Environment,
        launch: Launch,
        inputs: InputSupply,
        memory: Memory,
        outputs: OutputStore,
        options: RunOptions,
    ) -> None:
        self.environment = environment
        self.launch = launch
        self.lanes = launch.lanes
        self.lane_numbers: Array = np.arange(self.lanes)
        self.inputs = inputs
        self.memory = memory
        self.outputs = outputs
        self.options = options
        self.track = options.track_error
        self.races = outputs.races = RaceWatch.of(launch, environment.subgroup_size)
        memory.begin(self.races, launch.draw, launch.stage)
        environment.begin(launch.draw)
        self.masks = LaneMasks.of(launch)
        self.record = RunRecord(self.lanes)
        self.rounds = 0
        self.calls: list[CallFrame] = []
        self.frame: CallFrame
        self.shared_variables: dict[object, object] = {}
        self.overwritten: dict[str, Value] = {}
        self._blanks: dict[tuple[int, int], Array] = {}

    def blank(self, width: int, bit_size: int) -> Array:
        """Return zeros for a value whose bits are not significant."""
        key = (width, bit_size)
        known = self._blanks.get(key)
        if known is None:
            known = self._blanks[key] = np.zeros((width, self.lanes), container_type(bit_size))
        return known

    def merge(self, slot: int, value: Value) -> None:
        """Assign a value on the running lanes only; other lanes keep theirs."""
        values, active = self.frame.values, self.masks.active
        values[slot] = value if active.all() else select(active, value, values[slot])

    def enter_branches(self, condition: Value, *, rejoins: bool) -> None:
        """Begin an if.

        Where the condition is undefined, either branch may run. If the branches `rejoin` (see `regions`),
        such a lane runs both: what it stores is undefined, and so are the phis at the end. Otherwise its
        effects are undefined from here on.
        """
        masks, undecided = self.masks, None
        if rejoins and condition.poison is not None and self.races is None:
            undecided = masks.active & condition.poison[0] & ~masks.poisoned
        if undecided is None or not undecided.any():
            taken = masks.decide(condition)
            branch = BranchFrame(masks.active & ~taken, masks.active & ~taken)
        else:
            taken = (condition.bits[0] != 0) | undecided
            if condition.fragile is not None:
                masks.mark_fragile(masks.active & condition.fragile[0])
            waiting = masks.active & (~taken | undecided)
            branch = BranchFrame(waiting, waiting, undecided, masks.undecided)
            masks.undecided = undecided if masks.undecided is None else masks.undecided | undecided
        self.frame.branches.append(branch)
        masks.set_active(masks.active & taken)

    def leave_branches(self) -> None:
        """End an if: the lanes of both branches run again."""
        branch, masks = self.frame.branches.pop(), self.masks
        masks.set_active(masks.active | branch.finished)
        if branch.undecided is not None:
            masks.undecided = branch.outer
            masks.rejoined |= branch.undecided
            masks.came_from[branch.undecided] = UNDECIDED

    def push_call(self, frame: CallFrame) -> None:
        """Enter a function."""
        self.calls.append(frame)
        self.frame = frame

    def pop_call(self) -> CallFrame:
        """Leave a function; the lanes that returned from it run again."""
        left = self.calls.pop()
        self.masks.set_active(self.masks.active | left.returned)
        if self.calls:
            self.frame = self.calls[-1]
        return left
