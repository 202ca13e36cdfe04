from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from nirls.ir.model.shader import Dialect
from nirls.ir.model.stage import Stage
from nirls.ir.text.parse import parse_dump
from nirls.ir.text.printing.convert import convert
from nirls.passes.registers.lower_vec_and_coalesce import lower_vec_and_coalesce
from nirls.verification.random_shaders.patches import random_patch_texts
from nirls.verification.verdict import Equivalent
from nirls.verification.verify_shaders import verify_shaders
from tests.passes.expectation import assert_valid, parse_body
from tools.corpus.pass_results import (
    TESSELLATION,
    mesa_lowering,
    patches,
    prepared_results,
    tessellation_results,
    vectors_in_registers,
)

STAGES = ("vert", "tesc", "tese")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """One random patch, of which every pass makes something, in two forms."""
    place = tmp_path / "patch" / "modern"
    place.mkdir(parents=True)
    for stage, text in zip(STAGES, random_patch_texts(5), strict=True):
        (place / f"{stage}.io.nir").write_text(text)
    shutil.copy(place / "tesc.io.nir", place / "tesc.ssa.nir")
    return place


def test_every_form_is_a_patch(folder: Path) -> None:
    assert [len(shaders) for _, shaders in patches(folder)] == [1, 3]


def test_tessellation_passes_run_on_every_patch(folder: Path) -> None:
    found = [(result.source, len(result.before)) for result in tessellation_results(folder)]
    sources = {source for source, _ in found}
    assert sources == {f"nirls: {name}" for name in TESSELLATION}
    assert ("nirls: opt_barriers", 1) in found
    assert ("nirls: inline_vs_in_tcs", 3) in found


def test_a_unit_test_is_a_patch(corpus: Path) -> None:
    ((_, shaders),) = patches(min(corpus.glob("varyings/*TESS_CTRL*.txt")))
    assert Stage.TESS_CTRL in {shader.stage for shader in shaders}


def test_lowering_and_prepared_results(corpus: Path) -> None:
    modern = corpus / "pipelines" / "hand_tess_pn_triangles" / "modern"
    assert [result.name.split()[-1] for result in mesa_lowering(modern)] == ["tesc", "tese"]
    prepared = list(prepared_results(corpus / "pipelines/hand_discard_nested/modern/frag.ssa.nir"))
    assert "nirls: lower_vec_and_coalesce" in {result.source for result in prepared}
    inlined = [result for result in prepared if result.source == "nirls: inline_uniforms"]
    assert all(result.known_memory for result in inlined)


def test_vectors_in_registers_are_the_same_program() -> None:
    modern = parse_body(
        """
        block b0:
        32    %0 = load_const (0x00000000)
        32    %1 = @load_ubo (%0 (0x0), %0 (0x0)) (access=none, align_mul=4, align_offset=0, range=4)
        32    %2 = fneg %1
        32x2  %3 = vec2 %2, %1
        @store_ssbo (%3, %0, %0) (wrmask=xy, access=none, align_mul=4, align_offset=0)
        block b1:
        """
    )
    for shader in (modern, parse_dump(convert(modern, Dialect.CLASSIC))):
        result = vectors_in_registers(shader)
        assert_valid(result)
        assert isinstance(verify_shaders(shader, result), Equivalent)
        assert lower_vec_and_coalesce(result)
