"""Reports on passes that went wrong: what they hold, and that no dump can break out of them."""

from __future__ import annotations

import os
import re
import subprocess
import tempfile
from pathlib import Path

import pytest

from nirls.server.engine.checks import bug_report
from nirls.server.engine.checks.bug_report import report_text, write_bug_report
from nirls.server.engine.checks.check_settings import CheckSettings
from nirls.server.engine.checks.failure_reduction import Smallest
from nirls.server.engine.checks.pass_failures import PassFailure
from nirls.server.engine.worker.job import Budget, Cause
from tests.passes.shader_text import ZERO, shader_text
from tests.security.test_escaping import NAMES, live_parts
from tests.server import reductions

ROOT = Path(__file__).resolve().parents[4]
HOSTILE = b"shader: MESA_SHADER_VERTEX\nname: ```\n# not a heading <script>\n"


TEXT = shader_text("FRAGMENT", ZERO).encode()


def failure(detail: str = "ValueError: no", option: object = True, text: bytes = HOSTILE) -> PassFailure:
    settings = CheckSettings(options={"opt_dce": {"eager": option}})
    return PassFailure("opt_dce", (text,), settings, Cause.RAISED, detail, "Traceback: here")


def test_a_report_says_what_happened_where_and_on_what() -> None:
    text = report_text(failure(), Smallest((HOSTILE,), 3, 500, True))
    for part in (
        "# opt_dce could not be run: ValueError: no\n",
        "{'eager': True}",
        "Traceback: here",
        "500 instructions to 3",
        "`nirls opt -p opt_dce -o eager=True input.nir`",
    ):
        assert part in text
    assert "Python 3." in text


def test_no_dump_ends_its_code_block() -> None:
    text = report_text(failure(), Smallest((HOSTILE,), 3, 500, True))
    assert text.count("````\n") == 2
    start, end = text.index("````\n"), text.rindex("````\n")
    assert start < text.index("# not a heading") < end


def test_an_input_that_was_not_reduced_is_said_to_be_whole() -> None:
    text = report_text(failure(), Smallest((HOSTILE,), 0, 0, False))
    assert "this is all of it" in text


@pytest.mark.parametrize("name", NAMES)
def test_nothing_that_an_exception_or_a_setting_quotes_is_markdown(name: str) -> None:
    text = report_text(failure(f"KeyError: {name}", name), Smallest((HOSTILE,), 0, 0, False))
    assert live_parts(text) == []
    assert not re.search("[\x00-\x08\x0b-\x1f]", text)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where reports go."""
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


def test_a_reduction_that_dies_leaves_the_input_as_it_is(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bug_report, "smallest", reductions.dies)
    report = write_bug_report(failure(text=TEXT), Budget(), seconds=5)
    assert (report.parent / "input.nir").read_bytes() == TEXT
    assert "this is all of it" in report.read_text()
    assert (folder / "begun").exists()


def test_an_input_of_which_nothing_is_left_is_no_error(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bug_report, "smallest", reductions.leaves_nothing)
    report = write_bug_report(failure(text=TEXT), Budget(), seconds=5)
    assert (report.parent / "input.nir").read_bytes() == b""
    assert "from 500 instructions to 0" in report.read_text()


def test_a_pass_that_does_not_go_wrong_again_is_reported_with_all_of_the_input(folder: Path) -> None:
    report = write_bug_report(failure(text=TEXT), Budget(), seconds=5)
    assert (report.parent / "input.nir").read_bytes() == TEXT
    assert "this is all of it" in report.read_text()


def test_a_folder_that_cannot_be_written_is_an_os_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "nowhere"))
    monkeypatch.setattr(bug_report, "smallest", reductions.leaves_nothing)
    with pytest.raises(OSError, match="nowhere"):
        write_bug_report(failure(text=TEXT), Budget(), seconds=5)


def test_reports_are_for_nobody_else(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bug_report, "smallest", reductions.leaves_nothing)
    report = write_bug_report(failure(text=TEXT), Budget(), seconds=5)
    if os.name != "nt":
        assert report.parent.stat().st_mode & 0o077 == 0


def test_a_report_runs_no_program_to_know_where_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("a program is run")

    monkeypatch.setattr(subprocess, "Popen", refuse)
    report_text(failure(), Smallest((HOSTILE,), 0, 0, False))
