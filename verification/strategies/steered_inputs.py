"""Runs steered to outcomes of comparisons that have not occurred, and runs with values overridden."""

from __future__ import annotations

from nirls.ir.analysis.correspondence import correspondence
from nirls.ir.model.values import Def
from nirls.verification.compare.subject import Subject
from nirls.verification.comparison import RunComparison
from nirls.verification.evaluate.values.errors import TimeUsedUp
from nirls.verification.inputs.overriding import overrides
from nirls.verification.inputs.recorded import recorder
from nirls.verification.inputs.steering import TURNS, Steering
from nirls.verification.verdict import Different, Unchecked

_SEED = 1_000_000
"""Offset of the seed from that of the other runs."""


def steered_inputs(comparison: RunComparison) -> Different | Unchecked | None:
    """Run with inputs that steer the comparisons of both sides to outcomes that have not occurred.

    Those that differ between the sides are steered to equality. The last run is kept as `steered`.
    """
    options, coverage = comparison.options, comparison.paired.coverage
    if not options.has_extra_runs or not any(side.comparisons or side.indices for side in coverage):
        return None
    steering = Steering(options.seed + _SEED, comparison.constants, comparison.specials_met)
    before_of = before_of_after(comparison.before, comparison.after)
    for _ in range(1 + TURNS):
        if comparison.is_late:
            comparison.steered = None
            return None
        environment = steering.environment()
        keep = (
            recorder(comparison.before.machines, steering.recorded),
            recorder(comparison.after.machines, steering.recorded),
        )
        verdict = comparison.run(environment, keep)
        if verdict is not None:
            return verdict
        comparison.steered = steering, environment
        if not steering.aim(environment, coverage, before_of):
            return None
    return None


def overridden_values(comparison: RunComparison) -> None:
    """Repeat the last steered run with values overridden on both sides alike.

    They are set so that comparisons and branches have the outcomes that no input has reached. A difference
    is only a doubt, since no input may lead to such values.
    """
    if comparison.steered is None or not comparison.after.may_override:
        return
    steering, environment = comparison.steered
    set_values = overrides(
        comparison.before.machines,
        comparison.after.machines,
        comparison.paired.coverage,
        steering.recorded,
        comparison.reached,
        before_of_after(comparison.before, comparison.after),
    )
    if not set_values.of_draw:
        return
    try:
        pair = comparison.paired.run(
            environment, comparison.options.lanes, set_values=(set_values.before, set_values.after)
        )
    except TimeUsedUp:
        return
    comparison.overridden = len(set_values.of_draw)
    if pair.differences:
        first = pair.differences[0]
        launch = pair.before.stages[-1].launch
        is_lane = launch.draw is not None and len(pair.before.stages) == 1 and first.lane < launch.lanes
        draw = int(launch.draw[first.lane]) if launch.draw is not None and is_lane else None
        name = set_values.name_of(draw)
        comparison.doubt = f"{first.what} differs only where a value is overridden ({name})"


def before_of_after(before: Subject, after: Subject) -> dict[Def, Def]:
    """Return the value before the pass that corresponds to each value after it, of all stages."""
    values: dict[Def, Def] = {}
    for machine, twin in zip(before.machines, after.machines, strict=True):
        first, second = machine.shader.entrypoint, twin.shader.entrypoint
        if first is not None and second is not None:
            values |= correspondence(first, second).values
    return values
