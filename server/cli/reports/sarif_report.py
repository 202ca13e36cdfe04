"""Findings as SARIF 2.1.0, for code hosts and other viewers."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from pathlib import Path, PurePath
from urllib.parse import quote

from nirls.ir.finding import FindingCode, Fix, Severity
from nirls.passes import registry
from nirls.server.cli.reports.json_report import json_text
from nirls.server.engine.base.installed import version_of
from nirls.server.engine.checks.finding_codes import finding_codes
from nirls.server.engine.documents.positions import Range
from nirls.server.engine.files.located_findings import FileEdit, LocatedFinding, Location
from nirls.server.ide.rule_pages import page_of, page_text

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"

_LEVELS = {
    Severity.ERROR: "error",
    Severity.WARNING: "warning",
    Severity.INFORMATION: "note",
    Severity.HINT: "note",
}
_LINK = re.compile(r"\[[^\[\]]*\]\(")


def sarif_report(findings: Sequence[LocatedFinding]) -> str:
    """Return a log with one run, ending in a newline."""
    known = finding_codes(registry.all_passes())
    codes = {
        finding.code: known.get(finding.code) or FindingCode(finding.code, finding.code, finding.severity)
        for finding in (located.finding for located in findings)
    }
    indices = {code: index for index, code in enumerate(codes)}
    log = {
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [
            {
                "tool": {
                    "driver": {
                        "name": "nirls",
                        "version": version_of("nirls", "0"),
                        "rules": [
                            {
                                "id": code.code,
                                "shortDescription": {"text": code.title},
                                **_help(code.code),
                                "defaultConfiguration": {"level": _LEVELS.get(code.severity, "none")},
                            }
                            for code in codes.values()
                        ],
                    }
                },
                "columnKind": "utf16CodeUnits",
                "results": [_result(located, indices[located.finding.code]) for located in findings],
            }
        ],
    }
    return json_text(log)


def _help(code: str) -> dict[str, object]:
    """The page of a kind of finding; empty for a code without a page.

    Its place is a file of this machine, which a report must not name: it is read elsewhere.
    """
    if page_of(code) is None:
        return {}
    text = page_text(code)
    return {"help": {"text": text, "markdown": text}}


def _result(located: LocatedFinding, rule_index: int) -> dict[str, object]:
    finding = located.finding
    result: dict[str, object] = {
        "ruleId": finding.code,
        "ruleIndex": rule_index,
        "level": _LEVELS.get(finding.severity, "none"),
        "message": {"text": _plain(finding.message)},
        "locations": [{"physicalLocation": _physical(located.location(finding.place))}],
    }
    if finding.related:
        result["relatedLocations"] = [
            {"physicalLocation": _physical(place), "message": {"text": _plain(message)}}
            for place, message in located.related()
        ]
    fixes = [_fix(fix, edits) for fix in finding.fixes if (edits := located.edits_of(fix))]
    if fixes:
        result["fixes"] = fixes
    return result


def _fix(fix: Fix, edits: Sequence[FileEdit]) -> dict[str, object]:
    files = dict.fromkeys(edit.location.file for edit in edits)
    return {
        "description": {"text": _plain(fix.title)},
        "artifactChanges": [
            {
                "artifactLocation": {"uri": _uri(file)},
                "replacements": [
                    {
                        "deletedRegion": _region(edit.location.range),
                        "insertedContent": {"text": edit.new_text},
                    }
                    for edit in edits
                    if edit.location.file == file
                ],
            }
            for file in files
        ],
    }


def _plain(text: str) -> str:
    """Escape link syntax in a message (SARIF 2.1.0, 3.11.6)."""
    if not _LINK.search(text):
        return text
    return re.sub(r"([\\\[\]])", r"\\\1", text)


def _physical(location: Location) -> dict[str, object]:
    return {"artifactLocation": {"uri": _uri(location.file)}, "region": _region(location.range)}


def _region(place: Range) -> dict[str, int]:
    """Convert a range; SARIF counts lines and columns from 1, and the end column is exclusive."""
    return {
        "startLine": place.start.line + 1,
        "startColumn": place.start.character + 1,
        "endLine": place.end.line + 1,
        "endColumn": place.end.character + 1,
    }


def _uri(file: str) -> str:
    path = Path(file)
    return path.as_uri() if path.is_absolute() else quote(os.fsencode(PurePath(file).as_posix()))
