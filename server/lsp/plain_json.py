"""JSON without the protocol's classes: values as they came, and text as it goes out."""

from __future__ import annotations

from typing import Any


class Encoded(str):
    """JSON text, to be sent as it is."""


def value_at(value: object, *path: str) -> Any:
    """What is at a path of names through objects, None if there is nothing."""
    for name in path:
        value = value.get(name) if isinstance(value, dict) else None
    return value
