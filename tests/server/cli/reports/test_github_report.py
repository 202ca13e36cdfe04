from __future__ import annotations

import pytest

from nirls.ir.finding import Severity
from nirls.server.cli.reports.github_report import github_report
from tests.server.engine.files.test_located_findings import located, place


@pytest.mark.parametrize(
    ("severity", "word"),
    [
        (Severity.ERROR, "error"),
        (Severity.WARNING, "warning"),
        (Severity.INFORMATION, "notice"),
        (Severity.HINT, "notice"),
    ],
)
def test_severities_are_commands(severity: Severity, word: str) -> None:
    assert github_report([located("a.nir", 4, severity)]) == (
        f"::{word} file=a.nir,line=5,endLine=5,col=1,endColumn=2,title=nirls odd::m\n"
    )


def test_several_lines_have_no_columns() -> None:
    one = located("a.nir", where=place(0, 0, 3, 40))
    assert github_report([one]).startswith("::warning file=a.nir,line=1,endLine=3,title=")


def test_values_end_neither_the_property_nor_the_line() -> None:
    one = located("a,b::c\nd%.nir", message="50%\r\n::error::x\x1b[m")
    (line,) = github_report([one]).splitlines()
    assert "file=a%2Cb%3A%3Ac%0Ad%25.nir,line" in line
    assert line.endswith("::50%25%0A%0A::error::x\\x1b[m")
