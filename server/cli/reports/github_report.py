"""Findings as GitHub workflow commands: annotations of a pull request."""

from __future__ import annotations

from collections.abc import Sequence

from nirls.passes.finding import Severity
from nirls.server.cli.reported import Reported
from nirls.server.engine.printable_text import printable

_COMMANDS = {Severity.ERROR: "error", Severity.WARNING: "warning"}


def github_report(findings: Sequence[Reported]) -> str:
    """One line for each finding."""
    return "".join(f"{_line(reported)}\n" for reported in findings)


def _line(reported: Reported) -> str:
    start, end = reported.range
    properties = {
        "file": reported.file,
        "line": start.line + 1,
        "endLine": end.line + 1,
        "col": start.character + 1,
        "endColumn": end.character + 1,
        "title": f"nirls {reported.code}",
    }
    # A column is refused where the range spans lines.
    if start.line != end.line:
        del properties["col"], properties["endColumn"]
    words = ",".join(f"{key}={_property(str(value))}" for key, value in properties.items())
    return f"::{_COMMANDS.get(reported.severity, 'notice')} {words}::{_data(reported.message)}"


def _data(text: str) -> str:
    """A value of a workflow command. What steers terminals is shown as an escape: logs are read in them."""
    lines = text.replace("\r", "\n").split("\n")
    return "%0A".join(printable(line).replace("%", "%25") for line in lines)


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
