"""Output of a report of findings to standard output."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence

from nirls.server.engine.linked_files import LinkedFiles
from nirls.server.engine.located_findings import LocatedFinding

WITH_EDITS = frozenset({"json", "sarif"})
"""The formats that can show the edits of fixes."""


def write_report(findings: Sequence[LocatedFinding], format_name: str, workspace: LinkedFiles) -> None:
    """Write a report; `format_name` is `text`, `json`, `sarif` or `github`."""
    if format_name == "text":
        _write_text(findings, workspace)
        return
    sys.stdout.buffer.write(_report_in(format_name)(findings).encode("utf-8", "replace"))
    sys.stdout.buffer.flush()


def _report_in(format_name: str) -> Callable[[Sequence[LocatedFinding]], str]:
    if format_name == "json":
        from nirls.server.cli.reports.json_report import json_report

        return json_report
    if format_name == "sarif":
        from nirls.server.cli.reports.sarif_report import sarif_report

        return sarif_report
    from nirls.server.cli.reports.github_report import github_report

    return github_report


def _write_text(findings: Sequence[LocatedFinding], workspace: LinkedFiles) -> None:
    from rich.console import Console

    from nirls.server.cli.reports.text_report import print_findings, summary

    named = workspace.named()
    print_findings(findings, Console(soft_wrap=True, highlight=False))
    Console(stderr=True, soft_wrap=True, highlight=False).print(
        summary(findings, len(named), sum(len(document.snapshot.dumps()) for document in named))
    )
