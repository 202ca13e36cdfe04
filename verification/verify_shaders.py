"""Validation of a pass by running the shaders before and after it on many inputs."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from nirls.ir.analysis.correspondence import correspondence
from nirls.ir.effects import effects_of
from nirls.ir.io.interpolation import FragmentInputs
from nirls.ir.model.control_flow import Block
from nirls.ir.model.shader import Shader
from nirls.ir.model.slots import VARYING_SLOTS
from nirls.ir.model.values import Def
from nirls.verification.compare.paired_runs import AtEnd, PairedRuns
from nirls.verification.compare.results import Difference
from nirls.verification.compare.subject import Outcome, Subject, counted_lanes
from nirls.verification.compare.unwatched import lost_precision, unwatched_change
from nirls.verification.compare.what_counts import Seen, literal_outputs
from nirls.verification.evaluate.state.state import RunOptions
from nirls.verification.evaluate.steps.variables.slots import has_lowered_io, structs_without_slots
from nirls.verification.evaluate.values.errors import Unsupported
from nirls.verification.inputs.assumptions import Assumptions
from nirls.verification.inputs.constants import Constants, constants_of
from nirls.verification.inputs.inputs_asked import inputs_asked
from nirls.verification.inputs.overriding import overrides
from nirls.verification.inputs.recorded import Recorded, recorder
from nirls.verification.inputs.steering import TURNS, Steering
from nirls.verification.inputs.worlds import (
    DRAWS,
    DrawnEnvironment,
    environment_of_run,
    lone_environment,
)
from nirls.verification.proof.prepared import Prepared, prepared
from nirls.verification.proof.same_expressions import (
    same_expressions,
    same_linked_expressions,
)
from nirls.verification.tried import what_was_tried
from nirls.verification.verdict import (
    Counterexample,
    Different,
    Equivalent,
    Unchecked,
    Verdict,
)

_STEERED_SEED = 1_000_000
"""Offset of the seed of the steered runs from that of the others."""

_LONE_SEED = 2_000_000
_LONE_LANES = 4
_LEAST_LANES_OF_LONE, _MOST_LANES_OF_LONE = 1024, 8192
"""Bounds of the number of invocations that have special numbers one at a time, among numbers of one kind."""

_VALUES_OF_LONE = 1 << 21
"""Number of values of these invocations in all, between the bounds: large shaders have fewer, for memory."""

_VALUES_OF_A_STORE = 32
"""Values that cost as much as a store to a buffer or image, whose cells are kept one by one."""

_STORED = frozenset(("ssbo", "global", "image", "shared"))

_PATIENCE = 2
"""Number of consecutive runs without a newly reached block after which no more are made."""

_FEW_ROUNDS = 40
"""Iteration limit of loops, raised only if it leaves nothing to compare."""


@dataclass(frozen=True, slots=True)
class VerificationOptions:
    """Number and kind of the inputs to try.

    At least `runs` runs are made, of many draws with different inputs; then runs steered to outcomes of
    comparisons that have not occurred; then up to `most_runs` as long as there are blocks that no run has
    reached, or outputs that were hardly compared. If `runs` equals `most_runs`, exactly that many are made,
    none of them steered. A draw has about `lanes` invocations (pipelines choose their own number). Fewer
    than `least_lanes` valid invocations over all runs give no verdict. `time_budget`, in seconds of CPU
    time, limits the first `runs` and ends the rest; None for no limit. `assumptions` are those of the
    pass; inputs that contradict them are not tried. Without `seeks_difference`, no run is made where runs
    cannot show that the shaders are equivalent.
    """

    runs: int = 2
    most_runs: int = 8
    lanes: int = 128
    least_lanes: int = 16
    seed: int = 1
    iteration_limit: int = 2000
    time_budget: float | None = None
    assumptions: Assumptions = field(default_factory=Assumptions)
    seeks_difference: bool = True
    proves: bool = True


def verify_shaders(
    before: Sequence[Shader] | Shader,
    after: Sequence[Shader] | Shader,
    options: VerificationOptions | None = None,
) -> Verdict:
    """Compare the shaders before and after a pass.

    One shader alone must keep its outputs, discards, memory writes, emitted vertices and transform
    feedback. Linked shaders, given in pipeline order, must keep what fixed hardware and external state
    receive from the whole pipeline. Of a culled patch only that it is culled counts. Undefined values may
    become anything. Results must be equal bit for bit (all NaNs are equal). If they are not, both sides run
    again with their rounding errors tracked, and may differ within the bounds derived from their inexact
    operations. Where runs decide nothing, shaders that are proved to be the same (`same_expressions`) are
    equivalent. No run is needed for linked stages that are proved (`same_linked_expressions`).
    Never raises, whatever the shaders contain.
    """
    shaders, twins = _as_list(before), _as_list(after)
    if len(shaders) != len(twins):
        return Unchecked(f"{len(shaders)} shaders before, {len(twins)} after")
    options = options or VerificationOptions()
    if options.proves and proves_linked(shaders, twins):
        return Equivalent(0, 0, same_expressions=True)
    verdict = _verdict_of_runs(shaders, twins, options)
    if isinstance(verdict, Unchecked) and options.proves and all(map(same_expressions, shaders, twins)):
        return Equivalent(0, 0, same_expressions=True)
    return verdict


def _verdict_of_runs(shaders: list[Shader], twins: list[Shader], options: VerificationOptions) -> Verdict:
    seen = Seen(literal_outputs(shaders[-1]) if shaders else frozenset())
    try:
        culling = options.assumptions.culling
        subjects = Subject(shaders, culling), Subject(twins, culling)
    except Unsupported as reason:
        return Unchecked(str(reason))
    return validate_subjects(*subjects, options, seen)


@dataclass(frozen=True, slots=True)
class Witness:
    """A run that shows a difference: its inputs and size, and the output instance that differs."""

    environment: DrawnEnvironment
    instance: int
    lanes: int
    iteration_limit: int


Explain = Callable[[Witness], None]
"""Callback with the run that shows a difference."""


def validate_subjects(
    before: Subject, after: Subject, options: VerificationOptions, seen: Seen, explain: Explain | None = None
) -> Verdict:
    """Compare two subjects; `seen` counts the compared places, `explain` is called for a difference."""
    sides = tuple([machine.shader for machine in side.machines] for side in (before, after))
    constants = constants_of(*sides)
    if not options.seeks_difference:
        reason = _unwatched_change(before, after)
        if reason is not None:
            return Unchecked(reason)
    try:
        verdict = _Validation(before, after, options, constants, seen, explain).verdict()
    except Unsupported as reason:
        return Unchecked(str(reason))
    if isinstance(verdict, Different):
        return _lowered_structs(*sides) or verdict
    # The order of accesses may have changed in a way that no run shows.
    change = _unwatched_change(before, after) if isinstance(verdict, Equivalent) else None
    return verdict if change is None else Unchecked(change)


def _lowered_structs(before: Sequence[Shader], after: Sequence[Shader]) -> Unchecked | None:
    """Return why a difference proves nothing: one side has slots for what the other names by a member."""
    for pair in zip(before, after, strict=True):
        for one, other in (pair, pair[::-1]):
            structs = structs_without_slots(one) - structs_without_slots(other)
            if structs and (has_lowered_io(other) or any(_has_members(other, name) for name in structs)):
                names = ", ".join(sorted(structs))
                return Unchecked(f"the dump does not print which slots the members of {names} have")
    return None


def _has_members(shader: Shader, struct: str) -> bool:
    """Return whether the members of an input or output struct are variables of their own."""
    return any(variable.name.startswith((f"{struct}.", f"{struct}[*].")) for variable in shader.variables)


def _unwatched_change(before: Subject, after: Subject) -> str | None:
    """Return why equal results of runs prove nothing; None if they do."""
    for one, other in zip(before.machines, after.machines, strict=True):
        reason = unwatched_change(one.shader, other.shader) or _mixes_qualifiers(one.shader, other.shader)
        if reason is not None:
            return reason
    return lost_precision(*([one.shader for one in side.machines] for side in (before, after)))


def proves_linked(before: Sequence[Shader | Prepared], after: Sequence[Shader | Prepared]) -> bool:
    """Whether linked stages have the same expressions, and the interpolation of their inputs is certain."""
    if not same_linked_expressions(before, after):
        return False
    shaders = ([prepared(one).shader for one in side] for side in (before, after))
    return not any(map(_mixes_qualifiers, *shaders))


def most_lone_lanes(values: int) -> int:
    """Return how many invocations have special numbers one at a time if each computes so many values."""
    return min(_MOST_LANES_OF_LONE, max(_LEAST_LANES_OF_LONE, _VALUES_OF_LONE // max(values, 1)))


def _cost_in_values(block: Block) -> int:
    """Return the number of instructions of a block, where stores to memory count as several."""
    return sum(_VALUES_OF_A_STORE if effects_of(instr).writes(_STORED) else 1 for instr in block)


def _mixes_qualifiers(before: Shader, after: Shader) -> str | None:
    """Return why the interpolation of `after` is not certain; None if it is, or if `before` mixed too.

    A run interpolates each load by itself, but hardware may have one qualifier for all components of a slot.
    """
    if FragmentInputs(before).mixed_slots:
        return None
    for slot in FragmentInputs(after).mixed_slots:
        return f"components of {VARYING_SLOTS[slot]} are interpolated differently now"
    return None


def _before_of(before: Subject, after: Subject) -> dict[Def, Def]:
    """Return the value before the pass that corresponds to each value after it, of all stages."""
    found: dict[Def, Def] = {}
    for one, other in zip(before.machines, after.machines, strict=True):
        first, second = one.shader.entrypoint, other.shader.entrypoint
        if first is not None and second is not None:
            found |= correspondence(first, second).values
    return found


def _as_list(shaders: Sequence[Shader] | Shader) -> list[Shader]:
    return [shaders] if isinstance(shaders, Shader) else list(shaders)


class _Validation:
    """One comparison of two subjects."""

    def __init__(
        self,
        before: Subject,
        after: Subject,
        options: VerificationOptions,
        constants: Constants,
        seen: Seen,
        explain: Explain | None,
    ) -> None:
        self.before = before
        self.after = after
        self.options = options
        self.explain = explain
        self.constants = constants
        self.deadline = None if options.time_budget is None else time.thread_time() + options.time_budget
        self.runs = 0
        self.lanes = 0
        self.lanes_of_draw = 0
        self.overridden = 0
        self.doubt: str | None = None
        # How often the runs have executed a block.
        self.reached: Counter[Block] = Counter()
        self.news = 0
        self.seen = seen
        self.paired = PairedRuns(
            before, after, options.assumptions, min(_FEW_ROUNDS, options.iteration_limit)
        )
        self.given_up: dict[str, None] = {}
        self.specials_met: dict[object, int] = {}

    def verdict(self) -> Verdict:
        for number in range(max(self.options.most_runs, self.options.runs)):
            is_extra = number >= self.options.runs
            if number == self.options.runs and not self._is_late():
                found = self._lone_run() or self._steered_runs()
                if found is not None:
                    return Different(found)
            if is_extra and (self._is_late() or self._has_seen_enough(number)):
                break
            if self._is_late():
                reason = f"time budget of {self.options.time_budget:g} s used up after {self.runs} runs"
                return Unchecked(reason, is_late=True)
            environment = environment_of_run(number, self.options.seed, self.constants, self.specials_met)
            found = self._one_run(environment)
            if found is not None:
                return Different(found)
            if self.given_up and self.lanes < self.options.least_lanes:
                self.paired.iteration_limit = self.options.iteration_limit
        if self.lanes < self.options.least_lanes:
            if self.given_up:
                return Unchecked(next(iter(self.given_up)))
            return Unchecked(f"only {self.lanes} invocations did not depend on undefined values or rounding")
        unseen = self.seen.never_compared()
        if unseen is not None:
            return Unchecked(f"{unseen} is undefined, discarded or a matter of rounding in {self.runs} runs")
        if self.doubt is not None:
            return Unchecked(self.doubt)
        sides = {
            "before": (self.before.machines, self.paired.coverage[0]),
            "after": (self.after.machines, self.paired.coverage[1]),
        }
        tried = replace(what_was_tried(sides, self.specials_met, self.reached), overridden=self.overridden)
        return Equivalent(self.runs, self.lanes, self.paired.is_rounded, self._blocks_not_run(), tried)

    def _has_seen_enough(self, number: int) -> bool:
        if not self.seen.is_enough:
            return False
        in_vain = number - max(self.news, self.options.runs)
        return in_vain >= _PATIENCE or not self._blocks_not_run()

    def _is_late(self) -> bool:
        return self.deadline is not None and time.thread_time() > self.deadline

    def _lone_run(self) -> Counterexample | None:
        """Run with special numbers and constants of one side at one place at a time."""
        values = sum(times * _cost_in_values(block) for block, times in self.reached.items())
        draws = most_lone_lanes(values // max(self.runs, 1)) // max(_LONE_LANES, self.lanes_of_draw)
        environment = lone_environment(
            self.options.seed + _LONE_SEED, self.constants, self.specials_met, draws
        )
        return self._one_run(environment, lanes=_LONE_LANES)

    def _steered_runs(self) -> Counterexample | None:
        """Run with inputs that steer the comparisons of both sides to outcomes that have not occurred.

        Those that differ between the sides are steered to equality. What neither these nor earlier inputs
        have reached is overridden at the end.
        """
        if not any(side.comparisons or side.indices for side in self.paired.coverage):
            return None
        steering = Steering(self.options.seed + _STEERED_SEED, self.constants, self.specials_met)
        before_of = _before_of(self.before, self.after)
        for _ in range(1 + TURNS):
            if self._is_late():
                return None
            environment = steering.environment()
            keep = (
                recorder(self.before.machines, steering.recorded),
                recorder(self.after.machines, steering.recorded),
            )
            found = self._one_run(environment, keep)
            if found is not None:
                return found
            if not steering.aim(environment, self.paired.coverage, before_of):
                break
        self._override(steering, environment, before_of)
        return None

    def _override(
        self, steering: Steering, environment: DrawnEnvironment, before_of: Mapping[Def, Def]
    ) -> None:
        """Repeat the last run with values overridden; a difference makes the verdict doubtful."""
        machines = self.before.machines, self.after.machines
        found = overrides(*machines, self.paired.coverage, steering.recorded, self.reached, before_of)
        if not found.of_draw or not self.after.may_override:
            return
        set_values = found.before, found.after
        pair = self.paired.run(environment, self.options.lanes, set_values=set_values)
        self.overridden = len(found.of_draw)
        if pair.differences:
            first = pair.differences[0]
            launch = pair.before.stages[-1].launch
            is_lane = launch.draw is not None and len(pair.before.stages) == 1 and first.lane < launch.lanes
            draw = int(launch.draw[first.lane]) if launch.draw is not None and is_lane else None
            self.doubt = f"{first.what} differs only where a value is overridden ({found.name_of(draw)})"

    def _one_run(
        self,
        environment: DrawnEnvironment,
        keep: tuple[AtEnd | None, AtEnd | None] = (None, None),
        lanes: int | None = None,
    ) -> Counterexample | None:
        """Run both sides with the same inputs; None if they agree, or the run is inconclusive.

        `keep` is called with the final state of each stage, on either side.
        """
        lanes = lanes or self.options.lanes
        pair = self.paired.run(environment, lanes, keep)
        if pair.differences:
            return self._counterexample(pair.differences[0], environment, lanes)
        self.paired.is_rounded |= pair.is_rounded
        self.doubt = pair.doubt or self.doubt
        self._count(environment, pair.before, pair.after)
        return None

    def _count(self, environment: DrawnEnvironment, before: Outcome, after: Outcome) -> None:
        self.runs += 1
        self.lanes += counted_lanes(before, after)
        known = len(self.reached)
        if not self.lanes_of_draw:
            launches = [stage.launch for stage in before.stages]
            sizes = [one.group_size if len(launches) == 1 else one.lanes // DRAWS for one in launches]
            self.lanes_of_draw = max(sizes, default=1)
        for stage in before.stages:
            self.reached.update(stage.executed)
            self.given_up.update(dict.fromkeys(stage.given_up))
        if before.last is not None and after.last is not None:
            usual = np.array([world.is_usual for world in environment.worlds])
            self.seen.add(before.last, after.last, before.culling, usual)
        if len(self.reached) > known:
            self.news = self.runs

    def _counterexample(
        self, difference: Difference, environment: DrawnEnvironment, lanes: int
    ) -> Counterexample:
        recorded: list[Recorded] = []
        options = RunOptions(self.paired.iteration_limit, at_end=recorder(self.before.machines, recorded))
        outcome = self.before.run(environment, lanes, options)
        launch = outcome.stages[-1].launch if outcome.stages else None
        draw = 0
        if launch is not None and launch.draw is not None and difference.lane < launch.lanes:
            draw = int(launch.draw[difference.lane])
        if self.explain is not None:
            self.explain(Witness(environment, difference.lane, lanes, self.paired.iteration_limit))
        return Counterexample(
            environment.seed,
            environment.worlds[draw].name,
            difference.lane,
            difference.what,
            difference.before,
            difference.after,
            inputs_asked(recorded[-1], difference.lane) if recorded else (),
        )

    def _blocks_not_run(self) -> tuple[str, ...]:
        return tuple(
            f"{shader.stage.abbreviation if shader.stage else ''} b{block.index}".strip()
            for shader in (machine.shader for machine in self.before.machines)
            for block in ([] if shader.entrypoint is None else shader.entrypoint.blocks())
            if block not in self.reached
        )
