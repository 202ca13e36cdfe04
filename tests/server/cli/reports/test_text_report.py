from __future__ import annotations

import io

import pytest
from rich.console import Console

from nirls.server.cli.reports.text_report import print_findings, summary
from nirls.server.engine.checks.check_settings import CheckSettings
from nirls.server.engine.files.input_files import InputFile
from nirls.server.engine.files.linked_files import LinkedFiles
from nirls.server.engine.files.located_findings import LocatedFinding, findings_of
from tests.passes.shader_text import ONE, ZERO, shader_text, store


def findings(text: str) -> list[LocatedFinding]:
    workspace = LinkedFiles([InputFile("a.nir", None, text.encode())])
    return findings_of(workspace, CheckSettings())


def shown(found: list[LocatedFinding], *, terminal: bool = False) -> list[str]:
    stream = io.StringIO()
    console = Console(file=stream, force_terminal=terminal, soft_wrap=True, highlight=False)
    print_findings(found, console)
    return stream.getvalue().splitlines()


@pytest.mark.parametrize("before", ["", "/* é 𝄞 */ ", "\t\t", "/*" + "-" * 90 + "*/"])
def test_caret_is_below_the_start_whatever_stands_before(before: str) -> None:
    line = before + store("VAR0").strip()
    found = findings(shader_text("VERTEX", ZERO, ONE, line) + shader_text("FRAGMENT", ZERO))
    lines = shown([one for one in found if one.finding.code == "dead-output"])
    caret = lines[2].index("^")
    assert lines[1][caret:].startswith("@store_output")


def test_finding_at_the_end_of_a_line_has_a_caret() -> None:
    for one in findings(shader_text("FRAGMENT", "32    %1 = fneg %9")):
        assert "^" in shown([one])[2]


def test_colors_are_for_terminals() -> None:
    found = findings(shader_text("FRAGMENT", "32    %1 = fneg %9"))
    assert any("\x1b[" in line for line in shown(found, terminal=True))
    assert not any("\x1b[" in line for line in shown(found))


def test_summary_counts() -> None:
    found = findings(shader_text("FRAGMENT", "32    %1 = fneg %9", "32    %2 = fneg %8"))
    assert summary(found, 1, 1) == "2 errors in 1 file, 1 dump."
    assert summary([], 2, 30) == "No findings in 2 files, 30 dumps."
