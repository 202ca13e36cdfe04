from __future__ import annotations

from pathlib import Path

from nirls.passes.translation_validation import (
    Counterexample,
    Different,
    Equivalent,
    Unchecked,
    ValidationOptions,
)
from tools.corpus.validation import WRONG_IN_MESA, Checked, check_folder, table

DIFFERENT = Different(Counterexample(1, "plain numbers", 0, "discard", "True", "False"))


def test_outcomes() -> None:
    known = min(WRONG_IN_MESA)
    assert Checked("a", known, DIFFERENT).outcome == "known"
    assert Checked("a", known, Equivalent(1, 1)).outcome == "equivalent"
    assert Checked("a", "another", DIFFERENT).outcome == "different"
    assert Checked("a", "another", Unchecked("why")).outcome == "unchecked"


def test_counts() -> None:
    checked = [
        Checked("a", "x", Equivalent(1, 1)),
        Checked("a", "y", DIFFERENT),
        Checked("b", "x", DIFFERENT),
    ]
    result = table(checked)
    cells = [list(column.cells) for column in result.columns]
    assert cells == [["a", "b"], ["1", "0"], ["0", "0"], ["0", "0"], ["1", "1"]]


def test_a_whole_folder(corpus: Path) -> None:
    options = ValidationOptions(runs=2, most_runs=2, lanes=16, least_lanes=4)
    found = check_folder(corpus / "pipelines" / "glmark_pulsar" / "modern", ("io",), options)
    assert {"Mesa: linked", "nirls: opt_varyings_dead_io"} <= {one.source for one in found}
    assert [one.name for one in found if one.outcome == "different"] == []
