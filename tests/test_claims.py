"""The table of claims names files, tests and findings that exist."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from nirls.passes.registry import all_passes

PROJECT = Path(__file__).parent.parent
ROWS = [
    [cell.strip() for cell in line.strip("|").split(" | ")]
    for line in (PROJECT / "docs" / "claims.md").read_text().splitlines()
    if line.startswith("|") and not line.startswith(("| claim", "| ---"))
]
CODES = {code.code for declared in all_passes() for code in declared.codes}


def quoted(cell: str) -> list[str]:
    return re.findall(r"`([^`]+)`", cell)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0].strip("| ")[:50])
def test_row_names_what_exists(row: list[str]) -> None:
    assert len(row) == 4
    claim, where, tests, findings = row
    for path in quoted(where):
        assert (PROJECT / path).is_file(), path
    for name in quoted(tests):
        path, _, function = name.partition("::")
        assert f"def {function}(" in (PROJECT / path).read_text(), name
    assert set(quoted(findings)) <= CODES
    assert "**Open" not in claim
    assert quoted(where), "no place"
    assert quoted(tests), "no test"


def test_every_finding_of_a_linking_or_single_shader_pass_is_surfaced_by_a_claim() -> None:
    named = {code for row in ROWS for code in quoted(row[3])}
    # No design document describes the clean-up passes, which are Mesa's own.
    of_clean_up = {
        code.code
        for declared in all_passes()
        for code in declared.codes
        if declared.__module__.startswith("nirls.passes.cleanup.")
    }
    of_input = {"io-not-lowered", "separate-shader"}
    assert of_clean_up | of_input == CODES - named
