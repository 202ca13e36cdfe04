"""Selection ranges around a cursor: word, line, block, and so on up to the dump."""

from __future__ import annotations

from bisect import bisect_right

from nirls.server.ide.cursor.entities import token_at
from nirls.server.ide.cursor.outline import Outline
from nirls.server.ide.cursor.places import Places

MOST_LEVELS = 64
"""Largest number of levels; of a deeper nesting, the outermost are omitted, except for the dump."""


def selections(text: bytes, shape: Outline, places: Places, offset: int) -> list[tuple[int, int]]:
    """Return byte ranges around an offset, innermost first, each within the next."""
    found: list[tuple[int, int]] = []
    token = token_at(places, text, offset)
    if token is not None:
        found.append((token.start, token.end))
    line_start = text.rfind(b"\n", 0, offset) + 1
    line_end = text.find(b"\n", offset)
    line = text[line_start : len(text) if line_end < 0 else line_end]
    found.append((line_start + len(line) - len(line.lstrip()), line_start + len(line.rstrip())))
    before = bisect_right(shape.folds, offset, key=lambda fold: fold.start)
    for fold in reversed(shape.folds[:before]):
        if fold.end >= offset:
            found.append((fold.start, fold.end))
            if len(found) >= MOST_LEVELS:
                break
    found.append((0, len(text.rstrip())))
    return _nested(found, offset)


def _nested(ranges: list[tuple[int, int]], offset: int) -> list[tuple[int, int]]:
    nested: list[tuple[int, int]] = []
    for start, end in ranges:
        if not start <= offset <= end:
            continue
        if not nested or (start <= nested[-1][0] and end >= nested[-1][1] and (start, end) != nested[-1]):
            nested.append((start, end))
    return nested or [(offset, offset)]
