from __future__ import annotations

import pytest

from nirls.passes.booleans import booleans_of, is_boolean, is_conjunction
from tests.passes.shader_text import ONE, ZERO, shader


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("1 %2 = flt %0, %1", (1, "ilt", "bcsel")),
        ("32 %2 = flt32 %0, %1", (32, "ilt32", "b32csel")),
        ("32 %2 = flt %0, %1", (32, "ilt", "bcsel")),
        ("32 %2 = b32csel %0, %0, %1", (32, "ilt32", "b32csel")),
        ("32 %2 = bcsel %0, %0, %1", (32, "ilt", "bcsel")),
        ("32 %2 = fadd %0, %1", (1, "ilt", "bcsel")),
    ],
)
def test_by_the_first_comparison_or_selection(line: str, expected: tuple[int, str, str]) -> None:
    found = booleans_of(shader("FRAGMENT", ZERO, ONE, line))
    assert (found.bit_size, found.less_than, found.select) == expected


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (("1 %2 = load_const (true)",), True),
        (("32 %2 = flt32 %0, %1",), True),
        (("32 %2 = flt %0, %1",), True),
        (("32 %2 = slt %0, %1",), False),
        (("32 %2 = iand %0, %1",), False),
        (("32 %3 = flt32 %0, %1", "32 %2 = inot %3"), True),
        (("32 %3 = flt32 %0, %1", "32 %4 = ieq32 %0, %1", "32 %2 = b32csel %1, %3, %4"), True),
        (("32 %3 = flt32 %0, %1", "32 %2 = b32csel %3, %1, %3"), False),
        (("32 %2 = load_const (0xffffffff)",), True),
        (("32 %2 = load_const (0x00000001)",), False),
    ],
)
def test_numbers_and_booleans(lines: tuple[str, ...], expected: bool) -> None:
    parsed = shader("FRAGMENT", ZERO, ONE, *lines)
    (value,) = [one for impl in parsed.impls() for one in impl.defs() if one.index == 2]
    assert is_boolean(value) is expected


def test_iand_joins_at_most_one_number() -> None:
    parsed = shader(
        "FRAGMENT", ZERO, ONE, "32 %2 = flt32 %0, %1", "32 %3 = iadd %0, %1", "32 %4 = slt %0, %1"
    )
    *_, boolean, one, other = [value for impl in parsed.impls() for value in impl.defs()]
    assert is_conjunction([(boolean, False), (boolean, True), (one, True)])
    assert not is_conjunction([(one, True), (other, True)])
    assert not is_conjunction([(boolean, True), (one, False)])
