from __future__ import annotations

import pytest

from nirls.passes.options import OptionError, resolve_options, usable_options
from nirls.passes.registry import Option, OptionValue, Pass

PASS = Pass(
    "some_pass",
    "",
    "m",
    options=(
        Option("flag", True, ""),
        Option("count", 3, ""),
        Option("cost", 0.5, ""),
        Option("word", "a", ""),
    ),
)


def test_defaults() -> None:
    assert resolve_options(PASS, {}) == {"flag": True, "count": 3, "cost": 0.5, "word": "a"}


@pytest.mark.parametrize(
    ("name", "given", "expected"),
    [
        ("flag", "off", False),
        ("flag", "Yes", True),
        ("flag", False, False),
        ("count", "0x10", 16),
        ("count", 7, 7),
        ("cost", "1e3", 1000.0),
        ("cost", 2, 2.0),
        ("word", "b", "b"),
    ],
)
def test_values_take_the_type_of_the_default(name: str, given: object, expected: OptionValue) -> None:
    value = resolve_options(PASS, {name: given})[name]
    assert value == expected
    assert type(value) is type(expected)


@pytest.mark.parametrize(
    ("name", "given", "complaint"),
    [
        ("flag", "maybe", "option flag takes true or false, not 'maybe'"),
        ("flag", 1, "option flag takes true or false, not 1"),
        ("count", "many", "option count takes a whole number, not 'many'"),
        ("count", 1.5, "option count takes a whole number, not 1.5"),
        ("count", True, "option count takes a whole number, not True"),
        ("cost", "high", "option cost takes a number, not 'high'"),
        ("word", 3, "option word takes text, not 3"),
        ("size", "1", "some_pass has no option 'size' (it has: flag, count, cost, word)"),
    ],
)
def test_wrong_values(name: str, given: object, complaint: str) -> None:
    with pytest.raises(OptionError) as error:
        resolve_options(PASS, {name: given})
    assert str(error.value) == complaint


def test_wrong_values_leave_the_defaults() -> None:
    assert usable_options(PASS, {"count": 7}) == resolve_options(PASS, {"count": 7})
    assert usable_options(PASS, {"count": 7, "size": 1}) == resolve_options(PASS, {})
