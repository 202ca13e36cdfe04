"""A run in which special numbers come one at a time, so that no other number hides their effect."""

from __future__ import annotations

from nirls.ir.effects import effects_of
from nirls.ir.model.control_flow import Block
from nirls.verification.comparison import RunComparison
from nirls.verification.inputs.input_kinds import lone_environment
from nirls.verification.verdict import Different, Unchecked

_SEED = 2_000_000
"""Offset of the seed from that of the other runs."""

_LANES = 4
_LEAST_LANES, _MOST_LANES = 1024, 8192
"""Bounds of the number of invocations that have special numbers one at a time, among numbers of one kind."""

_VALUES = 1 << 21
"""Number of values of these invocations in all, between the bounds: large shaders have fewer, for memory."""

_VALUES_OF_A_STORE = 32
"""Values that cost as much as a store to a buffer or image, whose cells are kept one by one."""

_STORED = frozenset(("ssbo", "global", "image", "shared"))


def lone_inputs(comparison: RunComparison) -> Different | Unchecked | None:
    """Run with special numbers and constants of one side at one place at a time."""
    if not comparison.options.has_extra_runs or comparison.is_late:
        return None
    values = sum(times * _cost_in_values(block) for block, times in comparison.reached.items())
    most_lanes = most_lone_lanes(values // max(comparison.runs, 1))
    environment = lone_environment(
        comparison.options.seed + _SEED,
        comparison.constants,
        comparison.specials_met,
        most_lanes // max(_LANES, comparison.lanes_of_draw),
    )
    return comparison.run(environment, lanes=_LANES)


def most_lone_lanes(values: int) -> int:
    """Return how many invocations have special numbers one at a time if each computes so many values."""
    return min(_MOST_LANES, max(_LEAST_LANES, _VALUES // max(values, 1)))


def _cost_in_values(block: Block) -> int:
    """Return the number of instructions of a block, where stores to memory count as several."""
    return sum(_VALUES_OF_A_STORE if effects_of(instr).writes(_STORED) else 1 for instr in block)
