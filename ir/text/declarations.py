"""Declarations in the text of a dump: `decl_var`, `decl_reg` and `decl_function` lines, without a parse."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

_PART: Final = rb"\([^()\s]++(?<=\])\)[^\s(]*+"
"""Name of a part of a variable that was split, such as `(a[0])`."""
_DECLARATION: Final = rb"""decl_(?P<kind>\w++)[ \t]++
    (?P<words>(?:[^\s(]++(?:[ \t]++(?!(?!%b)\(|[=\r\n]|$)|[ ][ ](?=\()))*+)
    (?P<name>%b|[^\s(]*+)(?P<rest>[ \t]*+(?:\((?P<inside>[^()\n]*+)\))?[^\r\n]*+)""" % (_PART, _PART)
_AT_PLACE = re.compile(_DECLARATION, re.MULTILINE | re.VERBOSE)
_LINE = re.compile(rb"^[ \t]*+" + _DECLARATION, re.MULTILINE | re.VERBOSE)
_LAST_WORD = re.compile(rb"(?<!\S)(\S++)\s*+\Z")
_SLOT = re.compile(rb"[A-Z]+_(?:SLOT|RESULT|ATTRIB)_\w+(?:\.\w+)?")


def declarations(text: bytes, start: int = 0, end: int | None = None) -> Iterator[re.Match[bytes]]:
    """Yield the declarations in bytes [start, end) of a dump.

    The groups are `kind` (`var`), `words` (mode, qualifiers and type), `name`, which is empty for a block
    without a name, the `rest`, and what is `inside` its first parentheses (slot and numbers, or parameters),
    None without them.
    """
    return _LINE.finditer(text, start, len(text) if end is None else end)


def variables(text: bytes, start: int = 0, end: int | None = None) -> Iterator[re.Match[bytes]]:
    """Yield the declarations of variables among those of `declarations`."""
    return (match for match in declarations(text, start, end) if match["kind"] == b"var")


def name_or_type(variable: re.Match[bytes]) -> tuple[int, int]:
    """Return the bytes [start, end) of the name of a variable, or of the type of a block without a name."""
    if variable["name"]:
        return variable.span("name")
    type_ = _LAST_WORD.search(variable.string, *variable.span("words"))
    return variable.span("name") if type_ is None else type_.span(1)


def declared_word(text: bytes, start: int, end: int) -> tuple[int, int] | None:
    """Return the bytes [start, end) of the slot of the declaration at `start`, or else of its name."""
    match = _AT_PLACE.match(text, start, end)
    if match is None:
        return None
    slot = None if match["inside"] is None else _SLOT.match(text, *match.span("inside"))
    return name_or_type(match) if slot is None else slot.span()
