"""Findings as GitHub workflow commands, which annotate a pull request."""

from __future__ import annotations

from collections.abc import Sequence

from nirls.ir.finding import Severity
from nirls.server.engine.base.shown_text import printable
from nirls.server.engine.files.located_findings import LocatedFinding

_COMMANDS = {Severity.ERROR: "error", Severity.WARNING: "warning"}


def github_report(findings: Sequence[LocatedFinding]) -> str:
    """Return one line for each finding."""
    return "".join(f"{_line(located)}\n" for located in findings)


def _line(located: LocatedFinding) -> str:
    start, end = located.range
    properties = {
        "file": located.file,
        "line": start.line + 1,
        "endLine": end.line + 1,
        "col": start.character + 1,
        "endColumn": end.character + 1,
        "title": f"nirls {located.finding.code}",
    }
    # GitHub rejects columns if the range spans several lines.
    if start.line != end.line:
        del properties["col"], properties["endColumn"]
    words = ",".join(f"{key}={_property(str(value))}" for key, value in properties.items())
    return f"::{_COMMANDS.get(located.finding.severity, 'notice')} {words}::{_data(located.finding.message)}"


def _data(text: str) -> str:
    """Escape a value of a workflow command, control characters included: logs are read in terminals."""
    lines = text.replace("\r", "\n").split("\n")
    return "%0A".join(printable(line).replace("%", "%25") for line in lines)


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
