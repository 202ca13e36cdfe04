"""Errors say what was wrong."""

from __future__ import annotations

from nirls.verification.evaluate.values.errors import Unsupported


def test_messages_and_fields() -> None:
    assert (str(Unsupported("foo")), Unsupported("foo").name) == ("foo cannot be evaluated", "foo")
