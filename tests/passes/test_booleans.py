from __future__ import annotations

import pytest

from nirls.passes.booleans import booleans_of
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
