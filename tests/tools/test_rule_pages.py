from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from nirls.server.engine.checking import CheckSettings
from nirls.server.ide.rule_pages import FOLDER, page_path
from tools import rule_pages
from tools.rule_page import RulePage
from tools.rule_pages import Prose, findings_in, page_text, prose_of, settings_of


@pytest.fixture
def copy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the pages that the tool works on instead."""
    folder = tmp_path / "rules"
    shutil.copytree(FOLDER, folder)
    monkeypatch.setattr(rule_pages, "page_path", lambda code: folder / f"{code}.md")
    monkeypatch.setattr(rule_pages, "INDEX", folder / "README.md")
    return folder


def contents(folder: Path) -> dict[str, str]:
    return {path.name: path.read_text(encoding="utf-8") for path in folder.iterdir()}


def test_pages_are_up_to_date(copy: Path) -> None:
    rule_pages.main()
    assert contents(copy) == contents(FOLDER)


def test_what_follows_from_the_code_is_written_anew(copy: Path) -> None:
    page = copy / "dead-output.md"
    good = page.read_text()
    bad = (
        good.replace("never reads it", "reads often")
        .replace("· warning", "· hint")
        .replace("-    32", "+  32")
    )
    assert bad != good
    page.write_text(bad)
    (copy / "README.md").write_text("")
    rule_pages.main()
    assert contents(copy) == contents(FOLDER)


def test_missing_page_is_begun(copy: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (copy / "dominance.md").unlink()
    rule_pages.main()
    assert capsys.readouterr().out == f"to fill in: {copy / 'dominance.md'}\n"
    begun = RulePage((copy / "dominance.md").read_text())
    assert prose_of(begun) == Prose()
    assert begun.example.marks == ()


def test_prose_stays() -> None:
    prose = Prose("A.", "B.", "C.", source="D.", settings="[passes]\nopt_discard_if = false\n")
    assert prose_of(RulePage(page_text("dominance", prose))) == prose


def test_example_is_checked_with_its_settings() -> None:
    text = RulePage(page_path("dominance").read_text()).example.text
    assert [one.code for one in findings_in(text, CheckSettings())] == ["dominance"]
    assert findings_in(text, settings_of('[severity]\ndominance = "off"\n')) == []


def test_settings_with_problems_are_refused() -> None:
    with pytest.raises(ValueError, match="must be one of"):
        settings_of('[severity]\ndominance = "loud"\n')
