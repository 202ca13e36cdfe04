"""Which uniforms pay, by the values of draws."""

from __future__ import annotations

import pytest

from nirls.passes.declaration import OptionError
from nirls.passes.uniforms.draws import ranking, read_draws
from nirls.passes.uniforms.inline_uniforms import InlineUniforms
from nirls.passes.uniforms.places import UniformWord
from tests.passes.expectation import parse_body

UBO = "(access=none, align_mul=4, align_offset=0, range_base=0, range=256)"
STORE = "@store_ssbo ({}, %0, %0) (wrmask=x, access=none, align_mul=4, align_offset=0)"


def either(number: int, uniform: str, then: list[str]) -> str:
    lines = "\n".join(then)
    return (
        f"1 %{number} = ieq {uniform}, %0\nif %{number} {{\nblock b{number}:\n{lines}\n"
        f"}} else {{\nblock b{number + 1}:\n}}\nblock b{number + 2}:\n"
    )


CHAIN = [f"32 %{n} = ineg %{n - 1 if n > 20 else 4}" for n in range(20, 29)]
TWO = f"""
block b0:
32 %0 = load_const (0x00000000)
32 %1 = load_const (0x00000004)
32 %2 = @load_ubo (%0, %0) {UBO}
32 %3 = @load_ubo (%0, %1) {UBO}
32 %4 = @load_sample_id
{either(10, "%2", [*CHAIN, STORE.format("%28")])}
{either(30, "%3", [STORE.format("%4")])}
block b99:
"""


def word(offset: int) -> UniformWord:
    return UniformWord("0", offset)


def test_lines_of_draws() -> None:
    draws = read_draws("# frame 1\n0:0=1 0:4=0x10\n\n0:0=2,push:4=0.5  # second\n")
    assert draws == [{word(0): 1, word(4): 16}, {word(0): 2, UniformWord("push", 4): 0x3F000000}]
    with pytest.raises(OptionError, match="line 2: '0:1=3': offsets of uniforms are multiples of 4"):
        read_draws("0:0=1\n0:1=3\n")


def test_uniform_that_saves_most_comes_first() -> None:
    draws = read_draws("0:0=1 0:4=0\n" * 9 + "0:0=0 0:4=5\n")
    found = ranking(parse_body(TWO), draws, InlineUniforms())
    assert found.draws == 10
    both, first, second = found.choices
    assert both.words == (word(0), word(4))
    assert (first.words, second.words) == ((word(0),), (word(4),))
    assert first.saved > second.saved > 0
    assert [(variant.values, variant.draws) for variant in first.variants] == [((1,), 9), ((0,), 1)]
    assert first.variants[0].instructions < first.variants[1].instructions < found.instructions
    average = sum(one.draws * one.executed for one in first.variants) / 10
    assert first.saved == pytest.approx(found.executed - average)


def test_every_combination_of_values_is_a_variant() -> None:
    draws = read_draws("\n".join(f"0:0={n % 2} 0:4={n}" for n in range(6)))
    found = {choice.words: choice for choice in ranking(parse_body(TWO), draws, InlineUniforms()).choices}
    assert len(found[word(0),].variants) == 2
    assert len(found[word(4),].variants) == 6
    assert len(found[word(0), word(4)].variants) == 6


def test_draws_without_a_value_do_not_count() -> None:
    found = ranking(parse_body(TWO), read_draws("0:0=1\n0:8=1\n"), InlineUniforms())
    (choice,) = found.choices
    assert (choice.words, choice.draws, found.draws) == ((word(0),), 1, 2)
