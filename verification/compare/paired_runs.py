"""Runs of both sides of a comparison on the same inputs, with error bounds where the results differ."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from nirls.ir.analysis.assumptions import Assumptions
from nirls.ir.model.instructions import Instr
from nirls.ir.model.shader import Shader
from nirls.verification.compare.results import UNDEFINED, Difference
from nirls.verification.compare.roundings import changes_only_exact, replaces_waves, uncounted_roundings
from nirls.verification.compare.subject import Outcome, Subject
from nirls.verification.evaluate.state.compiled import Overrides
from nirls.verification.evaluate.state.coverage import Coverage
from nirls.verification.evaluate.state.options import RunOptions
from nirls.verification.evaluate.state.state import State
from nirls.verification.inputs.input_kinds import RandomEnvironment
from nirls.verification.proof.unchanged_operations import UnchangedOperations, unchanged_operations

_MORE_ROUNDS = 4
"""Factor on the iteration limit after the pass, before a loop there counts as endless."""

AtEnd = Callable[[State], None]
"""Called with the final state of a stage."""


@dataclass(frozen=True, slots=True)
class PairOfResults:
    """Results of both sides of a run.

    `is_rounded` is set if they are not equal bit for bit. `doubt` is why their rounding may have made a
    difference after all, None if nothing speaks for that.
    """

    before: Outcome
    after: Outcome
    differences: Sequence[Difference] = ()
    is_rounded: bool = False
    doubt: str | None = None


class PairedRuns:
    """Runs of two subjects.

    Once a run was not equal bit for bit (`is_rounded`), the others are made with error bounds at once. The
    runs add to `coverage`, that of each side. `iteration_limit` is that of the loops, `deadline` that of all
    runs.
    """

    def __init__(
        self,
        before: Subject,
        after: Subject,
        assumptions: Assumptions,
        iteration_limit: int,
        deadline: float | None = None,
    ) -> None:
        self.before = before
        self.after = after
        self.assumptions = assumptions
        self.iteration_limit = iteration_limit
        self.deadline = deadline
        self.is_rounded = False
        self.coverage = (Coverage(), Coverage())
        # What adds no rounding of its own, on each side; None until results differ.
        self.unchanged: tuple[UnchangedOperations, UnchangedOperations] | None = None
        self.uncounted: frozenset[Instr] = frozenset()
        self.changes_only_exact = False
        # As long as a shader alone has been seen to interpolate no other values after the pass than before.
        self.interpolation_is_exact = True

    def run(
        self,
        environment: RandomEnvironment,
        lanes: int,
        keep: tuple[AtEnd | None, AtEnd | None] = (None, None),
        set_values: tuple[Overrides | None, Overrides | None] = (None, None),
    ) -> PairOfResults:
        """Run both sides, and again with error bounds if they differ.

        `keep` is called with the final state of each stage, on either side; `set_values` override values.
        Raises `TimeUsedUp` at the deadline.
        """
        environment.fix_words(self.assumptions.known_memory)
        if not self.assumptions.coordinate_replacement:
            environment.state = replace(environment.state, sprite_coords=0)
        options = [
            RunOptions(
                self.iteration_limit,
                at_end=at_end,
                coverage=coverage,
                overrides=overrides,
                deadline=self.deadline,
            )
            for at_end, coverage, overrides in zip(keep, self.coverage, set_values, strict=True)
        ]
        if not self.is_rounded:
            outcome, other = self._results(environment, lanes, options)
            if not outcome.differences(other, float_tolerance=False):
                return PairOfResults(outcome, other)
            options = [replace(option, at_end=None, coverage=None) for option in options]
        if set_values == (None, None):
            # Values that are overridden are not computed alike any more.
            options = self._of_what_is_alike(options)
        outcome, other = self._tracking_results(environment, lanes, options)
        if self.interpolation_is_exact and not _interpolate_alike(outcome, other):
            self.interpolation_is_exact = False
            outcome, other = self._tracking_results(environment, lanes, options)
        differences, doubt = outcome.differences(other, float_tolerance=True), None
        if (
            differences
            and not self.changes_only_exact
            and any(option.certain or option.unchanged for option in options)
        ):
            # What the operations that changed may not round, all operations together may.
            self.unchanged = UnchangedOperations(), UnchangedOperations()
            self._choose_roundings(self.unchanged)
            options = [
                replace(option, at_end=None, coverage=None, certain=(), unchanged=()) for option in options
            ]
            outcome, other = self._tracking_results(environment, lanes, options)
            first, differences = differences[0], outcome.differences(other, float_tolerance=True)
            if not differences:
                doubt = f"{first.what} differs by more than the operations that changed may round"
        if differences and differences[0].after == UNDEFINED:
            # Hardware saturates where a float is out of the range of the integer; NIR does not ask for it.
            options = [replace(option, at_end=None, coverage=None, saturates=True) for option in options]
            outcome, other = self._tracking_results(environment, lanes, options)
            first, differences = differences[0], outcome.differences(other, float_tolerance=True)
            if not differences:
                doubt = f"{first.what} depends on how a float out of range is converted to an integer"
        wave = replaces_waves(*self._shaders()) if differences else None
        if wave is not None:
            options = [replace(option, at_end=None, coverage=None, is_coarse=True) for option in options]
            outcome, other = self._tracking_results(environment, lanes, options)
            first, differences = differences[0], outcome.differences(other, float_tolerance=True)
            if not differences:
                doubt = f"{first.what} depends on how accurately {wave} is computed"
        return PairOfResults(outcome, other, differences, is_rounded=True, doubt=doubt)

    def _shaders(self) -> tuple[list[Shader], list[Shader]]:
        before, after = ([machine.shader for machine in side.machines] for side in (self.before, self.after))
        return before, after

    def _choose_roundings(self, sides: tuple[UnchangedOperations, UnchangedOperations]) -> None:
        before, after = self._shaders()
        unchanged = sides[0].certain | sides[0].operations, sides[1].certain | sides[1].operations
        if not self.before.matters.narrows:
            self.uncounted = uncounted_roundings(before, after, unchanged)
            self.changes_only_exact = changes_only_exact(before, unchanged[0])

    def _of_what_is_alike(self, options: Sequence[RunOptions]) -> list[RunOptions]:
        """Return options with which what both sides compute alike adds nothing to error bounds."""
        if self.unchanged is None:
            sides = self.before, self.after
            shaders = ([machine.shader for machine in side.machines] for side in sides)
            self.unchanged = (
                unchanged_operations(*shaders)
                if self.after.may_override
                else (UnchangedOperations(), UnchangedOperations())
            )
            self._choose_roundings(self.unchanged)
        return [
            replace(option, certain=side.certain, unchanged=side.operations)
            for option, side in zip(options, self.unchanged, strict=True)
        ]

    def _tracking_results(
        self, environment: RandomEnvironment, lanes: int, options: Sequence[RunOptions]
    ) -> tuple[Outcome, Outcome]:
        tracking = [
            replace(option, track_error=True, interpolation_is_exact=self.interpolation_is_exact)
            for option in options
        ]
        if self.unchanged is None:
            self._choose_roundings((UnchangedOperations(), UnchangedOperations()))
        tracking[0] = replace(tracking[0], marks_inexact=True)
        tracking[1] = replace(tracking[1], uncounted=self.uncounted)
        return self._results(environment, lanes, tracking)

    def _results(
        self, environment: RandomEnvironment, lanes: int, options: Sequence[RunOptions]
    ) -> tuple[Outcome, Outcome]:
        """Run both sides; the second again with a higher limit if only its loops exceed it."""
        outcome = self.before.run(environment, lanes, options[0])
        other = self.after.run(environment, lanes, options[1])
        if any(stage.given_up for stage in other.stages) and not all(
            stage.given_up for stage in outcome.stages
        ):
            longer = replace(options[1], iteration_limit=options[1].iteration_limit * _MORE_ROUNDS)
            other = self.after.run(environment, lanes, longer)
        _excuse_lost_stores(outcome, other)
        return outcome, other


def _excuse_lost_stores(before: Outcome, after: Outcome) -> None:
    """Exclude all invocations of a draw that a store to an undefined place may affect."""
    for shader_result in before.stages:
        spread = {draw for stage in (*before.stages, *after.stages) for draw in stage.communicating}
        if spread and shader_result.astray.any():
            draw = shader_result.launch.draw_of_lane
            shader_result.poisoned |= np.isin(draw, list(spread & set(draw[shader_result.astray].tolist())))


def _interpolate_alike(before: Outcome, after: Outcome) -> bool:
    """Whether one shader interpolates only values that it interpolated before: they are equal bit for bit.

    Linked shaders may interpolate the result of an expression instead of its operands.
    """
    if len(before.stages) != 1:
        return False
    return after.stages[0].interpolations <= before.stages[0].interpolations
