"""NIR in string literals: of C, one a line; of JSON, of scripts and of `strace`, several lines in one."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

from nirls.ir.text.added_marks import Replaced
from nirls.ir.text.structure import BLOCK_LABEL

# These search whole logs. Patterns that start with a literal are several times as fast as ones with `^`.
_FIRST_LINE: Final = (
    rb'(?:shader:[ \t]*+MESA_SHADER_\w{1,40}|impl [^"\n\\]{1,200}|%b[^"\n\\]{0,200})' % BLOCK_LABEL
)
_LITERAL_DUMP = re.compile(rb'"[ \t]*+%b\\n"' % _FIRST_LINE)
_LIST_OF_LINES = re.compile(rb'"[ \t]*+%b"[ \t]*+,[ \t]*+\r?\n[ \t]*+"' % _FIRST_LINE)
_LONG_DUMP = re.compile(rb"%b(?:\\r)?\\n(?![\"']|\\?[\"'])" % _FIRST_LINE)
_LITERAL = re.compile(rb'^([^\n]{0,400}?")((?:[^"\\\n]|\\[^\n])*+)(?<=\\n)("[^\n]*+)$', re.MULTILINE)
_LISTED = re.compile(rb'^([ \t]*")((?:[^"\\\n]|\\[^\n])*+)("[ \t]*+,?[ \t]*+)\r?$', re.MULTILINE)
_ONE_DUMP = re.compile(rb"[ \t]*+%b(?:\\r)?\\n" % _FIRST_LINE)
_LONG = re.compile(rb"(?P<quote>[\"'])(?P<inside>(?:(?!(?P=quote))[^\\\n]|\\\r?\n|\\[^\r\n])*+)(?P=quote)")
_CONTINUED = re.compile(rb"\\n(?:\\(?=\r?\n))?")
_ESCAPE = re.compile(rb"\\(?:([\"'\\/tnr])|u00([0-9a-fA-F]{2})|x([0-7][0-9a-fA-F]))")
_ESCAPED = {b"t": b"\t", b"n": b"", b"r": b"\r"}


@dataclass(frozen=True, slots=True)
class LiteralForm:
    """A form of string literals: what stands for which text, and how new text is written in it."""

    replaced: Callable[[bytes], Iterator[Replaced]]
    newline: str = "\n"


def form_of_literals(data: bytes) -> LiteralForm | None:
    """Return the form of the string literals that a text has dumps in; None without such."""
    if b'\\n"' in data and _LITERAL_DUMP.search(data) is not None:
        return LiteralForm(_lines)
    if b"\\n" in data and _LONG_DUMP.search(data) is not None:
        return LiteralForm(_long, "\n" if b"\\n\\\n" in data or b"\\n\\\r\n" in data else "\\n")
    if b'",' in data and _LIST_OF_LINES.search(data) is not None:
        return LiteralForm(_listed)
    return None


def escaped(text: str) -> str:
    """Return a line as it stands in a literal."""
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\t", "\\t")


def _lines(data: bytes) -> Iterator[Replaced]:
    """Yield what makes string literals of lines."""
    for line in _LITERAL.finditer(data):
        yield *line.span(1), b""
        yield from _escapes(data, line.start(2), line.end(2) - 2)
        yield line.end(2) - 2, line.end(3) - line[3].endswith(b"\r"), b""


def _listed(data: bytes) -> Iterator[Replaced]:
    """Yield what makes a list of string literals of lines."""
    for line in _LISTED.finditer(data):
        yield *line.span(1), b""
        yield from _escapes(data, *line.span(2))
        yield *line.span(3), b""


def _long(data: bytes) -> Iterator[Replaced]:
    """Yield the quotation marks, the escapes and the rest of the line of literals that are one dump each."""
    done = 0
    for literal in _LONG.finditer(data):
        inside = literal["inside"]
        if literal.start() < done or _ONE_DUMP.match(inside) is None or inside.count(b"MESA_SHADER_") > 1:
            continue
        start, end = literal.span("inside")
        line_end = data.find(b"\n", end)
        done = len(data) if line_end < 0 else line_end
        line_start = data.rfind(b"\n", 0, start) + 1
        yield line_start, start, b""
        if inside.endswith(b"\\n"):
            end -= len(b"\\n")
        position = start
        for newline in _CONTINUED.finditer(data, start, end):
            if data.startswith(b"\\\\", newline.start() - 1):
                continue
            yield from _escapes(data, position, newline.start())
            yield *newline.span(), b"" if len(newline[0]) > len(b"\\n") else b"\n"
            position = newline.end()
        yield from _escapes(data, position, end)
        yield end, done - data.endswith(b"\r", 0, done), b""


def _escapes(data: bytes, start: int, end: int) -> Iterator[Replaced]:
    for escape in _ESCAPE.finditer(data, start, end):
        if escape[1] is None:
            yield *escape.span(), bytes.fromhex((escape[2] or escape[3]).decode()).decode("latin-1").encode()
        else:
            yield *escape.span(), _ESCAPED.get(escape[1], escape[1])
