from __future__ import annotations

from nirls.ir.text.parse import parse_dump
from nirls.verification.difference_values import DifferenceValues, difference_values
from nirls.verification.snapshots import QUICK, RunnableSnapshot, compare_snapshots
from tests.server.ide.history.test_transition_texts import AFTER, BEFORE


def values_of(before: bytes, after: bytes) -> DifferenceValues | None:
    sides = RunnableSnapshot(parse_dump(before)), RunnableSnapshot(parse_dump(after))
    return difference_values(*sides, compare_snapshots(*sides, "nir_c", QUICK))


def test_values_of_both_snapshots_on_the_invocation_that_differs() -> None:
    found = values_of(BEFORE, AFTER)
    assert found is not None
    assert found.instruction is not None
    assert "fsub" in found.instruction.before
    sides = [{value.name: value for value in side.values} for side in (found.before, found.after)]
    bits = [[int(side[name].bits[0, found.invocation]) for side in sides] for name in ("%2", "%3")]
    assert bits[0][0] == bits[0][1]
    assert bits[1][0] != bits[1][1]


def test_equal_snapshots_have_none() -> None:
    assert values_of(BEFORE, BEFORE) is None
