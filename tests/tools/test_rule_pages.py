from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from nirls.server.engine.checks.check_settings import CheckSettings
from nirls.server.ide.rule_pages import pages
from tools import rule_pages
from tools.rule_page import RulePage
from tools.rule_pages import Prose, findings_in, page_text, prose_of, settings_of


@pytest.fixture
def copy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the pages that the tool works on instead."""
    folder = tmp_path / "pages"
    folder.mkdir()
    for path in pages().values():
        shutil.copy(path, folder)
    monkeypatch.setattr(rule_pages, "file_of", lambda code: folder / f"{code}.md")
    return folder


def assert_unchanged(folder: Path) -> None:
    assert {path.name: path.read_text() for path in folder.iterdir()} == {
        path.name: path.read_text() for path in pages().values()
    }


def test_pages_are_up_to_date(copy: Path) -> None:
    rule_pages.main()
    assert_unchanged(copy)


def test_what_follows_from_the_code_is_written_anew(copy: Path) -> None:
    page = copy / "dead-output.md"
    good = page.read_text()
    bad = (
        good.replace("# Output that", "# An output that").replace("-    32", "+  32").replace("by the FS", "")
    )
    assert bad != good
    page.write_text(bad)
    rule_pages.main()
    assert_unchanged(copy)


def test_missing_page_is_begun(copy: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (copy / "dominance.md").unlink()
    rule_pages.main()
    assert capsys.readouterr().out == f"to fill in: {copy / 'dominance.md'}\n"
    begun = RulePage((copy / "dominance.md").read_text())
    assert prose_of(begun) == Prose()
    assert begun.example.marks == ()


def test_a_new_page_is_beside_its_pass(monkeypatch: pytest.MonkeyPatch) -> None:
    beside = {code: rule_pages.file_of(code) for code in ("dominance", "dead-output", "pass-failed")}
    monkeypatch.setattr(rule_pages, "pages", dict)
    assert rule_pages.file_of("dominance") == beside["dominance"]
    assert rule_pages.file_of("dead-output") == beside["dead-output"]


def test_prose_stays() -> None:
    prose = Prose("A.", "B.", "C.", source="D.", settings="[passes]\nopt_discard_if = false\n")
    assert prose_of(RulePage(page_text("dominance", prose))) == prose


def test_example_is_checked_with_its_settings() -> None:
    text = RulePage(pages()["dominance"].read_text()).example.text
    assert [one.finding.code for one in findings_in(text, CheckSettings())] == ["dominance"]
    assert findings_in(text, settings_of('[severity]\ndominance = "off"\n')) == []


def test_settings_with_problems_are_refused() -> None:
    with pytest.raises(ValueError, match="must be one of"):
        settings_of('[severity]\ndominance = "loud"\n')
