"""Findings as JSON: a list of objects with `file`, `range`, `severity`, `code`, `message` and `fixes`.

Lines and characters count from 0, characters in UTF-16 code units, as in LSP. The end of a range is
exclusive.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict

from nirls.ir.finding import Fix
from nirls.server.engine.base.shown_text import CI_COMMAND
from nirls.server.engine.checks.fix_verdicts import FixVerdict
from nirls.server.engine.documents.positions import plain_range
from nirls.server.engine.files.located_findings import FileEdit, LocatedFinding, Location


def json_report(findings: Sequence[LocatedFinding]) -> str:
    """Return the report, ending in a newline."""
    return json_text([_finding(finding) for finding in findings])


def json_text(plain: object) -> str:
    """Format JSON values, indented, without text that CI systems interpret as a command."""
    text = json.dumps(plain, indent=2, ensure_ascii=False) + "\n"
    # In JSON, this can only occur in a string.
    return text.replace(CI_COMMAND, "##\\u005b")


def _finding(located: LocatedFinding) -> dict[str, object]:
    finding = located.finding
    return {
        **_location(located.location(finding.place)),
        "severity": finding.severity.value,
        "code": finding.code,
        "message": finding.message,
        "pass": finding.pass_name or None,
        "related": [{**_location(place), "message": message} for place, message in located.related()],
        "fixes": [_fix(fix, located.edits_of(fix), located.verdict_of(fix)) for fix in finding.fixes],
        "data": finding.data,
    }


def _fix(fix: Fix, edits: Sequence[FileEdit] | None, verdict: FixVerdict | None) -> dict[str, object]:
    """Convert a fix, with edits and verdict if they were computed. `nirls opt` applies the others."""
    described: dict[str, object] = {"title": fix.title, "request": asdict(fix.request)}
    if edits is not None:
        described["edits"] = [{**_location(edit.location), "newText": edit.new_text} for edit in edits]
    if verdict is not None:
        described["verdict"] = asdict(verdict)
    return described


def _location(location: Location) -> dict[str, object]:
    return {"file": location.file, "range": plain_range(location.range)}
