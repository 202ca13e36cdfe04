"""Text as web pages, mailers and source files show it: what stands for which text of a printer.

Entities of HTML are characters, no-break spaces are spaces, string literals are lines, a closing brace ends
its line, and a line that a mailer has wrapped goes on in the next one.
"""

from __future__ import annotations

import html
import re
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import accumulate
from typing import Final

from nirls.ir.text.added_marks import LINE_OF_CODE, Replaced, without_marks
from nirls.ir.text.hidden_text import HiddenText
from nirls.ir.text.string_literals import escaped, form_of_literals

LARGEST: Final = 1 << 22
"""Bytes of a text that may be a paste; larger ones are logs."""

_ENTITY = re.compile(rb"&(?:amp;)?(?:[a-zA-Z]{2,8}|#\d{2,4}|#x[0-9a-fA-F]{2,4});")
_OF_A_PAGE = (b"&#", b"&amp;", b"&gt;", b"&lt;", b"&nbsp;", b"<pre", b"<code", b"<br")
_TAG = re.compile(rb"</?(?:a|b|br|code|div|em|font|i|p|pre|span|strong|td|tr|tt)\b[^<>\n]{0,200}>")
_SPACE = re.compile(rb"\xc2\xa0|\xe2\x80[\x80-\x8a\xaf]|\xe2\x81\x9f|\xe3\x80\x80")
_SPACES = (b"\xc2\xa0", b"\xe2\x80", b"\xe2\x81\x9f", b"\xe3\x80\x80")
"""What `_SPACE` begins with."""

_BEHIND_BRACE = re.compile(rb"\}[ \t]*+([)\"'`;,<\\][^\n]*+)")
_MARGIN = re.compile(rb"[ \t]*+(?:[>|][ \t]?+)*+[ \t]*+")
_MAY_BE_WRAPPED = (re.compile(rb",[ \t]*+\r?\n"), re.compile(rb"\n[ \t>|]*+\("))
_BEGINS_A_LINE = re.compile(
    rb"\Z|decl_\w|impl\b|(?:con |div )?block |if |loop\b|\}|//|/\*|@\w|intrinsic |call |error:"
    rb"|[a-z][a-z_ ]{0,40}:"
    rb"|[(\[]?(?:\.\.\.|snip|cut\b)|(?:con |div )?(?:vec\d|\d{1,2}(?:x\d{1,2})? )[^=\n]{0,80}="
    rb"|r\d{1,9}(?:\.\w{1,4})? =|(?:break|continue|return)\b"
)
_OPERANDS = re.compile(rb"= [\w@]|decl_var |@\w|intrinsic ")
_MAY_BE_CUT = (re.compile(rb"\([^()\n/]*+\n"), re.compile(rb">\r?\n"))
_WIDTHS: Final = frozenset((72, 76, 78, 79, 80, 100, 120, 132, 160))
"""Usual widths of terminals and mails, at which one cut line is enough to tell."""
_TWO_HEADERS = re.compile(
    rb"shader:[ \t]*+MESA_SHADER_\w++[ \t]++[|<>]?[ \t]*(?P<right>shader:)[ \t]*+MESA_SHADER_\w+"
)
_ESCAPED_MARKUP = re.compile(rb"(?:\\%|ssa\\_)\d|(?:load|decl|block|deref)\\_")
_ESCAPED_CHARACTER = re.compile(rb"\\[_*%&#{}@$~<>\[\]()|`+.!-]")
_DOUBLED = re.compile(rb"(?<!%)%%\d{1,9} = ")
_TRANSFERRED = re.compile(rb"(?:%|ssa_)\d{1,9} =3D ")
_TRANSFER = re.compile(rb"=([0-9A-F]{2})|=\r?\n")
_LEAST_CUT: Final = 2
_LARGEST_CUT: Final = 1 << 18
"""Bytes of a text that someone may have copied from a terminal."""
_MOST_LINES: Final = 64
"""Of one wrapped line."""
_HAS_OPERANDS = re.compile(
    rb"decl_var |@\w|intrinsic |r\d{1,9}(?:\[[^\]\n]{1,40}\])?(?:\.\w{1,4})? = "
    rb"|(?:(?:con|div) +)?(?:vec\d{1,2} +)?(?:\d{1,2}(?:x\d{1,2})? +)?(?:(?:con|div) +)?"
    rb"(?:%|ssa_)\d{1,9}[^=\n]{0,80}= [\w@(]"
)
"""The start of an instruction or a declaration with operands; values of hardware have other names."""


def as_printed(data: bytes) -> HiddenText | None:
    """Undo what pasting did to a text; None if that is nothing, or the text is larger than `LARGEST`."""
    if len(data) > LARGEST:
        return None
    literals = form_of_literals(data)
    is_html = literals is None and any(mark in data for mark in _OF_A_PAGE)
    steps = [
        without_marks,
        _columns,
        _cuts,
        _transfer,
        _spaces,
        _ends,
        _wraps if literals is None else literals.replaced,
        *[_markup] * (literals is None),
        *[_entities] * is_html,
    ]
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
        escaped if literals else _escape_of_page(data) if is_html else _escape_of_markup(data)
    )
    newline = literals.newline if literals else "\r" if b"\n" not in data and b"\r" in data else "\n"
    text = b"".join([*parts, data[position:]])
    return HiddenText(data, text, lambda: spans, escape, newline=newline)


def _escape_of_page(data: bytes) -> Callable[[str], str]:
    times = 2 if b"&amp;amp;" in data else 1

    def escape(text: str) -> str:
        for _ in range(times):
            text = html.escape(text, quote=False)
        return text

    return escape


def _markup(data: bytes) -> Iterator[Replaced]:
    """Yield what Markdown, LaTeX and `printf` have before a character that means something there."""
    if b"\\" in data and _ESCAPED_MARKUP.search(data) is not None:
        yield from ((match.start(), match.end() - 1, b"") for match in _ESCAPED_CHARACTER.finditer(data))
    elif b"%%" in data and _DOUBLED.search(data) is not None:
        yield from ((match.start(), match.end() - 1, b"") for match in re.finditer(rb"%%", data))


def _escape_of_markup(data: bytes) -> Callable[[str], str] | None:
    if b"\\" in data and _ESCAPED_MARKUP.search(data) is not None:
        characters = "".join({match[0].decode()[1] for match in _ESCAPED_CHARACTER.finditer(data)})
        return lambda text: re.sub(f"([{re.escape(characters)}])", r"\\\1", text)
    spelled = {
        "%": ("%%", b"%%" in data and _DOUBLED.search(data) is not None),
        "=": ("=3D", _TRANSFERRED.search(data) is not None),
        "\t": ("^I", b"^I" in data and b"\t" not in data),
        " ": ("\u00b7", b"\xc2\xb7" in data and b" " not in data),
    }
    table = str.maketrans({letter: word for letter, (word, is_spelled) in spelled.items() if is_spelled})
    return (lambda text: text.translate(table)) if table else None


def _entities(data: bytes) -> Iterator[Replaced]:
    """Yield the entities and the tags of HTML."""
    for match in _ENTITY.finditer(data):
        character = html.unescape(match[0].decode())
        if match[0].startswith(b"&amp;") and len(match[0]) > len(b"&amp;"):
            if b"&amp;amp;" not in data:
                yield match.start(), match.start() + len(b"&amp;"), b"&"
                continue
            character = html.unescape(character)
        if len(character) > 1:
            continue
        if character.isprintable() or character == "\xa0":
            yield *match.span(), b" " if character == "\xa0" else character.encode()
    for match in _TAG.finditer(data):
        yield *match.span(), b""


def _columns(data: bytes) -> Iterator[Replaced]:
    """Yield the right one of two dumps side by side, with the column of marks between them.

    A comment says so, and makes an excerpt of the dump: an edit would move what stands beside it.
    """
    header = _TWO_HEADERS.search(data)
    if header is None:
        return
    position = data.rfind(b"\n", 0, header.start()) + 1
    column = len(data[position : header.start("right")].decode("utf-8", "replace"))
    left_out = b"\n// ..."
    for line in data[position:].split(b"\n"):
        left = line.decode("utf-8", "replace")[:column]
        if (mark := left[-3:].strip(" \t")) in ("|", "<", ">"):
            left = left[: left.rindex(mark)]
        kept = len(left.rstrip(" \t").encode())
        if kept < len(line) - line.endswith(b"\r"):
            yield position + kept, position + len(line) - line.endswith(b"\r"), left_out
            left_out = b""
        position += len(line) + 1


def _cuts(data: bytes) -> Iterator[Replaced]:
    """Yield dots at the ends of the lines that something cut at one width, such as `less -S` (`>`)."""
    if len(data) > _LARGEST_CUT or not any(pattern.search(data) for pattern in _MAY_BE_CUT):
        return
    if _TWO_HEADERS.search(data) is not None:
        return
    lines = data.split(b"\n")
    lengths = [len(line.rstrip(b"\r").decode("utf-8", "replace")) for line in lines]
    code = [number for number, line in enumerate(lines) if LINE_OF_CODE.search(line)]
    width = max((lengths[number] for number in code), default=0)
    ending = [number for number in code if lengths[number] == width]
    broken = [number for number in ending if _is_cut(lines[number])]
    is_marked = any(lines[number].rstrip(b"\r").endswith(b">") for number in broken)
    if not broken or (len(ending) < _LEAST_CUT and not is_marked and width not in _WIDTHS):
        return
    if not all(_begins_a_line(lines[number + 1]) for number in broken if number + 1 < len(lines)):
        return
    starts = [0, *accumulate(len(line) + 1 for line in lines)]
    for number in ending:
        line = lines[number].rstrip(b"\r")
        end = starts[number] + len(line)
        yield end - (is_marked and line.endswith(b">")), end, b" ..."


def _is_cut(line: bytes) -> bool:
    """Whether a line ends within parentheses, or at the mark of a cut, behind its last comment."""
    code = line.rstrip(b"\r").rpartition(b"/")[2]
    operands = _OPERANDS.search(code)
    if operands is None:
        return False
    rest = code[operands.end() :]
    return rest.rfind(b"(") > rest.rfind(b")") or (rest.endswith(b">") and rest[-2:-1] not in (b"", b">"))


def _begins_a_line(line: bytes) -> bool:
    margin = _MARGIN.match(line)
    return _BEGINS_A_LINE.match(line, margin.end() if margin else 0) is not None


def _transfer(data: bytes) -> Iterator[Replaced]:
    """Yield what mails have for other bytes, `=3D`, and the ends of lines that go on (RFC 2045)."""
    if b" =3D " not in data or _TRANSFERRED.search(data) is None:
        return
    ends: Counter[int] = Counter()
    for match in _TRANSFER.finditer(data):
        if match[1] is not None:
            yield *match.span(), bytes.fromhex(match[1].decode())
            continue
        yield *match.span(), b""
        end = match.end()
        while (end := data.find(b"\n", end)) >= 0 and data[:end].endswith((b"=", b"=\r")):
            end += 1
        ends[len(data) if end < 0 else end] += 1
    for end, count in ends.items():
        yield end, min(end + 1, len(data)), b"\n" * (count + 1)


def _spaces(data: bytes) -> Iterator[Replaced]:
    """Yield the spaces that are not those of ASCII."""
    if any(space in data for space in _SPACES):
        yield from ((*match.span(), b" ") for match in _SPACE.finditer(data))


def _ends(data: bytes) -> Iterator[Replaced]:
    """Yield what stands behind closing braces: ends of string literals, calls, elements of HTML."""
    for match in _BEHIND_BRACE.finditer(data):
        before = data[data.rfind(b"\n", 0, match.start()) + 1 : match.start()]
        if not before.strip(b" \t"):
            yield match.start(1), match.end() - match[1].endswith(b"\r"), b""


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
