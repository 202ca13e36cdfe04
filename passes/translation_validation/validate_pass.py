"""Is the result of a pass the same program? Answered by running both on many inputs."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from nirls.ir.analysis.tessellation import CullingRule
from nirls.ir.evaluate.compare import Difference
from nirls.ir.evaluate.environment import Environment
from nirls.ir.evaluate.errors import DivergentBarrier, LimitReached, Unsupported
from nirls.ir.evaluate.state import RunOptions, State
from nirls.ir.model.control_flow import Block
from nirls.ir.model.shader import Shader
from nirls.passes.translation_validation import aimed_runs
from nirls.passes.translation_validation.aimed_runs import AimedRuns
from nirls.passes.translation_validation.inputs_asked import InputsAsked
from nirls.passes.translation_validation.subject import Outcome, Subject, counted_lanes, subject_of
from nirls.passes.translation_validation.unwatched import unwatched_change
from nirls.passes.translation_validation.verdict import (
    Counterexample,
    Different,
    Equivalent,
    Unchecked,
    Verdict,
)
from nirls.passes.translation_validation.what_counts import Seen, literal_outputs
from nirls.passes.translation_validation.worlds import Constants, constants_of, world_of_run

_AIMED_SEED = 1_000_000
"""How far the seeds of the aimed runs are from those of the others."""

_PATIENCE = 4
"""How many more runs in a row may reach no new block until the rest of them is given up."""

_MORE_ROUNDS = 4
"""How many times as many rounds a loop of the result may take until it counts as one that does not end."""


@dataclass(frozen=True, slots=True)
class ValidationOptions:
    """How long and how closely to look.

    At least `runs` runs with different inputs, and up to `most_runs` as long as there are blocks that no
    run has reached, or outputs that were hardly compared; besides, a few aimed at what the shaders compare
    with constants, unless `most_runs` is no more than `runs`: `aims` series of them, each with another
    content of everything else. Each has about `lanes` invocations (pipelines
    choose their own number). Fewer than `least_lanes` invocations that count, over all runs, say nothing.
    `time_budget`, in seconds of the processor, is for the first `runs`, and ends the rest; None for as long
    as it takes.
    `known_memory` are 32-bit words that a pass was told, by (space, buffer, word): the shaders find them
    there. `culling` is which patches count as culled, as far as the shaders do not state it.
    """

    runs: int = 4
    most_runs: int = 20
    aims: int = 2
    lanes: int = 64
    least_lanes: int = 16
    seed: int = 1
    iteration_limit: int = 2000
    time_budget: float | None = None
    known_memory: Mapping[tuple[str, int, int], int] = field(default_factory=dict)
    culling: CullingRule | None = None


def validate_pass(
    before: Sequence[Shader] | Shader,
    after: Sequence[Shader] | Shader,
    options: ValidationOptions | None = None,
) -> Verdict:
    """Compare what a pass got with what it made of it.

    One shader alone must keep its outputs, discards, memory writes, emitted vertices and transform
    feedback; linked shaders, given in pipeline order, what fixed hardware and the outside can see of the
    whole pipeline. Of a culled patch only that it is culled can be seen. What was undefined may become
    anything. Results must be the same bit for bit (any NaN is as good as another); where they are not, both
    sides run again with their rounding errors followed, and may differ within the bounds derived from their
    inexact operations. Never raises for what is in the shaders.
    """
    shaders, twins = _as_list(before), _as_list(after)
    if len(shaders) != len(twins):
        return Unchecked(f"{len(shaders)} shaders before, {len(twins)} after")
    options = options or ValidationOptions()
    seen = Seen(literal_outputs(shaders[-1]) if shaders else frozenset())
    try:
        subjects = subject_of(shaders, options.culling), subject_of(twins, options.culling)
    except Unsupported as reason:
        return Unchecked(str(reason))
    return validate_subjects(*subjects, options, seen)


Explain = Callable[[Callable[[], Environment], int], None]
"""Takes what makes the inputs of a run that shows a difference, and the instance of the outputs that does."""


def validate_subjects(
    before: Subject, after: Subject, options: ValidationOptions, seen: Seen, explain: Explain | None = None
) -> Verdict:
    """Compare two subjects that were made ready; `seen` counts, `explain` looks into a difference."""
    constants = constants_of([machine.shader for machine in before.machines])
    try:
        verdict = _Validation(options, constants, seen, explain).compare(before, after)
    except Unsupported as reason:
        return Unchecked(str(reason))
    return _with_unwatched_changes(verdict, before, after)


def _with_unwatched_changes(verdict: Verdict, before: Subject, after: Subject) -> Verdict:
    """The verdict; unchecked if the order of accesses changed in a way that no run shows."""
    if not isinstance(verdict, Equivalent):
        return verdict
    for one, other in zip(before.machines, after.machines, strict=True):
        reason = unwatched_change(one.shader, other.shader)
        if reason is not None:
            return Unchecked(reason)
    return verdict


def _lost_stores_spread(before: Outcome, after: Outcome) -> bool:
    """Whether an invocation stores to an undefined place, and others load what may come from there."""
    return any(stage.stores_anywhere for stage in before.stages) and any(
        stage.lanes_communicate for stage in (*before.stages, *after.stages)
    )


def _as_list(shaders: Sequence[Shader] | Shader) -> list[Shader]:
    return [shaders] if isinstance(shaders, Shader) else list(shaders)


@dataclass(frozen=True, slots=True)
class _Inputs:
    """What a run is given: the environment of a seed, made anew for each side, and what it is called.

    `is_usual` says that outputs will be as they usually are: inputs differ between the vertices of a
    primitive, and memory holds what it happens to.
    """

    name: str
    seed: int
    make: Callable[[], Environment]
    is_usual: bool


class _Validation:
    """One comparison of two subjects."""

    def __init__(
        self, options: ValidationOptions, constants: Constants, seen: Seen, explain: Explain | None
    ) -> None:
        self.options = options
        self.explain = explain
        self.constants = constants
        self.deadline = None if options.time_budget is None else time.thread_time() + options.time_budget
        self.runs = 0
        self.lanes = 0
        self.rounded = False
        self.reached: set[Block] = set()
        self.news = 0
        self.seen = seen
        self.why_runs_failed: str | None = None

    def compare(self, before: Subject, after: Subject) -> Verdict:
        for number in range(max(self.options.most_runs, self.options.runs)):
            is_extra = number >= self.options.runs
            if number == self.options.runs and not self._is_late():
                found = self._aimed_runs(before, after)
                if found is not None:
                    return Different(found)
            if is_extra and (self._is_late() or self._has_seen_enough(number, before)):
                break
            if self._is_late():
                return Unchecked(
                    f"time budget of {self.options.time_budget:g} s used up after {self.runs} runs"
                )
            found = self._one_run(self._ordinary(number), before, after)
            if found is not None:
                return Different(found)
        if self.runs == 0:
            return Unchecked(self.why_runs_failed or "nothing was run")
        if self.lanes < self.options.least_lanes:
            return Unchecked(f"only {self.lanes} invocations did not depend on undefined values or rounding")
        unseen = self.seen.never_compared()
        if unseen is not None:
            return Unchecked(f"{unseen} is undefined, discarded or a matter of rounding in {self.runs} runs")
        return Equivalent(self.runs, self.lanes, self.rounded, self._blocks_not_run(before))

    def _has_seen_enough(self, number: int, before: Subject) -> bool:
        if not self.seen.is_enough:
            return False
        in_vain = number - max(self.news, self.options.runs)
        return in_vain >= _PATIENCE or not self._blocks_not_run(before)

    def _is_late(self) -> bool:
        return self.deadline is not None and time.thread_time() > self.deadline

    def _ordinary(self, number: int) -> _Inputs:
        """The inputs of the run with that number."""
        world, seed = world_of_run(number), self.options.seed + number
        return _Inputs(
            world.name, seed, lambda: world.environment(seed, self.constants), not world.same_corners
        )

    def _aimed_runs(self, before: Subject, after: Subject) -> Counterexample | None:
        """Runs in which memory holds what the shaders compare it with."""
        for number in range(self.options.aims):
            aimed = AimedRuns(before.machines, self.constants, self.options.seed + _AIMED_SEED + number)
            for environment in aimed.environments():
                if self._is_late():
                    return None
                make = partial(aimed.environment, environment.wanted)
                inputs = _Inputs(aimed_runs.NAME, aimed.seed, make, False)
                found = self._one_run(inputs, before, after, environment, aimed.keep)
                if found is not None:
                    return found
        return None

    def _one_run(
        self,
        inputs: _Inputs,
        before: Subject,
        after: Subject,
        environment: Environment | None = None,
        at_end: Callable[[State], None] | None = None,
    ) -> Counterexample | None:
        """Run both sides with the same inputs; None if they agree, or the run says nothing.

        `environment` is the one to use, if somebody wants to see it afterwards; `at_end` is shown the stages
        of `before`.
        """
        environment = self._with_known_memory(environment or inputs.make())
        plain = RunOptions(self.options.iteration_limit)
        try:
            one = before.run(environment, self.options.lanes, replace(plain, at_end=at_end))
        except (LimitReached, DivergentBarrier) as reason:
            self.why_runs_failed = str(reason)
            return None
        try:
            other = self._run_after(after, environment, plain)
            if _lost_stores_spread(one, other):
                self.why_runs_failed = "invocations load what others may have stored to an undefined place"
                return None
            if not one.differences(other, float_tolerance=False):
                self._count(inputs, one, other)
                return None
            tracking = RunOptions(self.options.iteration_limit, track_error=True)
            one = before.run(environment, self.options.lanes, tracking)
            other = self._run_after(after, environment, tracking)
        except (LimitReached, DivergentBarrier) as reason:
            return Counterexample(inputs.seed, inputs.name, 0, "the run", "ends", str(reason))
        differences = one.differences(other, float_tolerance=True)
        if differences:
            return self._counterexample(differences[0], before, inputs)
        self.rounded = True
        self._count(inputs, one, other)
        return None

    def _with_known_memory(self, environment: Environment) -> Environment:
        environment.know(self.options.known_memory)
        return environment

    def _run_after(self, after: Subject, environment: Environment, options: RunOptions) -> Outcome:
        try:
            return after.run(environment, self.options.lanes, options)
        except LimitReached:
            longer = RunOptions(options.iteration_limit * _MORE_ROUNDS, options.track_error)
            return after.run(environment, self.options.lanes, longer)

    def _count(self, inputs: _Inputs, before: Outcome, after: Outcome) -> None:
        self.runs += 1
        self.lanes += counted_lanes(before, after)
        known = len(self.reached)
        for stage in before.stages:
            self.reached |= stage.executed
        if before.stages and inputs.is_usual:
            self.seen.add(before.stages[-1], after.stages[-1], before.culling)
        if len(self.reached) > known:
            self.news = self.runs

    def _counterexample(self, difference: Difference, before: Subject, inputs: _Inputs) -> Counterexample:
        asked = InputsAsked(before.machines)
        options = RunOptions(self.options.iteration_limit, at_end=asked.keep)
        before.run(self._with_known_memory(inputs.make()), self.options.lanes, options)
        if self.explain is not None:
            self.explain(lambda: self._with_known_memory(inputs.make()), difference.lane)
        return Counterexample(
            inputs.seed,
            inputs.name,
            difference.lane,
            difference.what,
            difference.before,
            difference.after,
            asked.on_lane(difference.lane),
        )

    def _blocks_not_run(self, before: Subject) -> tuple[str, ...]:
        return tuple(
            f"{shader.stage.abbreviation if shader.stage else ''} b{block.index}".strip()
            for shader in (machine.shader for machine in before.machines)
            for block in ([] if shader.entrypoint is None else shader.entrypoint.blocks())
            if block not in self.reached
        )
