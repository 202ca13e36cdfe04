"""Texts that repeat what a quantifier takes: the shapes that make backtracking exponential or quadratic."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from re import _constants as constants  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any

_CHARACTERS = " \t\r\n0a_AzZx.,:;=-+*/\\()[]{}<>|#@%&$\"'`~!\x1b\x00\x7f"


def pumps_of(pattern: re.Pattern[Any]) -> list[tuple[str, str]]:
    """Beginnings of texts, each with what to repeat behind it."""
    is_bytes = isinstance(pattern.pattern, bytes)
    parsed = parser.parse(pattern.pattern, pattern.flags & ~re.UNICODE if is_bytes else pattern.flags)
    written = pattern.pattern.decode("latin-1") if is_bytes else pattern.pattern
    characters = [one for one in _CHARACTERS if one in written or one in " \ta0\n"]
    return [(before, unit) for before, unit in dict.fromkeys(_pumps(parsed, characters)) if unit]


def _sample(items: Any) -> str:
    """A short text that the items take."""
    return "".join(_sample_of(item) for item in items)


def _sample_of(item: Any) -> str:
    op, value = item
    if op is constants.LITERAL:
        return chr(int(value))
    if op in (constants.IN, constants.NOT_LITERAL, constants.ANY):
        return next((one for one in "a0_ A" + _CHARACTERS if _takes_one(item, one)), "a")
    if op in (constants.MAX_REPEAT, constants.MIN_REPEAT, constants.POSSESSIVE_REPEAT):
        return _sample(value[2]) * int(value[0])
    if op is constants.SUBPATTERN:
        return _sample(value[-1])
    if op is constants.ATOMIC_GROUP:
        return _sample(value)
    if op is constants.BRANCH:
        return _sample(value[1][0])
    return ""


@cache
def _class_pattern(text: str) -> re.Pattern[str]:
    return re.compile(text)


def _takes_one(item: Any, character: str) -> bool:
    op, value = item
    if op is constants.LITERAL:
        return bool(character == chr(value))
    if op is constants.NOT_LITERAL:
        return bool(character != chr(value))
    if op is constants.ANY:
        return character != "\n"
    if op is constants.IN:
        negated = value[0][0] is constants.NEGATE
        return negated != any(_in_class(part, character) for part in value)
    return False


def _in_class(part: Any, character: str) -> bool:
    op, value = part
    if op is constants.LITERAL:
        return bool(ord(character) == value)
    if op is constants.RANGE:
        return bool(value[0] <= ord(character) <= value[1])
    if op is constants.CATEGORY:
        name = str(value).rpartition("_")[2].lower()
        letter = {"digit": "d", "space": "s", "word": "w"}[name]
        return (
            _class_pattern(rf"\{letter.upper() if 'NOT' in str(value) else letter}").match(character)
            is not None
        )
    return False


def _pumps(items: Any, characters: Sequence[str], before: str = "") -> Iterator[tuple[str, str]]:
    """Yield a text and what to repeat behind it, for every quantifier."""
    for item in items:
        op, value = item
        if op in (constants.MAX_REPEAT, constants.MIN_REPEAT, constants.POSSESSIVE_REPEAT):
            body = value[2]
            if value[1] > 8:
                unit = _sample(body)
                if unit:
                    yield before, unit
                    yield "", before + unit
                    yield "", "\n" + before + unit
                    yield "", before
                if len(body) == 1 and body[0][0] is not constants.LITERAL:
                    for character in [one for one in characters if _takes_one(body[0], one)]:
                        yield before, character
                        yield "", before + character
            yield from _pumps(body, characters, before)
        elif op is constants.SUBPATTERN:
            yield from _pumps(value[-1], characters, before)
        elif op is constants.ATOMIC_GROUP:
            yield from _pumps(value, characters, before)
        elif op is constants.BRANCH:
            for branch in value[1]:
                yield from _pumps(branch, characters, before)
        before += _sample_of(item)
