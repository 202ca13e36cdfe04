"""Makes an input small: removes pieces as long as what went wrong still does (ddmin of Zeller, 2002)."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Sequence
from typing import TypeVar

_LINES = re.compile(rb"[^\n]*\n|[^\n]+")
_WORDS = re.compile(rb"\s+|\w+|[^\w\s]")
_MOST_WORDS = 400

ItemT = TypeVar("ItemT")


def minimise(text: bytes, still_wrong: Callable[[bytes], bool], seconds: float) -> bytes:
    """A part of the text that still goes wrong: first without lines, then without words."""
    end = time.monotonic() + seconds
    lines = fewest(_LINES.findall(text), lambda some: still_wrong(b"".join(some)), end)
    text = b"".join(lines)
    words = _WORDS.findall(text)
    if len(words) <= _MOST_WORDS:
        text = b"".join(fewest(words, lambda some: still_wrong(b"".join(some)), end))
    return text


def fewest(items: Sequence[ItemT], still_wrong: Callable[[Sequence[ItemT]], bool], end: float) -> list[ItemT]:
    """Items of which none can go, as far as that is found before the `end` of the monotonic clock."""
    left = list(items)
    pieces = 2
    while len(left) > 1 and time.monotonic() < end:
        size = max(1, len(left) // pieces)
        start, found = 0, False
        while start < len(left) and time.monotonic() < end:
            without = left[:start] + left[start + size :]
            if without and still_wrong(without):
                left, found = without, True
            else:
                start += size
        if size == 1 and not found:
            break
        pieces = max(2, min(len(left), pieces if found else 2 * pieces))
    return left
