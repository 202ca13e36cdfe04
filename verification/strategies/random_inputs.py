"""Runs with random inputs of several kinds, the same on both sides."""

from __future__ import annotations

from nirls.verification.comparison import RunComparison
from nirls.verification.inputs.input_kinds import environment_of_run
from nirls.verification.verdict import Different, Unchecked

_PATIENCE = 2
"""Number of consecutive runs without a newly reached block after which no more are made."""


def random_inputs(comparison: RunComparison) -> Different | Unchecked | None:
    """Make the first runs; `Unchecked` if the time budget does not allow them."""
    for number in range(comparison.first_runs):
        if comparison.is_late:
            return comparison.late_verdict()
        verdict = _run(comparison, number)
        if verdict is not None:
            return verdict
    return None


def more_random_inputs(comparison: RunComparison) -> Different | Unchecked | None:
    """Make more runs as long as there are blocks that were not reached, or outputs hardly compared."""
    options = comparison.options
    for number in range(comparison.first_runs, options.most_runs):
        if comparison.is_late or _has_seen_enough(comparison, number):
            return None
        verdict = _run(comparison, number)
        if verdict is not None:
            return verdict
    return None


def _run(comparison: RunComparison, number: int) -> Different | Unchecked | None:
    options = comparison.options
    verdict = comparison.run(
        environment_of_run(number, options.seed, comparison.constants, comparison.specials_met),
        turn=number,
    )
    if comparison.is_starved:
        comparison.paired.iteration_limit = options.iteration_limit
    return verdict


def _has_seen_enough(comparison: RunComparison, number: int) -> bool:
    if not comparison.places.is_enough:
        return False
    in_vain = number - max(comparison.last_new_block, comparison.first_runs)
    return in_vain >= _PATIENCE or not comparison.blocks_not_run()
