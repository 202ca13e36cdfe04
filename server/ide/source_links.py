"""Names of source files in a dump, from debug information.

Drivers print debug information as `file:line` or `file:line:column` after or above instructions, and
applications often name shaders after files.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

_ENDINGS = (
    b"glsl|vert|tesc|tese|geom|frag|comp|task|mesh|rgen|rint|rahit|rchit|rmiss|rcall|vs|fs|gs|cs|ps|hlsl|slang"
    b"|wgsl|cl|cpp|c|h|hpp|rs|spv|spvasm|shader_test|nir|metal"
)
_ENDING = re.compile(
    rb"\.(?:%s)(?![\w-]|\.\w)(?P<place>:(?P<line>\d{1,7})(?::(?P<column>\d{1,5}))?|\((?P<in_brackets>\d{1,7})\))?"
    % _ENDINGS
)
# The path before the file ending; it starts after a space, quotation mark or bracket.
_PATH = re.compile(rb"(?<![%\w.+@~/\\\x80-\xff-])(?:[A-Za-z]:)?[\w.+@~/\\\x80-\xff-]*[\w+@\x80-\xff-]\Z")
_NUMBER = re.compile(rb"(?:ssa_)?\d+(?:\.\d+)*\Z")
_LONGEST_NAME = 1024
MOST_LINKS = 10_000
"""Largest number of candidate names in one text."""


@dataclass(frozen=True, slots=True)
class SourceLink:
    """A file name at bytes [start, end) of a text, with line and column from 1 if given."""

    start: int
    end: int
    file: str
    line: int | None = None
    column: int | None = None


def source_links(text: bytes) -> Iterator[SourceLink]:
    """Yield the names of source files in a text, in order, whether or not the files exist."""
    last = 0
    for match in islice(_ENDING.finditer(text), MOST_LINKS):
        path = _PATH.search(text, max(last, match.start() - _LONGEST_NAME), match.start())
        if path is None or _NUMBER.match(path[0]):
            continue
        last = match.end()
        line, column = match["line"] or match["in_brackets"], match["column"]
        name_end = match.start("place") if match["place"] else match.end()
        yield SourceLink(
            path.start(),
            match.end(),
            text[path.start() : name_end].decode("utf-8", "replace"),
            int(line) if line else None,
            int(column) if column else None,
        )
