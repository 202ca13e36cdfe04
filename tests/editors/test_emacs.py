"""The modes of editors/emacs, and Eglot with the server, in the real Emacs."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.editors.conftest import EDITORS, Editor
from tests.editors.logs import FAULT, LINE_OF_COPY_PROP, log_of_passes

SESSION = Path(__file__).parent / "emacs" / "session.el"


@pytest.fixture
def emacs(editor: Callable[..., Editor]) -> Editor:
    return editor("emacs", (29, 1))


def test_a_session_with_the_syntax_tree(emacs: Editor, tinted: Path) -> None:
    report = _session(
        emacs, tinted, "(require 'nir-ts-mode)", "(nir-ts-build-grammar)", '(load "nir-ts-mode")'
    )
    assert report["mode"] == "nir-ts-mode"
    assert report["header_face"] == "font-lock-property-name-face"
    assert report["index"] == ["Shader", "Variable"]
    _check_what_the_server_shows(report)


def test_a_session_without_it(emacs: Editor, tinted: Path) -> None:
    report = _session(emacs, tinted, "(require 'nir-mode)")
    assert report["mode"] == "nir-mode"
    assert report["header_face"] == "font-lock-keyword-face"
    _check_what_the_server_shows(report)


def test_the_values_of_a_counterexample(emacs: Editor, tmp_path: Path) -> None:
    log, report_file = tmp_path / "fault.nir", tmp_path / "report.json"
    shutil.copyfile(FAULT, log)
    session = SESSION.with_name("fault.el")
    emacs.run(
        *("-Q", "--batch", "-L", str(EDITORS / "emacs"), "--eval", "(require 'nir-mode)", "-l", str(session)),
        environment={"LOG": str(log), "REPORT": str(report_file)},
    )
    report = json.loads(report_file.read_text(encoding="utf-8"))
    assert "problem" not in report, report["problem"]
    assert report["file"] == "values.txt"
    assert report["line"].startswith(">")


@pytest.mark.parametrize("file", ["nir-mode", "nir-ts-mode", "nir-views"])
def test_the_files_compile_without_a_warning(emacs: Editor, file: str) -> None:
    output = emacs.home / f"{file}.elc"
    destination = (
        f'(setq byte-compile-dest-file-function (lambda (_) "{output}") byte-compile-error-on-warn t)'
    )
    source = EDITORS / "emacs" / f"{file}.el"
    printed = emacs.run(
        "-Q",
        "--batch",
        "-L",
        str(source.parent),
        "--eval",
        destination,
        "-f",
        "batch-byte-compile",
        str(source),
    )
    assert output.exists(), printed


def _session(emacs: Editor, folder: Path, *setup: str) -> dict[str, Any]:
    report_file = emacs.home / "report.json"
    forms = [argument for form in setup for argument in ("--eval", form)]
    printed = emacs.run(
        *("-Q", "--batch", "-L", str(EDITORS / "emacs"), *forms, "-l", str(SESSION)),
        environment={
            "SHADER": str(folder / "tinted.vert.nir"),
            "LOG": str(log_of_passes(folder)),
            "REPORT": str(report_file),
        },
    )
    report: dict[str, Any] = json.loads(report_file.read_text(encoding="utf-8"))
    assert "problem" not in report, f"{report['problem']}\n{printed}"
    return report


def _check_what_the_server_shows(report: dict[str, Any]) -> None:
    assert report["codes"] == ["dead-output"] + ["propagatable-output"] * 2
    assert "@store_output" in report["hover"]
    assert any(title.startswith("Remove the stores of VAR1.") for title in report["titles"])
    assert report["lines_removed"] >= 1
    assert report["codes_after"] == ["propagatable-output"] * 2
    assert report["passes"] == [
        ["VS probe", "nir_lower_returns", "first", "", ""],
        ["VS probe", "nir_copy_prop", "code", "equivalent", "instructions 5 -> 4"],
    ]
    assert all("@store_ssbo (%2" in line for line in report["pass_removed"])
    assert all("@store_ssbo (%1" in line for line in report["pass_added"])
    assert (len(report["pass_removed"]), len(report["pass_added"])) == (2, 1)
    assert report["starts_at_code"] is True
    assert report["line_of_last"] == LINE_OF_COPY_PROP
    assert [row[:2] for row in report["blamed"]] == [["1 nir_lower_returns", "in first dump"]] * 3 + [
        ["3 nir_copy_prop", "rewritten"]
    ]
    assert report["followed"] == [["1 nir_lower_returns", "in first dump", "32 %2 = mov %1"]]
    assert report["line_of_value"] < LINE_OF_COPY_PROP
    assert report["graph"].startswith("digraph")
    assert report["packing"].split() == ["before", "x", "y", "z", "w"]
    assert report["when_run"] == ["Hide the values"]
    assert report["when_hidden"] == ["Run this shader and show its values"]
    assert report["known_passes"] is True
    assert (len(report["removed"]), report["added"]) == (1, [])
    assert "= mov %1" in report["removed"][0]
