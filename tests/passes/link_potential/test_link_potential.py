"""The finding: which shaders have one, where it stands and what it says. Nothing is ever changed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from nirls.ir.finding import Finding, Severity
from nirls.ir.model.shader import Shader
from nirls.ir.text.edits import print_shader
from nirls.ir.text.parse import parse_dump
from nirls.passes.link_potential.link_potential import LinkPotential
from tests.passes.shader_text import ZERO, load, shader, store
from tests.passes.varyings.pairs import fragment, interpolated, vertex


def found(*shaders: Shader) -> list[Finding]:
    return list(LinkPotential().find(shaders))


def gaining_vertex() -> Shader:
    return vertex("32    %20 = mov %9.x", store("VAR0", "%20", extra="|"), store("VAR1", "%10", extra="|"))


def test_one_finding_at_the_head_of_the_dump() -> None:
    producer = gaining_vertex()
    (finding,) = found(producer)
    assert finding.code == "link-potential"
    assert finding.severity is Severity.HINT
    assert finding.place.dump == 0
    assert producer.source[finding.place.start : finding.place.end] == b"shader:"
    assert finding.message.startswith("outputs: linking with a pass-through FS reduces ")
    assert "2 scalars to 1" in finding.message
    assert "1 propagatable" in finding.message
    assert finding.fixes == ()


def test_data_has_the_numbers() -> None:
    (finding,) = found(gaining_vertex())
    data = json.loads(json.dumps(finding.data))
    assert data["outputs"]["partner"] == "FS"
    assert data["outputs"]["before"]["scalars"] == 2
    assert data["outputs"]["after"]["scalars"] == 1
    assert data["outputs"]["unmatched"]["scalars"] == 0
    assert data["outputs"]["steps"]["propagatable"] == 1


def test_nothing_is_said_where_nothing_is_gained() -> None:
    assert found(vertex(store("VAR0", "%10", extra="|"))) == []
    assert found(shader("COMPUTE", ZERO)) == []
    assert found() == []


def test_linked_sides_are_not_looked_at() -> None:
    assert found(gaining_vertex(), fragment(interpolated(4, "VAR0"))) == []


def test_open_end_of_a_pipeline_is() -> None:
    middle = shader(
        "TESS_EVAL",
        ZERO,
        load(1, "VAR0", name="load_per_vertex_input"),
        load(2, "VAR4", name="load_per_vertex_input"),
        "32    %3 = fadd %1, %2",
        store("VAR0", "%3", extra="|"),
    )
    (finding,) = found(middle, fragment(interpolated(4, "VAR0")))
    assert finding.place.dump == 0
    assert list(finding.data) == ["inputs"]


def test_pass_never_changes_anything() -> None:
    producer = gaining_vertex()
    before = print_shader(producer)
    assert LinkPotential().run([producer]) == []
    assert print_shader(producer) == before


@pytest.mark.sweep
def test_real_shaders(corpus: Path) -> None:
    gains = 0
    for path in sorted(corpus.glob("pipelines/three_*/modern/*.io.nir")):
        parsed = parse_dump(path.read_bytes())
        before = print_shader(parsed)
        gains += len(found(parsed))
        assert print_shader(parsed) == before
    assert gains > 0
