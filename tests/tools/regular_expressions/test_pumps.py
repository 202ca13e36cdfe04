from __future__ import annotations

import re

import pytest

from tools.regular_expressions.pumps import pumps_of


@pytest.mark.parametrize(
    ("pattern", "pump"),
    [
        (r"(?:ab)+c", ("", "ab")),
        (r"x[ \t]*y", ("x", " ")),
        (r"(\w+) =", ("", "a")),
        (r"a(?:b|c+)d", ("a", "c")),
        (r"id (?:\d++)", ("id ", "0")),
    ],
)
def test_what_a_quantifier_takes_is_repeated_behind_what_precedes_it(
    pattern: str, pump: tuple[str, str]
) -> None:
    assert pump in pumps_of(re.compile(pattern))
    assert pump in pumps_of(re.compile(pattern.encode()))


def test_small_repetitions_are_not_pumped() -> None:
    assert pumps_of(re.compile(r"a{1,4}b?")) == []
