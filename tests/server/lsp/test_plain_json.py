"""Paths into JSON of any shape."""

from __future__ import annotations

import pytest

from nirls.server.lsp.plain_json import value_at


@pytest.mark.parametrize(
    ("value", "found"),
    [
        ({"a": {"b": 3}}, 3),
        ({"a": {"b": None}}, None),
        ({"a": [1]}, None),
        ({}, None),
        (None, None),
        ("a", None),
    ],
)
def test_what_is_not_there_is_none(value: object, found: object) -> None:
    assert value_at(value, "a", "b") == found
