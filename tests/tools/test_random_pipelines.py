"""Random pipelines: how their stages fit together."""

from __future__ import annotations

from itertools import pairwise

import pytest

from nirls.passes.varyings.accesses import Linkage, link
from tools.random_pipelines import random_pipeline, random_texts


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
