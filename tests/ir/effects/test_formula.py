from __future__ import annotations

import pytest

from nirls.ir.effects.formula import Formula, Linear
from nirls.ir.model.values import Def

VALUE = Def(0, 1, 32)
NAMES = {"s0": Linear(0, {VALUE: 1}), "base": Linear(8), "st64": Linear(1), "bytes": Linear(4)}


@pytest.mark.parametrize(
    ("text", "constant", "factor"),
    [
        ("12", 12, 0),
        ("base + 4", 12, 0),
        ("s0 + base * bytes", 32, 1),
        ("base + s0", 8, 1),
        ("s0 + s0 * 2", 0, 3),
        ("s0 << 3", 0, 8),
        ("s0 << 0", 0, 1),
        ("1 << 63", 1 << 63, 0),
        ("(s0 + base) * 2", 16, 2),
        ("base * bytes * (1 + 63 * st64)", 8 * 4 * 64, 0),
    ],
)
def test_value(text: str, constant: int, factor: int) -> None:
    found = Formula(text).evaluate(NAMES.get)
    assert found is not None
    assert (found.constant, found.factors.get(VALUE, 0)) == (constant, factor)


@pytest.mark.parametrize("text", ["s1 + 4", "4 + s1", "s0 * s0", "unknown"])
def test_what_is_not_known(text: str) -> None:
    assert Formula(text).evaluate(NAMES.get) is None


def test_names() -> None:
    assert Formula("s0 + offset0 * bytes").names() == {"s0", "offset0", "bytes"}


@pytest.mark.parametrize("text", ["s0 - 4", "4 << s0", "s0 << 64"])
def test_other_operations_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match="no formula"):
        Formula(text).evaluate(NAMES.get)
