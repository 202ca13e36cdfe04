"""Findings as SARIF 2.1.0, which code hosts and other viewers read."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path, PurePath
from urllib.parse import quote

from nirls.passes.finding import Severity
from nirls.server.cli.reported import FileEdit, Reported, ReportedFix
from nirls.server.cli.reports.json_report import json_text
from nirls.server.engine.positions import Range

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"

_LEVELS = {
    Severity.ERROR: "error",
    Severity.WARNING: "warning",
    Severity.INFORMATION: "note",
    Severity.HINT: "note",
}
_LINK = re.compile(r"\[[^\]]*\]\(")


def sarif_report(findings: Sequence[Reported]) -> str:
    """The whole log with one run, ending in a newline."""
    codes = {reported.code: reported.kind for reported in findings}
    indices = {code: index for index, code in enumerate(codes)}
    log = {
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [
            {
                "tool": {
                    "driver": {
                        "name": "nirls",
                        "version": _version(),
                        "rules": [
                            {
                                "id": code.code,
                                "shortDescription": {"text": code.title},
                                "defaultConfiguration": {"level": _LEVELS.get(code.severity, "none")},
                            }
                            for code in codes.values()
                        ],
                    }
                },
                "columnKind": "utf16CodeUnits",
                "results": [_result(reported, indices[reported.code]) for reported in findings],
            }
        ],
    }
    return json_text(log)


def _version() -> str:
    try:
        return version("nirls")
    except PackageNotFoundError:
        return "0"


def _result(reported: Reported, rule_index: int) -> dict[str, object]:
    result: dict[str, object] = {
        "ruleId": reported.code,
        "ruleIndex": rule_index,
        "level": _LEVELS.get(reported.severity, "none"),
        "message": {"text": _plain(reported.message)},
        "locations": [{"physicalLocation": _location(reported.file, reported.range)}],
    }
    if reported.related:
        result["relatedLocations"] = [
            {"physicalLocation": _location(note.file, note.range), "message": {"text": _plain(note.message)}}
            for note in reported.related
        ]
    fixes = [_fix(fix, fix.edits) for fix in reported.fixes if fix.edits]
    if fixes:
        result["fixes"] = fixes
    return result


def _fix(fix: ReportedFix, edits: Sequence[FileEdit]) -> dict[str, object]:
    files = dict.fromkeys(edit.file for edit in edits)
    return {
        "description": {"text": _plain(fix.title)},
        "artifactChanges": [
            {
                "artifactLocation": {"uri": _uri(file)},
                "replacements": [
                    {"deletedRegion": _region(edit.range), "insertedContent": {"text": edit.new_text}}
                    for edit in edits
                    if edit.file == file
                ],
            }
            for file in files
        ],
    }


def _plain(text: str) -> str:
    """A message in which nothing of a dump is taken for a link (SARIF 2.1.0, 3.11.6)."""
    if not _LINK.search(text):
        return text
    return re.sub(r"([\\\[\]])", r"\\\1", text)


def _location(file: str, place: Range) -> dict[str, object]:
    return {"artifactLocation": {"uri": _uri(file)}, "region": _region(place)}


def _region(place: Range) -> dict[str, int]:
    """SARIF counts lines and columns from 1; the end column is behind the last character."""
    return {
        "startLine": place.start.line + 1,
        "startColumn": place.start.character + 1,
        "endLine": place.end.line + 1,
        "endColumn": place.end.character + 1,
    }


def _uri(file: str) -> str:
    path = Path(file)
    return path.as_uri() if path.is_absolute() else quote(os.fsencode(PurePath(file).as_posix()))
