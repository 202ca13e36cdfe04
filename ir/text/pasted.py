"""Text as web pages, mailers and source files show it: what stands for which text of a printer.

Entities of HTML are characters, no-break spaces are spaces, the string literals of C are lines, a closing
brace ends its line, and a line that a mailer has wrapped goes on in the next one.
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterator
from typing import Final

from nirls.ir.text.hidden_text import HiddenText
from nirls.ir.text.structure import BLOCK_LABEL

LARGEST: Final = 1 << 22
"""Bytes of a text that may be a paste; larger ones are logs."""

Replaced = tuple[int, int, bytes]
"""The bytes [start, end) of a document, and what stands for them."""

_ENTITY = re.compile(rb"&(?:amp|lt|gt|quot|apos|nbsp|#\d{2,4}|#x[0-9a-fA-F]{2,4});")
_OF_A_PAGE = (b"&#", b"&amp;", b"&gt;", b"&lt;", b"&nbsp;", b"<pre", b"<code", b"<br")
_TAG = re.compile(rb"</?(?:a|b|br|code|div|em|font|i|p|pre|span|strong|td|tr|tt)\b[^<>\n]{0,200}>")
_SPACES = (b"\xc2\xa0", b"\xe2\x80\x87", b"\xe2\x80\xaf")
_SPACE = re.compile(rb"%b" % b"|".join(_SPACES))
# These search whole logs. Patterns that start with a literal are several times as fast as ones with `^`.
_BEHIND_BRACE = re.compile(rb"\}[ \t]*+([)\"'`;,<\\][^\n]*+)")
_LITERAL_DUMP = re.compile(
    rb'"[ \t]*+(?:shader:[ \t]*+MESA_SHADER_\w{1,40}|impl [^"\n]{1,200}'
    rb'|%b[^"\n]{0,200})\\n"' % BLOCK_LABEL
)
_LITERAL = re.compile(rb'^([^"\n]{0,200}")((?:[^"\\\n]|\\[^\n])*+)("[ \t]*+[;,)]*+[ \t]*+)\r?$', re.MULTILINE)
_ESCAPE = re.compile(rb'\\(["\\tn])')
_ESCAPED = {b'"': b'"', b"\\": b"\\", b"t": b"\t", b"n": b""}
_MARGIN = re.compile(rb"[ \t]*+(?:[>|][ \t]?+)*+[ \t]*+")
_MAY_BE_WRAPPED = (re.compile(rb",[ \t]*+\r?\n"), re.compile(rb"\n[ \t>|]*+\("))
_BEGINS_A_LINE = re.compile(
    rb"\Z|decl_\w|impl\b|block |if |loop\b|\}|//|/\*|@\w|intrinsic |call |[a-z][a-z_ ]{0,40}:|error:"
    rb"|[(\[]?(?:\.\.\.|snip|cut\b)|(?:con |div )?(?:vec\d|\d{1,2}(?:x\d{1,2})? )[^=\n]{0,80}="
    rb"|r\d{1,9}(?:\.\w{1,4})? =|(?:break|continue|return)\b"
)
_MOST_LINES: Final = 64
"""Of one wrapped line."""
_HAS_OPERANDS = re.compile(rb"decl_var |@\w|intrinsic |[^=\n]{0,80}= [\w@(]")


def as_printed(data: bytes) -> HiddenText | None:
    """Undo what pasting did to a text; None if that is nothing, or the text is larger than `LARGEST`."""
    if len(data) > LARGEST:
        return None
    is_literal = b'\\n"' in data and _LITERAL_DUMP.search(data) is not None
    is_html = not is_literal and any(mark in data for mark in _OF_A_PAGE)
    steps = [_spaces, _ends, _literals if is_literal else _wraps, *[_entities] * is_html]
    found = sorted(
        (replaced for step in steps for replaced in step(data)),
        key=lambda replaced: (replaced[0], -replaced[1]),
    )
    parts: list[bytes] = []
    spans: list[tuple[int, int, int]] = []
    position = 0
    for start, end, text in found:
        if start >= position:
            parts += [data[position:start], text]
            spans.append((start, end, len(text)))
            position = end
    if not spans:
        return None
    escape: Callable[[str], str] | None = (
        _escaped_literal if is_literal else _escaped_html if is_html else None
    )
    return HiddenText(data, b"".join([*parts, data[position:]]), lambda: spans, escape)


def _escaped_literal(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\t", "\\t")


def _escaped_html(text: str) -> str:
    return html.escape(text, quote=False)


def _entities(data: bytes) -> Iterator[Replaced]:
    """Yield the entities and the tags of HTML."""
    for match in _ENTITY.finditer(data):
        character = html.unescape(match[0].decode())
        if character.isprintable() or character == "\xa0":
            yield *match.span(), b" " if character == "\xa0" else character.encode()
    for match in _TAG.finditer(data):
        yield *match.span(), b""


def _spaces(data: bytes) -> Iterator[Replaced]:
    """Yield the no-break spaces."""
    if any(space in data for space in _SPACES):
        yield from ((*match.span(), b" ") for match in _SPACE.finditer(data))


def _ends(data: bytes) -> Iterator[Replaced]:
    """Yield what stands behind closing braces: ends of string literals, calls, elements of HTML."""
    for match in _BEHIND_BRACE.finditer(data):
        before = data[data.rfind(b"\n", 0, match.start()) + 1 : match.start()]
        if not before.strip(b" \t"):
            yield match.start(1), match.end() - match[1].endswith(b"\r"), b""


def _literals(data: bytes) -> Iterator[Replaced]:
    """Yield what makes string literals of lines."""
    for line in _LITERAL.finditer(data):
        if not line[2].endswith(b"\\n"):
            continue
        yield *line.span(1), b""
        for escape in _ESCAPE.finditer(data, line.start(2), line.end(2) - 2):
            yield *escape.span(), _ESCAPED[escape[1]]
        yield line.end(2) - 2, line.end(3), b""


def _wraps(data: bytes) -> Iterator[Replaced]:
    """Yield the ends of lines that go on in the next one, with the margins there, and the ends of those."""
    if not any(pattern.search(data) for pattern in _MAY_BE_WRAPPED):
        return
    whole, count, position = b"", 0, 0
    for line in data.split(b"\n"):
        margin = _MARGIN.match(line)
        indent = margin.end() if margin else 0
        content = line[indent:].strip()
        if count < _MOST_LINES and _goes_on(whole, content):
            end_of_line = position - 1 - data.startswith(b"\r", position - 2)
            yield end_of_line, position + indent, b" "
            whole, count = b"%b %b" % (whole, content), count + 1
        else:
            if count:
                yield position - 1, position, b"\n" * (count + 1)
            whole, count = content, 0
        position += len(line) + 1
    if count:
        yield len(data), len(data), b"\n" * count


def _goes_on(line: bytes, below: bytes) -> bool:
    """Return whether an instruction or a declaration goes on in the line below it."""
    if _BEGINS_A_LINE.match(below) or not _HAS_OPERANDS.match(line):
        return False
    if line.startswith(b"decl_var "):
        return True
    return below.startswith(b"(") or line.endswith((b",", b"(", b"=")) or line.count(b"(") > line.count(b")")
