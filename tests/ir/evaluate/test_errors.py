"""Errors say what was wrong."""

from __future__ import annotations

from nirls.ir.evaluate.errors import DivergentBarrier, LimitReached, Unsupported


def test_messages_and_fields() -> None:
    assert (str(Unsupported("foo")), Unsupported("foo").name) == ("foo cannot be evaluated", "foo")
    assert "after 7 iterations" in str(LimitReached(7))
    assert LimitReached(7).iterations == 7
    assert DivergentBarrier("barrier").name in str(DivergentBarrier("barrier"))
