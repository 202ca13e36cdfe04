from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from nirls.ir.finding import Severity
from nirls.server.cli.reports.sarif_report import sarif_report
from nirls.server.engine.files.located_findings import LocatedFinding
from tests.server.engine.files.test_located_findings import located


def results(*found: LocatedFinding) -> list[dict[str, Any]]:
    (run,) = json.loads(sarif_report(found))["runs"]
    return list(run["results"])


def test_lines_and_columns_count_from_one() -> None:
    (result,) = results(located("a.nir", 4))
    place = result["locations"][0]["physicalLocation"]
    assert place["region"] == {"startLine": 5, "startColumn": 1, "endLine": 5, "endColumn": 2}
    (fix,) = result["fixes"]
    assert fix["artifactChanges"][0]["replacements"][0]["insertedContent"] == {"text": "new"}


def test_rules_are_listed_once() -> None:
    (run,) = json.loads(sarif_report([located("a"), located("b")]))["runs"]
    assert [rule["id"] for rule in run["tool"]["driver"]["rules"]] == ["odd"]
    assert [result["ruleIndex"] for result in run["results"]] == [0, 0]


def test_rules_have_the_page_of_their_finding() -> None:
    found = located("a")
    found = replace(found, finding=replace(found.finding, code="dead-output"))
    (run,) = json.loads(sarif_report([found]))["runs"]
    (rule,) = run["tool"]["driver"]["rules"]
    assert rule["help"]["markdown"].startswith("# ")
    assert "file://" not in str(rule)


@pytest.mark.parametrize(
    ("severity", "level"),
    [(Severity.ERROR, "error"), (Severity.INFORMATION, "note"), (Severity.HINT, "note")],
)
def test_levels(severity: Severity, level: str) -> None:
    assert results(located("a", 0, severity))[0]["level"] == level


@pytest.mark.parametrize(
    ("file", "uri"),
    [
        ("a b#c.nir", "a%20b%23c.nir"),
        ("/x/é.nir", "file:///x/%C3%A9.nir"),
        ("d/e.nir", "d/e.nir"),
        ("\udcff.nir", "%FF.nir"),
    ],
)
def test_files_are_uris(file: str, uri: str) -> None:
    assert results(located(file))[0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == uri


def test_nothing_of_a_message_is_a_link() -> None:
    one = located("a", message="see [here](0) and [plain]")
    assert results(one)[0]["message"]["text"] == r"see \[here\](0) and \[plain\]"
