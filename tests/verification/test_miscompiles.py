"""Transformations that are wrong in the ways in which Mesa's passes were, and the right ones beside them.

`tests/data/miscompiles/KIND_wrong.log` holds pairs of snapshots: a shader, and what a pass with such a fault
makes of it. `KIND_right.log` holds the result of the pass without the fault, as far as the pass does
anything.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from nirls.server.engine.verification.log import read_log
from nirls.server.engine.verification.run import comparisons_of
from nirls.server.engine.verification.unit import verify_unit

LOGS = sorted((Path(__file__).resolve().parents[1] / "data" / "miscompiles").glob("*.log"))


def verdicts(log: Path) -> dict[str, str]:
    """The verdict of each transition, by shader."""
    comparisons = comparisons_of(log.name, read_log(log.read_bytes()))
    return {
        f"{comparison.shader}, {comparison.pass_name}": verify_unit(comparison.unit).verdict
        for comparison in comparisons
        if comparison.unit is not None
    }


def test_there_are_logs_of_both_kinds() -> None:
    names = {log.stem for log in LOGS}
    assert {"control_flow_wrong", "control_flow_right", "values_wrong", "values_right"} <= names


@pytest.mark.parametrize("log", LOGS, ids=lambda log: log.stem)
@pytest.mark.sweep
def test_wrong_results_are_different_and_right_ones_are_not(log: Path) -> None:
    expected = "different" if log.stem.endswith("_wrong") else "equivalent"
    results = verdicts(log)
    assert len(results) == log.read_text().count("shader: ") // 2
    assert {shader: verdict for shader, verdict in results.items() if verdict != expected} == {}
