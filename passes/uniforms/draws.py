"""Ranking of uniforms by the values that draws give them: what inlining them saves, for how many variants."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from nirls.ir.model.clone import clone_shader
from nirls.ir.model.shader import Shader
from nirls.passes.declaration import OptionError
from nirls.passes.uniforms.deciders import Deciding, find_deciding
from nirls.passes.uniforms.effect import executed, tidy, unrollable
from nirls.passes.uniforms.inline_uniforms import InlineUniforms, inline_uniforms
from nirls.passes.uniforms.places import UniformWord
from nirls.passes.uniforms.values import given_values

Draw = Mapping[UniformWord, int]
"""The words that are known in one draw."""


@dataclass(frozen=True, slots=True)
class Variant:
    """A shader with known values: the draws that use it, its size, and an estimate of what it executes."""

    values: tuple[int, ...]
    draws: int
    instructions: int
    executed: int


@dataclass(frozen=True, slots=True)
class InlineChoice:
    """Uniform words to inline together, with the variants that the draws need, the most used first.

    `draws` counts the draws that give all of the words. `saved` is the average number of executed
    instructions that one of them saves.
    """

    words: tuple[UniformWord, ...]
    draws: int
    saved: float
    variants: tuple[Variant, ...]


@dataclass(frozen=True, slots=True)
class Ranking:
    """The choices for a shader, those that save most for each draw first.

    `instructions` and `executed` are the shader's own, after clean-up without known values.
    """

    instructions: int
    executed: int
    draws: int
    choices: tuple[InlineChoice, ...]


def read_draws(text: str) -> list[Draw]:
    """Parse values, one line a draw, written as for the option `set`: `0:16=1 push:4=0.5`.

    Empty lines and the rest of a line after `#` are skipped. Raises OptionError with the number of the line.
    """
    draws: list[Draw] = []
    for number, line in enumerate(text.splitlines(), 1):
        assignments = line.partition("#")[0].strip()
        if not assignments:
            continue
        try:
            draws.append(given_values(assignments))
        except OptionError as error:
            raise OptionError(f"line {number}: {error}") from None
    return draws


def ranking(shader: Shader, draws: Sequence[Draw], options: InlineUniforms) -> Ranking:
    """Rank the uniforms that determine control flow or selections by what the draws would save.

    A choice is the words of one decision, or all words together. Each different combination of values is a
    variant that has to be compiled.
    """
    cleaned = clone_shader(shader)
    tidy(cleaned, unrollable(cleaned))
    size, cost = _size(cleaned), executed(cleaned)
    deciding = find_deciding(shader, options.buffer_names, options.limit)
    inline_choices = [_choice(shader, words, draws, cost) for words in _word_sets(deciding)]
    choices = sorted(
        (choice for choice in inline_choices if choice.draws),
        key=lambda inline_choice: (-inline_choice.saved, len(inline_choice.variants)),
    )
    return Ranking(size, cost, len(draws), tuple(choices))


def _word_sets(deciding: Deciding) -> Iterator[tuple[UniformWord, ...]]:
    """Yield the words of each decision, each set once, and all words."""
    sets = dict.fromkeys(tuple(sorted(decision.places)) for decision in deciding.decisions)
    yield from sets
    everything = tuple(sorted(deciding.places))
    if everything and everything not in sets:
        yield everything


def _choice(shader: Shader, words: tuple[UniformWord, ...], draws: Sequence[Draw], cost: int) -> InlineChoice:
    counts: Counter[tuple[int, ...]] = Counter(
        tuple(draw[word] for word in words) for draw in draws if all(word in draw for word in words)
    )
    variants = []
    for values, number in counts.most_common():
        variant = clone_shader(shader)
        inline_uniforms(variant, dict(zip(words, values, strict=True)))
        variants.append(Variant(values, number, _size(variant), executed(variant)))
    total = counts.total()
    spent = sum(variant.draws * variant.executed for variant in variants)
    return InlineChoice(words, total, cost - spent / total if total else 0.0, tuple(variants))


def _size(shader: Shader) -> int:
    return sum(1 for _ in shader.instrs())
