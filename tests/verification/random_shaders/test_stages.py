"""The text of single random stages."""

from __future__ import annotations

import random

import pytest

from nirls.ir.text.parse import parse_dump
from nirls.ir.validation import validate
from nirls.verification.random_shaders.interfaces import RandomVarying, fragment_inputs, vertex_inputs
from nirls.verification.random_shaders.stages import StageInterface, write_stage

SMOOTH = RandomVarying("VAR0", 1, barycentric="load_barycentric_pixel", mode="SMOOTH")


def stage_of(name: str, number: int) -> StageInterface:
    seed = random.Random(number)
    inputs = fragment_inputs(seed, "VERTEX") if name == "FRAGMENT" else vertex_inputs(seed)
    outputs = [] if name == "FRAGMENT" else vertex_inputs(seed)
    return StageInterface(name, [] if name in ("VERTEX", "MESH") else inputs, outputs, "VERTEX", "FRAGMENT")


@pytest.mark.parametrize("name", ["VERTEX", "TESS_CTRL", "TESS_EVAL", "GEOMETRY", "MESH", "FRAGMENT"])
def test_every_stage_is_valid_and_made_of_its_seed_only(name: str) -> None:
    for number in range(6):
        stage = stage_of(name, number)
        text = write_stage(random.Random(number), stage)
        assert text == write_stage(random.Random(number), stage)
        parsed = parse_dump(text.encode())
        assert not parsed.unreadable
        assert parsed.stage is not None
        assert parsed.stage.value == name
        assert [problem for problem in validate(parsed) if problem.severity == "error"] == []


def test_a_captured_output_says_where_it_goes() -> None:
    stage = StageInterface("VERTEX", [], [SMOOTH], precedes="FRAGMENT", captured={0: 16})
    texts = [write_stage(random.Random(number), stage) for number in range(5)]
    assert any("xfb(component=1 buffer=0 offset=16)" in text for text in texts)


def test_an_interpolated_input_has_coordinates() -> None:
    texts = [
        write_stage(random.Random(number), StageInterface("FRAGMENT", [SMOOTH], [])) for number in range(5)
    ]
    loaded = [text for text in texts if "load_interpolated_input" in text]
    assert loaded
    assert all("@load_barycentric_pixel (interp_mode=INTERP_MODE_SMOOTH)" in text for text in loaded)
