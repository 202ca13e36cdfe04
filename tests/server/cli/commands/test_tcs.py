from __future__ import annotations

from pathlib import Path

import pytest

from nirls.verification.random_shaders.patches import random_patch_texts
from tests.passes.shader_text import shader_text
from tests.server.conftest import Run


def test_standard_input_has_no_place(run: Run) -> None:
    result = run("tcs", "-", "--in-place", stdin=b"shader: MESA_SHADER_TESS_CTRL\n")
    assert result.status == 2
    assert "standard input has no place to write to" in result.err


def test_without_a_control_shader_there_is_nothing_to_do(run: Run, tinted: Path) -> None:
    before = (tinted / "tinted.vert.nir").read_bytes()
    assert run("tcs", ".", "--format", "json", "--in-place").json == []
    assert (tinted / "tinted.vert.nir").read_bytes() == before


NAMES = ("patch.vert.nir", "patch.tesc.nir", "patch.tese.nir")


@pytest.fixture
def patch(workdir: Path) -> Path:
    for name, text in zip(NAMES, random_patch_texts(0), strict=True):
        (workdir / name).write_text(text)
    return workdir


def test_summary_in_words(run: Run, patch: Path) -> None:
    result = run("tcs", ".")
    lines = result.text.splitlines()
    assert all(f"{name}#1" in lines[0] for name in NAMES)
    assert lines[1].startswith("  The vertex shader is inlined in the control shader")
    assert lines[2].startswith("  Culled patches skip ")
    assert lines[4].startswith("  Checked: equivalent")
    assert result.status == 0


def test_summary_as_data(run: Run, patch: Path) -> None:
    (gain,) = run("tcs", *NAMES, "--format", "json").json
    assert gain["inlined"]
    assert gain["restructured"]
    assert 0 < gain["instructions_skipped"] < gain["instructions_total"]
    assert not gain["wrong"]
    assert [place["file"] for place in gain["dumps"]] == list(NAMES)


def test_files_change_only_when_asked(run: Run, patch: Path) -> None:
    before = {name: (patch / name).read_bytes() for name in NAMES}
    assert "+++ " in run("tcs", *NAMES, "--diff").text
    assert {name: (patch / name).read_bytes() for name in NAMES} == before
    assert run("tcs", *NAMES, "--in-place").status == 0
    after = {name: (patch / name).read_bytes() for name in NAMES}
    assert [after[name] == before[name] for name in NAMES] == [False, False, True]
    (gain,) = run("tcs", *NAMES, "--format", "json").json
    assert gain["why_not_inlined"] == "a vertex shader is already inlined in the control shader"


def test_options_reach_the_pass(run: Run, patch: Path) -> None:
    (gain,) = run("tcs", *NAMES, "--format", "json", "-o", "patch_vertices=31").json
    assert not gain["inlined"]
    assert run("tcs", *NAMES, "-o", "nothing=1").status == 2


def test_no_control_shader(run: Run, workdir: Path) -> None:
    (workdir / "a.nir").write_text(shader_text("VERTEX"))
    result = run("tcs", "a.nir")
    assert (result.status, result.text) == (2, "")
    assert result.err == "nirls: nothing to do: there is no control shader\n"
