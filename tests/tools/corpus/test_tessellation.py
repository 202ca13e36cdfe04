"""What the tessellation passes do to patches in a corpus folder."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from nirls.ir.model.instructions import IntrinsicInstr
from nirls.ir.model.shader import Shader
from tools.corpus import tessellation
from tools.corpus.tessellation import PASSES, outcomes, patches
from tools.random_tessellation import random_patch_texts

STAGES = ("vert", "tesc", "tese")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A corpus of one random patch, of which every pass makes something, in two forms."""
    place = tmp_path / "pipelines" / "patch" / "modern"
    place.mkdir(parents=True)
    for stage, text in zip(STAGES, random_patch_texts(2), strict=True):
        (place / f"{stage}.io.nir").write_text(text)
    shutil.copy(place / "tesc.io.nir", place / "tesc.ssa.nir")
    return tmp_path


def test_every_form_is_a_patch(folder: Path) -> None:
    found = dict(patches(folder))
    assert [len(shaders) for shaders in found.values()] == [1, 3]


def test_results_are_counted(folder: Path) -> None:
    found = outcomes(folder)
    assert {name: one.counts["same"] for name, one in found.items()} == {
        "restructure_tcs_flow": 2,
        "opt_barriers": 2,
        "inline_vs_in_tcs": 1,
        "optimize_tcs": 2,
    }
    assert found["inline_vs_in_tcs"].reasons == {"there is no vertex shader": 1}
    assert all(one.is_right for one in found.values())


def test_a_wrong_result_is_told(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(shader: Shader) -> bool:
        for impl in shader.impls():
            for instr in impl.instrs():
                if isinstance(instr, IntrinsicInstr) and instr.name == "store_output":
                    instr.remove()
        return True

    monkeypatch.setattr(tessellation, "opt_barriers", broken)
    one = outcomes(folder)["opt_barriers"]
    assert one.counts["different"] == 2
    assert not one.is_right
    assert one.notes


def test_a_real_patch(corpus: Path, tmp_path: Path) -> None:
    place = tmp_path / "pipelines" / "triangles" / "classic"
    place.mkdir(parents=True)
    for stage in STAGES:
        shutil.copy(corpus / "pipelines/hand_tess_pn_triangles/classic" / f"{stage}.io.nir", place)
    found = outcomes(tmp_path)
    assert set(found) == set(PASSES)
    assert [
        found[name].counts["same"] for name in ("restructure_tcs_flow", "inline_vs_in_tcs", "optimize_tcs")
    ] == [
        1,
        1,
        1,
    ]
