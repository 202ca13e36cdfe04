from __future__ import annotations

import sys

import pytest

from nirls.ir.finding import FindingCode, Severity
from nirls.passes import registry
from nirls.server.cli.commands.explain import explanation, show
from nirls.server.ide.rule_pages import index_text, page_text
from tests.declared_pass import declare
from tests.server.conftest import Run


def test_one_page_or_the_index(run: Run) -> None:
    assert run("explain", "dead-output").text.startswith("# ")
    assert "dead-output.md" in run("explain").text
    assert run("explain", "dead-output", "undefined-value").status == 2


def test_page_of_a_code(run: Run) -> None:
    result = run("explain", "dead-output")
    assert result.status == 0
    assert result.text == page_text("dead-output")
    assert result.text.startswith("# Output that is never read\n")


def test_all_codes_without_one(run: Run) -> None:
    result = run("explain")
    assert result.status == 0
    assert result.text == index_text()
    assert "[dead-output](dead-output.md)" in result.text


@pytest.mark.parametrize(
    ("code", "hint"),
    [
        ("dead-ouput", "did you mean dead-output?"),
        ("../../../LICENSE", "`nirls explain` lists all"),
        ("README", "`nirls explain` lists all"),
    ],
)
def test_unknown_code(run: Run, code: str, hint: str) -> None:
    result = run("explain", code)
    assert result.status == 2
    assert result.out == b""
    assert f"{code}: there is no such finding ({hint})" in result.err


def test_code_of_another_package_without_a_page(monkeypatch: pytest.MonkeyPatch) -> None:
    mine = declare("mine", codes=(FindingCode("my-code", "My title", Severity.HINT),))
    monkeypatch.setattr(registry, "all_passes", lambda: (mine,))
    shown = explanation("my-code")
    assert shown.startswith("# My title\n\n`my-code` · hint · pass `mine`\n\nFor a test.\n\n## Severity\n")
    assert "| [my-code](my-code.md) | hint | My title |" in explanation(None)


def test_terminals_get_it_laid_out(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    show("# A title\n\nSome `code`.\n")
    shown = capsys.readouterr().out
    assert "A title" in shown
    assert "# A title" not in shown
    assert "`code`" not in shown
