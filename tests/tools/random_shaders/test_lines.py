"""Lines of a function, numbered as they come."""

from __future__ import annotations

import random

from tools.random_shaders.lines import Lines


def test_values_are_numbered_downwards() -> None:
    body = Lines(random.Random(1), "VERTEX")
    assert body.define("32", "a") == 0
    assert body.float_constant(-0.0) == 1
    assert body.float_constant(1.5, shown=True) == 2
    body.line("return")
    assert body.lines == [
        "    32 %0 = a",
        "    32 %1 = load_const (0x80000000)",
        "    32 %2 = load_const (0x3fc00000 = 1.500000)",
        "    return",
    ]


def test_chance_depends_on_the_seed_only() -> None:
    rolls = [[Lines(random.Random(seed), "VERTEX").chance(0.5) for seed in range(20)] for _ in range(2)]
    assert rolls[0] == rolls[1]
    assert len(set(rolls[0])) == 2
