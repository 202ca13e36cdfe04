"""Pairs of stages with what is rare: valid, made of the number only, and with all that they are for."""

from __future__ import annotations

import pytest

from nirls.ir.validation import validate
from nirls.verification.random_shaders.odd_pipelines import odd_pipeline, odd_texts


@pytest.mark.parametrize("number", range(12))
def test_pairs_are_valid_and_made_of_the_number_only(number: int) -> None:
    assert odd_texts(number) == odd_texts(number) != odd_texts(number + 1)
    for shader in odd_pipeline(number):
        assert [problem for problem in validate(shader) if problem.severity == "error"] == []


def test_everything_rare_is_made() -> None:
    texts = "\n".join(text for number in range(80) for text in odd_texts(number))
    for word in (
        *("at_offset", "at_sample", "load_input_vertex", "NOPERSPECTIVE", "INTERP_MODE_NONE", "dualsrc"),
        *("CLIP_DIST1", "CULL_DIST0", "PSIZ", "EDGE", "LAYER", "VIEWPORT", "PRIMITIVE_ID", "TEX7", "BFC1"),
        *("high_16bits", "mediump", "no_sysval_output", "undefined", "phi", "terminate_if", "demote_if"),
        *("b2i32", "offset=", "emit_vertex", "load_tess_coord", "wrmask=xz"),
    ):
        assert word in texts, word
