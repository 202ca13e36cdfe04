from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from nirls.ir.model.shader import Shader
from nirls.ir.text.parse import parse_dump, parse_shaders
from nirls.ir.validation import validate
from nirls.passes.reduction import reduce_shaders
from nirls.passes.reduction.reduce import count_instructions
from nirls.passes.reduction.search import ReductionEnd, Search
from tests.passes.shader_text import ONE, ZERO, load, printed_kinds, shader, store, use


def test_only_what_the_property_needs_is_left() -> None:
    parsed = shader(
        "VERTEX", ZERO, ONE, "32    %2 = fadd %0 (0.000000), %1 (1.000000)", use("%2"), store("VAR0")
    )
    result = reduce_shaders([parsed], lambda shaders: "store_output" in printed_kinds(shaders[0]))
    assert result.end is ReductionEnd.COMPLETE
    assert "fadd" not in printed_kinds(result.shaders[0])
    assert printed_kinds(result.shaders[0]).count("store_output") == 1
    assert result.instructions == count_instructions(result.shaders) <= 3


def test_the_result_shows_the_property_and_reads_back() -> None:
    parsed = [
        shader("VERTEX", ZERO, ONE, store("VAR0"), store("VAR1")),
        shader("FRAGMENT", ZERO, load(1, "VAR0"), load(2, "VAR1"), use("%1"), use("%2")),
    ]

    def reads_what_is_stored(shaders: Sequence[Shader]) -> bool:
        return b"VAR1 " in shaders[0].source and b"VAR1 " in shaders[1].source

    result = reduce_shaders(parsed, reads_what_is_stored)
    assert reads_what_is_stored(result.shaders)
    assert all(b"VAR0" not in one.source for one in result.shaders)
    for one in result.shaders:
        again = parse_dump(one.source)
        assert not again.unreadable
        assert not [problem for problem in validate(again) if problem.severity == "error"]


def test_without_the_property_there_is_nothing_to_reduce() -> None:
    with pytest.raises(ValueError, match="do not show"):
        reduce_shaders([shader("VERTEX", ZERO, ONE, store("VAR0"))], lambda shaders: False)


def test_time_ends_it() -> None:
    parsed = [shader("VERTEX", ZERO, ONE, store("VAR0"), store("VAR1"))]
    result = reduce_shaders(parsed, lambda shaders: True, Search.lasting(0.0))
    assert result.end is ReductionEnd.LATE
    assert result.tries <= 2


def test_a_real_shader_becomes_small(corpus: Path) -> None:
    data = (corpus / "pipelines/hand_discard_nested/modern/frag.io.nir").read_bytes()
    shaders = parse_shaders(data)
    before = count_instructions(shaders)
    result = reduce_shaders(shaders, lambda candidate: "ddx" in printed_kinds(candidate[0]))
    assert "ddx" in printed_kinds(result.shaders[0])
    assert result.instructions <= 5 < before
    assert len(result.shaders[0].source) < len(data) // 5


def test_interruption_ends_it_with_the_smallest_so_far() -> None:
    parsed = [shader("VERTEX", ZERO, ONE, store("VAR0"), store("VAR1"), store("VAR2"))]
    seen: list[bytes] = []

    def holds(shaders: Sequence[Shader]) -> bool:
        if len(seen) == 2:
            raise KeyboardInterrupt
        return b"VAR1 " in shaders[0].source

    result = reduce_shaders(parsed, holds, on_smaller=lambda smaller: seen.append(smaller[0].source))
    assert result.end is ReductionEnd.INTERRUPTED
    assert result.shaders[0].source == seen[-1]
    assert b"VAR1 " in seen[-1]


def test_parallel_tries_find_the_same() -> None:
    parsed = [shader("VERTEX", ZERO, ONE, store("VAR0"), store("VAR1"), store("VAR2"))]

    def stores_one(shaders: Sequence[Shader]) -> bool:
        return b"VAR1 " in shaders[0].source

    alone = reduce_shaders(parsed, stores_one)
    together = reduce_shaders(parsed, stores_one, Search(jobs=3))
    assert together.shaders[0].source == alone.shaders[0].source
