"""Findings as JSON: a list of objects with `file`, `range`, `severity`, `code`, `message` and `fixes`.

Lines and characters count from 0, characters in UTF-16 code units, as in LSP. The end of a range is
behind its last character.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

from nirls.server.cli.reported import FileEdit, Note, Reported, ReportedFix
from nirls.server.engine.positions import Range
from nirls.server.engine.printable_text import CI_COMMAND


def json_report(findings: Sequence[Reported]) -> str:
    """The whole report, ending in a newline."""
    return json_text([_finding(finding) for finding in findings])


def json_text(plain: object) -> str:
    """Plain values as JSON, laid out for people too, in which CI sees no command."""
    text = json.dumps(plain, indent=2, ensure_ascii=False) + "\n"
    # Of JSON, this can only be in a string.
    return text.replace(CI_COMMAND, "##\\u005b")


def _finding(reported: Reported) -> dict[str, object]:
    return {
        "file": reported.file,
        "range": _range(reported.range),
        "severity": reported.severity.value,
        "code": reported.code,
        "message": reported.message,
        "pass": reported.pass_name or None,
        "related": [_note(note) for note in reported.related],
        "fixes": [_fix(fix) for fix in reported.fixes],
        "data": reported.data,
    }


def _note(note: Note) -> dict[str, object]:
    return {"file": note.file, "range": _range(note.range), "message": note.message}


def _fix(fix: ReportedFix) -> dict[str, object]:
    """A fix of one finding comes with its edits; the others are what `nirls opt` does."""
    described: dict[str, object] = {"title": fix.title, "kind": fix.kind, "key": fix.key}
    if fix.edits is not None:
        described["edits"] = [_edit(edit) for edit in fix.edits]
    return described


def _edit(edit: FileEdit) -> dict[str, object]:
    return {"file": edit.file, "range": _range(edit.range), "newText": edit.new_text}


def _range(place: Range) -> dict[str, dict[str, int]]:
    return {
        "start": {"line": place.start.line, "character": place.start.character},
        "end": {"line": place.end.line, "character": place.end.character},
    }
