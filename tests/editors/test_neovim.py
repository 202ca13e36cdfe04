"""The plugin of editors/neovim in the real Neovim."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path

from tests.editors.conftest import EDITORS, Editor
from tests.editors.logs import FAULT, LINE_OF_COPY_PROP, log_of_passes

SESSION = Path(__file__).parent / "neovim" / "session.lua"


def test_a_session_with_a_pipeline(editor: Callable[..., Editor], tinted: Path) -> None:
    nvim = editor("nvim", (0, 10))
    plugin = _installed(nvim)
    nvim.run("--headless", "-c", "NirBuildParser", "-c", "qa!")
    assert (plugin / "parser" / "nir.so").exists()

    report_file = nvim.home / "report.json"
    nvim.run(
        "--headless",
        "-c",
        f"luafile {SESSION}",
        environment={
            "SHADER": str(tinted / "tinted.vert.nir"),
            "OTHER": str(tinted / "tinted.frag.nir"),
            "LOG": str(log_of_passes(tinted)),
            "REPORT": str(report_file),
        },
    )
    report = json.loads(report_file.read_text(encoding="utf-8"))
    assert "problem" not in report, report["problem"]
    assert report["filetype"] == "nir"
    assert report["codes"] == ["dead-output"] + ["propagatable-output"] * 2
    assert "@store_output" in report["hover"]
    assert "property" in report["captures"], "the header is not coloured by the syntax tree"
    assert sorted(set(report["marks"])) == ["@load_interpolated_input", "shader: MESA_SHADER_FRAGMENT"]
    assert report["folded_at_impl"] >= 1
    assert report["lines_removed"] >= 1
    assert report["codes_after"] == ["propagatable-output"] * 2
    assert report["passes"] == [
        "5            VS probe: nir_lower_returns (first)",
        "5 -> 4       VS probe: nir_copy_prop (code) [equivalent]",
    ]
    before, after = report["diffed"]
    assert "@store_ssbo (%2" in before
    assert "@store_ssbo (%1" in after
    assert report["line_of_last"] == LINE_OF_COPY_PROP
    assert report["followed"] == ["1 nir_lower_returns in first dump: 32 %2 = mov %1"]
    assert report["blamed"] == ["1 nir_lower_returns in first dump"] * 3 + ["3 nir_copy_prop rewritten"]
    assert report["graph"].startswith("digraph")
    assert report["packing"][1].split() == ["before", "x", "y", "z", "w"]
    assert report["completed"] == ["opt_dce"]
    before, after = report["previewed"]
    assert before - after == 1, "the copy that nobody reads is gone"


def test_the_values_of_a_counterexample(editor: Callable[..., Editor], tmp_path: Path) -> None:
    nvim = editor("nvim", (0, 10))
    _installed(nvim)
    log, report_file = tmp_path / "fault.nir", tmp_path / "report.json"
    shutil.copyfile(FAULT, log)
    nvim.run(
        *("--headless", "-c", f"luafile {SESSION.with_name('fault.lua')}"),
        environment={"LOG": str(log), "REPORT": str(report_file)},
    )
    report = json.loads(report_file.read_text(encoding="utf-8"))
    assert "problem" not in report, report["problem"]
    assert report["tabs_without"] == 2, "the first pass has no counterexample"
    assert report["tabs"] == 3
    assert report["line"].startswith(">")


def test_a_log_is_recognised_by_its_content(editor: Callable[..., Editor], tmp_path: Path) -> None:
    nvim = editor("nvim", (0, 10))
    _installed(nvim)
    texts = {
        "debug.log": "radv: compiling\n\nshader: MESA_SHADER_FRAGMENT\n",
        "debug.txt": "shader: MESA_SHADER_FRAGMENT\n",
        "debug.dump": "shader: MESA_SHADER_FRAGMENT\n",
        "notes.txt": "no shader: MESA_SHADER_FRAGMENT here\n",
    }
    report = nvim.home / "filetypes"
    session = []
    for name, text in texts.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
        session += ["-c", f"edit {tmp_path / name}", "-c", f"call writefile([&filetype], '{report}', 'a')"]
    nvim.run("--headless", *session, "-c", "qa!")
    assert report.read_text(encoding="utf-8").splitlines() == ["nir", "nir", "nir", "text"]


def _installed(nvim: Editor) -> Path:
    """The plugin where Neovim looks for packages, beside a copy of the grammar, as in a checkout."""
    checkout = nvim.home / "nirls"
    shutil.copytree(
        EDITORS / "neovim", checkout / "editors" / "neovim", symlinks=True, ignore=lambda *_: {"parser"}
    )
    (checkout / "ir" / "text").mkdir(parents=True)
    (checkout / "ir" / "text" / "grammar").symlink_to(EDITORS.parent / "ir" / "text" / "grammar")
    start = nvim.home / ".local" / "share" / "nvim" / "site" / "pack" / "nirls" / "start"
    start.mkdir(parents=True)
    os.symlink(checkout / "editors" / "neovim", start / "nirls")
    return checkout / "editors" / "neovim"
