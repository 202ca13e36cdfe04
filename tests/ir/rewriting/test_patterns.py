"""Patterns as text: what they are read as, and what is no pattern."""

from __future__ import annotations

import pytest

from nirls.ir.rewriting.patterns import (
    PatternConstant,
    PatternOperation,
    PatternVariable,
    parse_pattern,
)


def test_an_operation_on_variables_constants_and_operations() -> None:
    assert parse_pattern("fadd(a, fneg(b@1))") == PatternOperation(
        "fadd", (PatternVariable("a"), PatternOperation("fneg", (PatternVariable("b", 1),)))
    )
    assert parse_pattern("-1") == PatternConstant(-1)
    assert parse_pattern("0.5") == PatternConstant(0.5)
    assert parse_pattern("true") == PatternConstant(True)


@pytest.mark.parametrize(
    "text", ["", "fadd(a", "fadd(a,)", "a b", "fadd a", "FADD(a)", "fadd(a))", "()", "ab", "fadd(a, b"]
)
def test_what_is_no_pattern_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"pattern|sources"):
        parse_pattern(text)


@pytest.mark.parametrize(
    ("value", "bit_size", "bits"),
    [
        (0.0, 32, 0),
        (-0.0, 32, 0x80000000),
        (1.0, 16, 0x3C00),
        (1.0, 64, 0x3FF0000000000000),
        (0.5, 8, None),
        (-1, 8, 0xFF),
        (1, 1, 1),
        (True, 32, 0xFFFFFFFF),
        (True, 1, 1),
        (False, 16, 0),
    ],
)
def test_bits_of_a_constant(value: float | bool, bit_size: int, bits: int | None) -> None:
    assert PatternConstant(value).bits(bit_size) == bits


def test_operations_know_whether_their_sources_may_change_places() -> None:
    for text, commutes in (("fadd(a, b)", True), ("fsub(a, b)", False)):
        pattern = parse_pattern(text)
        assert isinstance(pattern, PatternOperation)
        assert pattern.is_commutative is commutes
