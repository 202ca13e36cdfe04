"""RunComparison of two subjects by runs: the runs that were made, and what they have shown."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from nirls.ir.model.control_flow import Block
from nirls.verification.compare.compared_places import ComparedPlaces
from nirls.verification.compare.paired_runs import AtEnd, PairedRuns
from nirls.verification.compare.results import Difference
from nirls.verification.compare.subject import Outcome, Subject, counted_lanes
from nirls.verification.evaluate.state.options import RunOptions
from nirls.verification.evaluate.values.errors import TimeUsedUp
from nirls.verification.inputs.constants import Constants, constants_of
from nirls.verification.inputs.input_kinds import DRAWS, RandomEnvironment
from nirls.verification.inputs.inputs_asked import inputs_asked
from nirls.verification.inputs.recorded import Recorded, recorder
from nirls.verification.inputs.steering import Steering
from nirls.verification.options import VerificationOptions
from nirls.verification.verdict import Counterexample, Different, Unchecked

FEW_ROUNDS = 40
"""Iteration limit of loops, raised only if it leaves nothing to compare."""


@dataclass(frozen=True, slots=True)
class Witness:
    """A run that shows a difference: its inputs and size, and the lane that differs."""

    environment: RandomEnvironment
    lane: int
    lanes: int
    iteration_limit: int


Explain = Callable[[Witness], None]
"""Callback with the run that shows a difference."""


class RunComparison:
    """Two subjects, and what their runs on the same inputs have shown so far.

    Strategies (`nirls.verification.strategies`) choose the inputs. `runs` counts the runs that showed no
    difference, `lanes` the invocations with certain results in them. `reached` counts how often each block of
    the first side was executed, and `last_new_block` is the number of the run that last reached a new one.
    `given_up` are the reasons why invocations were stopped. `overridden` counts the outcomes that were
    reached by overriding values, `doubt` is why equal results prove nothing. `subgroup_sizes` are tried in
    turn, empty if the size makes no difference; `sizes_tried` are those of the runs so far.
    """

    def __init__(
        self,
        before: Subject,
        after: Subject,
        options: VerificationOptions,
        places: ComparedPlaces,
        explain: Explain | None = None,
        subgroup_sizes: Sequence[int] = (),
    ) -> None:
        self.before = before
        self.after = after
        self.options = options
        self.places = places
        self.constants: Constants = constants_of(
            *([machine.shader for machine in side.machines] for side in (before, after))
        )
        self._deadline = options.deadline
        if options.time_budget is not None:
            end = time.thread_time() + options.time_budget
            self._deadline = end if options.deadline is None else min(end, options.deadline)
        self.paired = PairedRuns(
            before, after, options.assumptions, min(FEW_ROUNDS, options.iteration_limit), options.deadline
        )
        self.specials_met: dict[object, int] = {}
        self.runs = 0
        self.lanes = 0
        self.lanes_of_draw = 0
        self.reached: Counter[Block] = Counter()
        self.last_new_block = 0
        self.given_up: dict[str, None] = {}
        self.steered: tuple[Steering, RandomEnvironment] | None = None
        self.overridden = 0
        self.doubt: str | None = None
        self.subgroup_sizes = tuple(subgroup_sizes)
        self.sizes_tried: set[int] = set()
        self._explain = explain

    @property
    def first_runs(self) -> int:
        """The number of runs that are made in any case, one at least for each size of subgroups."""
        options = self.options
        return max(options.runs, len(self.subgroup_sizes)) if options.has_extra_runs else options.runs

    @property
    def is_late(self) -> bool:
        """Whether the time budget is used up."""
        return self._deadline is not None and time.thread_time() > self._deadline

    @property
    def is_starved(self) -> bool:
        """Whether invocations were stopped, and too few are left to compare."""
        return bool(self.given_up) and self.lanes < self.options.least_lanes

    def run(
        self,
        environment: RandomEnvironment,
        keep: tuple[AtEnd | None, AtEnd | None] = (None, None),
        lanes: int | None = None,
        turn: int = 0,
    ) -> Different | Unchecked | None:
        """Run both sides with the same inputs; None if they agree, or the run is inconclusive.

        A run that reaches the deadline counts as none; `Unchecked` if it was one of the first.

        `keep` is called with the final state of each stage, on either side. `turn` selects the size of the
        subgroups.
        """
        if self.subgroup_sizes:
            environment.subgroup_size = self.subgroup_sizes[turn % len(self.subgroup_sizes)]
            self.sizes_tried.add(environment.subgroup_size)
        lanes = lanes or self.options.lanes
        try:
            pair = self.paired.run(environment, lanes, keep)
        except TimeUsedUp:
            return self.late_verdict() if self.runs < self.first_runs else None
        if pair.differences:
            return Different(self._counterexample(pair.differences[0], environment, lanes))
        self.paired.is_rounded |= pair.is_rounded
        self.doubt = pair.doubt or self.doubt
        self._count(environment, pair.before, pair.after)
        return None

    def late_verdict(self) -> Unchecked:
        """Return the verdict where the time was used up before the first runs were made."""
        made = f"after {self.runs} of {self.first_runs} runs with random inputs"
        if self.options.time_budget is None or self._deadline == self.options.deadline:
            return Unchecked(f"time limit reached {made}", is_late=True)
        return Unchecked(f"time budget of {self.options.time_budget:g} s used up {made}", is_late=True)

    def blocks_not_run(self) -> tuple[str, ...]:
        """Return the blocks of the first side that no run has reached, with the abbreviations of stages."""
        return tuple(
            f"{shader.stage.abbreviation if shader.stage else ''} b{block.index}".strip()
            for shader in (machine.shader for machine in self.before.machines)
            for block in ([] if shader.entrypoint is None else shader.entrypoint.blocks())
            if block not in self.reached
        )

    def _count(self, environment: RandomEnvironment, before: Outcome, after: Outcome) -> None:
        self.runs += 1
        self.lanes += counted_lanes(before, after)
        known = len(self.reached)
        if not self.lanes_of_draw:
            launches = [stage.launch for stage in before.stages]
            sizes = [
                launch.group_size if len(launches) == 1 else launch.lanes // DRAWS for launch in launches
            ]
            self.lanes_of_draw = max(sizes, default=1)
        for stage in before.stages:
            self.reached.update(stage.executed)
            self.given_up.update(dict.fromkeys(stage.given_up))
        if before.last is not None and after.last is not None:
            usual = np.array([kind.is_usual for kind in environment.kinds])
            ordinary = np.array([kind.is_ordinary for kind in environment.kinds])
            self.places.add(before.last, after.last, before.culling, usual, ordinary)
        if len(self.reached) > known:
            self.last_new_block = self.runs

    def _counterexample(
        self, difference: Difference, environment: RandomEnvironment, lanes: int
    ) -> Counterexample:
        recorded: list[Recorded] = []
        options = RunOptions(self.paired.iteration_limit, at_end=recorder(self.before.machines, recorded))
        outcome = self.before.run(environment, lanes, options)
        launch = outcome.stages[-1].launch if outcome.stages else None
        # A place in memory may be of an earlier stage, which has more invocations than the last one.
        is_there = launch is not None and difference.lane < launch.lanes
        draw = 0
        if is_there and launch is not None and launch.draw is not None:
            draw = int(launch.draw[difference.lane])
        if self._explain is not None:
            self._explain(Witness(environment, difference.lane, lanes, self.paired.iteration_limit))
        kind = environment.kinds[draw].name
        if self.subgroup_sizes:
            kind += f"; subgroups of {environment.subgroup_size}"
        return Counterexample(
            environment.seed,
            kind,
            difference.lane,
            difference.what,
            difference.before,
            difference.after,
            inputs_asked(recorded[-1], difference.lane) if recorded and is_there else (),
        )
