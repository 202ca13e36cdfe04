"""Random pipelines: how their stages fit together."""

from __future__ import annotations

from itertools import pairwise

import pytest

from nirls.ir.validation import validate
from nirls.passes.varyings.interface.accesses import Linkage, link
from nirls.verification.random_shaders.pipelines import KINDS, random_pipeline, random_texts

pytestmark = pytest.mark.sweep


@pytest.mark.parametrize("number", range(12))
def test_stages_can_be_linked(number: int) -> None:
    assert random_texts(number) != random_texts(number + 1)
    for producer, consumer in pairwise(random_pipeline(number)):
        linkage = link(producer, consumer)
        assert isinstance(linkage, Linkage)
        assert linkage.complete_producer
        assert linkage.complete_consumer


def test_most_of_what_is_read_is_written() -> None:
    read = written = 0
    for number in range(40):
        for producer, consumer in pairwise(random_pipeline(number)):
            linkage = link(producer, consumer)
            assert isinstance(linkage, Linkage)
            stored = linkage.storage(linkage.stores)
            read += len(linkage.input_loads)
            written += sum(linkage.touches(load, stored) for load in linkage.input_loads)
    assert 0.85 * read < written < read


@pytest.mark.parametrize("number", range(16))
def test_random_pipelines_are_valid_and_made_of_the_number_only(number: int) -> None:
    first, second = random_pipeline(number), random_pipeline(number)
    assert [shader.source for shader in first] == [shader.source for shader in second]
    assert [problem for shader in first for problem in validate(shader) if problem.severity == "error"] == []


def test_all_kinds_of_pipelines_and_varyings_are_made() -> None:
    """Over some numbers, every feature that the generator speaks of is there."""
    texts = ["\n".join(random_texts(number)) for number in range(150)]
    made = {
        tuple(stage.stage.value for stage in random_pipeline(number) if stage.stage) for number in range(150)
    }
    assert made == set(KINDS)
    for word in (
        "high_16bits",
        "f2f16",
        "slots=4",
        "buffer=0",
        "COL1",
        "BFC0",
        "TEX1",
        "PATCH1",
        "mediump",
        "NOPERSPECTIVE",
        "barycentric_centroid",
        "barycentric_sample",
        "load_per_vertex_output",
        "load_per_primitive_input",
    ):
        assert any(word in text for text in texts), word
