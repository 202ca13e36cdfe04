"""Searchable names of a dump: the dump, its functions, variables and named values."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from itertools import islice

from nirls.ir.model.stage import Stage
from nirls.server.ide.outline import Outline

_VARIABLE = re.compile(
    rb"""^[ \t]*decl_var\b[^\n]*?[ \t](?P<name>[^\s()]++)[ \t]*+
    (?:\([^()\n]*\)[ \t]*(?:compact[ \t]*)?)?(?:=[^\n]*)?\r?$""",
    re.MULTILINE | re.VERBOSE,
)
_NAMED_VALUE = re.compile(rb"^[^=\n]*?(?:%|ssa_)\d+\.(?P<name>[^\s=]++)[ \t]*+=", re.MULTILINE)
MOST_VARIABLES = 2000
"""Most variables of one dump that can be found, and most named values."""


class NameKind(Enum):
    """The kind of a name."""

    DUMP = "dump"
    FUNCTION = "function"
    VARIABLE = "variable"
    VALUE = "value"


@dataclass(frozen=True, slots=True)
class Name:
    """A name at bytes [start, end) of the dump."""

    text: str
    kind: NameKind
    start: int
    end: int


def dump_title(shape: Outline) -> str:
    """Return the title of a dump, such as `FS GLSL3`."""
    stage = Stage.from_mesa_name(shape.stage)
    words = [stage.abbreviation if stage is not None else shape.stage or "shader", shape.name]
    return " ".join(word for word in words if word)


def names_of(text: bytes, shape: Outline) -> Iterator[Name]:
    """Yield the names of a dump, its title first."""
    first_line = text.find(b"\n")
    yield Name(dump_title(shape), NameKind.DUMP, 0, first_line if first_line >= 0 else len(text))
    for function in shape.functions:
        yield Name(function.name, NameKind.FUNCTION, function.start, function.head_end)
    for number, match in enumerate(_VARIABLE.finditer(text)):
        if number >= MOST_VARIABLES:
            break
        yield Name(match["name"].decode("utf-8", "replace"), NameKind.VARIABLE, *match.span("name"))
    for match in islice(_NAMED_VALUE.finditer(text), MOST_VARIABLES):
        yield Name(match["name"].decode("utf-8", "replace"), NameKind.VALUE, *match.span("name"))


def matches(name: str, query: str) -> bool:
    """Whether a name contains the letters of each word of a query in order."""
    lowered = name.lower()
    return all(_has_letters(lowered, word) for word in query.lower().split())


def _has_letters(name: str, word: str) -> bool:
    letters = iter(name)
    return all(letter in letters for letter in word)
