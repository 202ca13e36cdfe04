"""Names of passes in the text between two dumps.

Mesa prints the name of a pass before it runs (NIR_PASS with `NIR_DEBUG=print`), and the shader after it only
if the pass made progress. Drivers print headings instead, `NIR (SSA form) for vertex shader:`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum, auto
from functools import lru_cache
from typing import NamedTuple

_PASS = re.compile(
    r"(?:MESA: \w+: )?(?:(?P<said>skipping|after|before|running|pass)[ :]+)?"
    r"(?P<name>[a-z][a-z0-9]*(?:_[a-z0-9]+)+)(?:\([^()]*\))?(?P<colon>:?)\s*\Z"
)
_NIR = re.compile(r"\b(?:NIR\b|nir\d*\b)")
_LONGEST_LINE = 160
_PROGRAM = re.compile(r"\s*(?:TYPED_)?TEST(?:_F|_P)?\(|.*\bR\"\w*\(\Z|\s*\)\w*\"")
"""A line of the source of a unit test: its start, or an end of a raw string literal."""

_SEPARATOR = re.compile(r"(?:[^\w]|[_8])*+\Z")
"""A line without words: `---8<---`."""

_WORDS_OF_PROSE = re.compile(
    r"\b(?:an?|and|are|as|be|becomes|but|can|for|from|have|how|if|is|its?|now|of|so|that|the[ny]?|there|these|this"
    r"|to|was|we|were|what|when|where|which|will|with|you)\b"
)
_FEWEST_WORDS_OF_PROSE = 3


@dataclass(frozen=True, slots=True)
class PassLine:
    """A pass named in a log; `line` counts from the start of the text. `skipped`: disabled by NIR_SKIP."""

    name: str
    line: int
    skipped: bool = False


@dataclass(frozen=True, slots=True)
class TextBetween:
    """Passes in the text before a dump, in order, and the heading of the dump.

    `owner` is the pass that printed the dump: the last one, unless it was skipped or a heading followed it.
    `is_foreign` is set if there is text of people, prose or the source of a unit test: dumps on both sides of
    it are different shaders, unless a pass or a heading says otherwise.
    """

    passes: tuple[PassLine, ...] = ()
    owner: PassLine | None = None
    heading: str | None = None
    is_foreign: bool = False


def read_text_between(text: bytes) -> TextBetween:
    """Find the passes and the heading in the text between two dumps."""
    passes: list[PassLine] = []
    owner: PassLine | None = None
    heading: str | None = None
    is_foreign = False
    for number, raw in enumerate(text.split(b"\n")):
        line = _read_line(raw if len(raw) <= _LONGEST_LINE else b"")
        if line.kind is _LineKind.PASS:
            pass_line = PassLine(line.text, number, line.skipped)
            passes.append(pass_line)
            owner, heading = (None if pass_line.skipped else pass_line), None
        elif line.kind is _LineKind.FOREIGN:
            owner, heading, is_foreign = None, None, True
        elif line.kind is _LineKind.HEADING:
            owner, heading = None, line.text
        elif line.kind is _LineKind.OTHER:
            heading = None
    return TextBetween(tuple(pass_ for pass_ in passes if pass_ is not owner), owner, heading, is_foreign)


class _LineKind(Enum):
    PASS = auto()
    FOREIGN = auto()
    HEADING = auto()
    SEPARATOR = auto()
    OTHER = auto()


class _Line(NamedTuple):
    """A line between two dumps; `text` is the name of a pass, or a heading."""

    kind: _LineKind
    text: str = ""
    skipped: bool = False


@lru_cache(1 << 12)
def _read_line(raw: bytes) -> _Line:
    """Read a line; the names of passes come again and again in a log."""
    line = raw.decode("utf-8", "replace").rstrip()
    if not line:
        return _Line(_LineKind.SEPARATOR)
    match = _PASS.match(line)
    # A name with a colon is an assembly label, unless preceded by a word such as `after`.
    if match is not None and (not match["colon"] or match["said"] is not None):
        return _Line(_LineKind.PASS, match["name"], match["said"] == "skipping")
    if _is_prose(line) or _PROGRAM.match(line):
        return _Line(_LineKind.FOREIGN)
    if _is_heading(line):
        return _Line(_LineKind.HEADING, line.removesuffix(":"))
    return _Line(_LineKind.SEPARATOR if _SEPARATOR.match(line) else _LineKind.OTHER)


def _is_heading(line: str) -> bool:
    """`NIR (final form) for vertex shader:`, or a line about NIR without a colon: `dump nir1: type=0`."""
    return not line[0].isspace() and ((line.endswith(":") and " " in line) or _NIR.search(line) is not None)


def _is_prose(line: str) -> bool:
    """A sentence: `After that pass the loop is gone, and we get:`."""
    return line[-1] in ".:!?" and len(_WORDS_OF_PROSE.findall(line.lower())) >= _FEWEST_WORDS_OF_PROSE
