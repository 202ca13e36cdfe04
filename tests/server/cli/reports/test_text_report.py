from __future__ import annotations

import io
from pathlib import Path

import pytest
from rich.console import Console

from nirls.server.cli.reports.text_report import by_gain, print_findings, summary, totals
from nirls.server.engine.batch.unit import check_unit
from nirls.server.engine.checks.check_settings import CheckSettings
from nirls.server.engine.files.input_files import InputFile
from nirls.server.engine.files.linked_files import LinkedFiles
from nirls.server.engine.files.located_findings import Check, LocatedFinding, findings_of
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


def of_two_pipelines(first: str, second: str) -> list[LocatedFinding]:
    files = {"a.vert.nir": first, "b.vert.nir": second}
    partner = shader_text("FRAGMENT", ZERO)
    files |= {name.replace("vert", "frag"): partner for name in files}
    inputs = [InputFile(name, Path("folder") / name, text.encode()) for name, text in files.items()]
    workspace = LinkedFiles(inputs)
    check = Check.of(workspace, CheckSettings(), totals=True)
    return check.findings({number: check_unit(unit) for number, unit in enumerate(check.units)})


ONE_OUTPUT = shader_text("VERTEX", ZERO, ONE, store("VAR0"))
THREE_OUTPUTS = shader_text("VERTEX", ZERO, ONE, store("VAR0"), store("VAR1"), store("VAR1", component=1))


def test_largest_gain_of_a_file_comes_first() -> None:
    found = of_two_pipelines(ONE_OUTPUT, THREE_OUTPUTS)
    shown_ = [(one.file, one.finding.gain) for one in by_gain(found)]
    assert shown_ == [("a.vert.nir", 1), ("b.vert.nir", 2), ("b.vert.nir", 1)]
    by_line = [one.finding.gain for one in found if one.file == "b.vert.nir"]
    assert by_line == [1, 2]


def test_the_most_severe_comes_before_the_largest_gain() -> None:
    unread = shader_text("VERTEX", ZERO, ONE, store("VAR0"))
    reader = shader_text("FRAGMENT", ZERO, "32    %9 = fneg %8")
    ordered = by_gain(findings(unread + reader))
    assert [one.finding.severity.rank for one in ordered] == sorted(
        one.finding.severity.rank for one in ordered
    )


def test_total_of_each_pipeline_with_the_largest_first() -> None:
    found = of_two_pipelines(ONE_OUTPUT, THREE_OUTPUTS)
    assert totals(found) == [
        "b.vert.nir#1 -> b.frag.nir#1, after all fixes: 3 varyings in 2 slots -> 0 in 0",
        "a.vert.nir#1 -> a.frag.nir#1, after all fixes: 1 varying in 1 slot -> 0 in 0",
    ]
    only = [one for one in found if one.file == "a.vert.nir"]
    assert totals(only) == ["after all fixes: 1 varying in 1 slot -> 0 in 0"]
    assert totals(findings(ONE_OUTPUT)) == []
