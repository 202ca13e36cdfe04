"""Tests of analysis results that are kept while shaders do not change."""

from __future__ import annotations

from nirls.ir.analysis.analysis_cache import cached_analysis, unchanged
from nirls.ir.model.clone import clone_shader
from nirls.ir.model.shader import HeaderField, Shader
from nirls.ir.model.stage import Stage


def test_an_analysis_runs_once_for_unchanged_shaders() -> None:
    calls = 0

    @cached_analysis
    def analysis(shader: Shader, limit: int = 0) -> int:
        nonlocal calls
        calls += 1
        return limit

    one, two = Shader(Stage.VERTEX), Shader(Stage.VERTEX)
    with unchanged([one]):
        assert [analysis(one), analysis(one), analysis(one, limit=3), analysis(one, limit=3)] == [0, 0, 3, 3]
        assert calls == 2
        analysis(two)
        analysis(two)
        assert calls == 4
    analysis(one)
    analysis(one)
    assert calls == 6


def test_a_shader_that_an_analysis_returns_is_unchanged_too() -> None:
    copies: list[Shader] = []

    @cached_analysis
    def copied(shader: Shader) -> Shader:
        copies.append(clone_shader(shader))
        return copies[-1]

    with unchanged([shader := Shader(Stage.VERTEX)]):
        assert copied(shader) is copied(shader)
        assert copied(copied(shader)) is copied(copied(shader))
    assert len(copies) == 2


def test_results_end_with_the_block() -> None:
    shader = Shader(Stage.VERTEX)

    @cached_analysis
    def name(shader: Shader) -> str | None:
        return shader.name

    for word in ("first", "second"):
        shader.header = [HeaderField("name", word)]
        with unchanged([shader]):
            assert name(shader) == word
