"""What tools and people add to the lines of a paste besides a prefix, and what stands for it.

The end of each line (`cat -A`, tables, continued lines), the removed lines of a difference, escape sequences
and control characters as letters, letters that look like those of the printer, and notes of the author.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator
from itertools import islice
from typing import Final

from nirls.ir.text.excerpts import CODE
from nirls.ir.text.structure import BLOCK_LABEL

Replaced = tuple[int, int, bytes]
"""The bytes [start, end) of a document, and what stands for them."""

COLOUR: Final = rb"\x1b\[[0-9;?]*+[A-Za-z]"
_UNSEEN_BYTES = (b"\x00", b"\x0c", b"\x0e", b"\x0f", b"\x7f")
_UNSEEN = re.compile(rb"[%b]" % b"".join(map(re.escape, _UNSEEN_BYTES)))
_PROMPT = re.compile(rb"^(?:--[A-Z][^\n-]{0,80}--(?:\(\d{1,3}%\))?|\(END\)|:)[ \t]*\r?$", re.MULTILINE)
_LINK = re.compile(rb"\x1b\]8;[^\x07\x1b\n]{0,2000}(?:\x07|\x1b\\)")
_SPELLED = re.compile(
    rb"(?:\^\[|\\x1[bB]|\\033|\\e|\\u001[bB]|ESC|\xe2\x90\x9b|(?<!\x1b))\[(?:\d{1,2}(?:;\d{1,3}){0,4})?[mK]|\^I|\^M(?=\$?\r?$)",
    re.MULTILINE,
)
_SPELLED_COLOUR = re.compile(rb"\[\d{1,2}(?:;\d{1,3}){0,4}m")
_VISIBLE_SPACE = re.compile(rb"(?:MESA_SHADER_\w{1,40}|=|\bimpl|\bblock)\xc2\xb7")
_VISIBLE_TAB = re.compile(
    rb"\xe2\x86\x92\t|(?<=\n)(?:\xe2\x87\xa5|\xe2\x86\x92(?! ))(?:\xe2\x87\xa5|\xe2\x86\x92)*+"
)
_MARK = rb"[ \t]*+(?P<mark>(?<=[ \t])[|\\]|\$|[^\x00-\x7f]{2,3})[ \t]*+\r?$"
# These search whole logs, at each keystroke too. Patterns that start with a literal are several times as fast
# as others; what cannot is searched for where a literal of it is there.
_ENDS_OF_HEADERS = re.compile(rb"MESA_SHADER_[A-Z_]{1,40}+%b" % _MARK, re.MULTILINE)
_ENDS_OF_BLOCKS = re.compile(
    rb"\b(?:impl [^\n{]{1,200}\{|%b[^\n]{0,200}?)%b" % (BLOCK_LABEL, _MARK), re.MULTILINE
)
_LEAST_LINES = 2
_HUNK = re.compile(
    rb"^(?P<margin>(?:[>|] ?)*)(?:%b)*+(?P<signs>@@+) (?:-\d{1,9}(?:,\d{1,9})? )+"
    rb"\+(?P<first>\d{1,9})(?:,\d{1,9})? @@+[^\n]*" % COLOUR,
    re.MULTILINE,
)
_COLOURS = re.compile(rb"(?:%b)*+" % COLOUR)
_DIFF_FENCE = re.compile(rb"^(?P<margin>(?:[>|] ?)*)(?:```|~~~)[ \t]?(?:diff|patch)[ \t]*\r?$", re.MULTILINE)
_HEADER_OF_FILE = re.compile(rb"--- |\+\+\+ |diff |index ")
_LEFT_OUT = b"..."
_ASCII: Final = {
    **dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2212", "-"),
    **dict.fromkeys("\u200b\u200c\u200d\u2060\ufeff\u00ad", ""),
    "\u00d7": "x",
    "\u2217": "*",
    **dict.fromkeys("\u201c\u201d", '"'),
    **dict.fromkeys("\u2018\u2019", "'"),
}
_LETTER = re.compile(rb"[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}")
LINE_OF_CODE: Final = re.compile(rb"(?:%|ssa_|\xef\xbc\x85)\d|MESA_SHADER_|\b(?:impl|decl_\w+) ")
"""What only lines of dumps have, as a rule."""
_NOTE_IN_FRONT = re.compile(
    rb"^[ \t]*+((?:[-=]{1,8}>|>{2,8}|\xe2\x86\x92|\xe2\x9e\xa1|\*{2,3})[ \t]+)%b" % CODE, re.MULTILINE
)
_SIGNS = b"!*>+-"
_SIGN_AT_START = re.compile(rb"\n[%b][ \t]" % _SIGNS)
_MARKED = re.compile(rb"^([%b])[ \t]++%b" % (_SIGNS, CODE), re.MULTILINE)
"""A sign before one or two lines; one before each line is a quotation or a difference."""
_MOST_MARKED = 2
_UNMARKED = re.compile(rb"^[ \t]++%b" % CODE, re.MULTILINE)
_REMARK = re.compile(rb"[#;](?<=[ \t].)[ \t]+[^\n]*$", re.MULTILINE)
_NOTE_BEHIND = re.compile(rb"(?:<(?<=[ \t]<)[-=]{1,8}(?!\w)|\xe2\x86\x90)[^\n]*$", re.MULTILINE)
_ARROWS_IN_FRONT = (b"->", b"=>", b">> ", b">>\t", b"\xe2\x86\x92", b"\xe2\x9e\xa1", b"** ", b"**\t")
_ARROWS_BEHIND = (b"<-", b"<=", b"\xe2\x86\x90")
_NOTE_BELOW = re.compile(rb"^[ \t]*+\^[\^~]*+(?:[ \t][^\n]*)?$", re.MULTILINE)
_SIDE_OF_CONFLICT = re.compile(rb"^(?:<{7} [^\n]*|={7}\r?|>{7}(?: [^\n]*)?)$", re.MULTILINE)
_WORDS = re.compile(rb"\[-[^\]\n]{1,400}-\]|\{\+([^}\n]{1,400})\+\}")
_BOLD = re.compile(rb"(\*\*)(?<![\w/*]\*\*)\w[^*\n]{0,200}(\*\*)(?![\w/*])")
_SECOND_NUMBER = re.compile(rb"\n\d{1,6}\r?\n")
_NUMBERED_LINES = re.compile(rb"^\d{1,6}\r?\n[^\n]*\n\d{1,6}\r?\n[^\n]*\n\d{1,6}\r?$", re.MULTILINE)
_LEAST_NUMBERS = 4
_EVERY_OTHER = 2
_NUMBER_LINE = re.compile(rb"^(\d{1,6})\r?$", re.MULTILINE)
_INLINE = re.compile(rb"^[ \t]*+(`{1,2})%b[^`\n]*+(`{1,2})[ \t]*+\r?$" % CODE, re.MULTILINE)


def without_marks(data: bytes) -> Iterator[Replaced]:
    """Yield what was added to the lines of a text, in no order."""
    for step in _STEPS:
        yield from step(data)


def _control(data: bytes) -> Iterator[Replaced]:
    """Yield links of terminals, and control characters as `cat -v` shows them."""
    if b"\x1b]8;" in data:
        yield from ((*match.span(), b"") for match in _LINK.finditer(data))
    if b"^I" in data or b"^M" in data or _SPELLED_COLOUR.search(data) is not None:
        for match in _SPELLED.finditer(data):
            if match[0] not in (b"[m", b"[K"):
                yield *match.span(), b"\t" if match[0] == b"^I" else b""
    if b"\n" not in data and LINE_OF_CODE.search(data) is not None:
        yield from ((match.start(), match.end(), b"\n") for match in re.finditer(rb"\r", data))
    if any(unseen in data for unseen in _UNSEEN_BYTES) and LINE_OF_CODE.search(data) is not None:
        for match, is_in_code in _with_place(_UNSEEN, data):
            if is_in_code or match[0] == b"\x0c":
                yield *match.span(), b""
    if 2 * data.count(b"\r\r\n") > data.count(b"\n") and LINE_OF_CODE.search(data) is not None:
        yield from ((match.start(), match.end() - 2, b"") for match in re.finditer(rb"\r{2,4}\n", data))


def _visible(data: bytes) -> Iterator[Replaced]:
    """Yield the dots and arrows that editors show for spaces and tabs."""
    if b"\xc2\xb7" in data and _VISIBLE_SPACE.search(data) is not None:
        yield from ((match.start(), match.end(), b" ") for match in re.finditer(rb"\xc2\xb7", data))
    if b"\xe2\x86\x92" in data or b"\xe2\x87\xa5" in data:
        for match in _VISIBLE_TAB.finditer(data):
            yield *match.span(), b"\t" if match[0].endswith(b"\t") else b"\t" * (len(match[0]) // 3)


def _ends(data: bytes) -> Iterator[Replaced]:
    """Yield the mark at the end of each line, in the lines around a line of a dump that have it too."""
    done = 0
    first = _ENDS_OF_HEADERS if b"MESA_SHADER_" in data else _ENDS_OF_BLOCKS
    for match in first.finditer(data):
        if match.start() < done:
            continue
        mark = match["mark"]
        start = data.rfind(b"\n", 0, match.start()) + 1
        while start > done:
            above = data.rfind(b"\n", 0, start - 1) + 1
            if _mark_at_end(data, above, mark) is None:
                break
            start = above
        spans: list[tuple[int, int]] = []
        while start < len(data) and (span := _mark_at_end(data, start, mark)):
            spans.append(span)
            newline = data.find(b"\n", span[1])
            start = len(data) if newline < 0 else newline + 1
        if len(spans) > _LEAST_LINES:
            yield from ((*span, b"") for span in spans)
        done = start


def _mark_at_end(data: bytes, start: int, mark: bytes) -> tuple[int, int] | None:
    """Return the bytes of a mark at the end of the line at `start`, with the blanks around it."""
    newline = data.find(b"\n", start)
    line = data[start : len(data) if newline < 0 else newline].removesuffix(b"\r")
    marked = line.rstrip(b" \t")
    if not marked.endswith(mark):
        return None
    return start + len(marked.removesuffix(mark).rstrip(b" \t")), start + len(line)


def _removed(data: bytes) -> Iterator[Replaced]:
    """Yield the lines of differences that are in the old file only, and the signs before the others.

    A comment stands for the first of them, and makes an excerpt of the dump: an edit would break the
    difference.
    """
    if b"@@ " not in data and b"```diff" not in data and b"``` diff" not in data and b"~~~" not in data:
        return
    for begin in (*_HUNK.finditer(data), *_DIFF_FENCE.finditer(data)):
        first = begin.groupdict().get("first")
        if first is not None:
            is_whole = first in (b"0", b"1")
            yield begin.end("margin"), begin.end() - begin[0].endswith(b"\r"), b"" if is_whole else _LEFT_OUT
        columns = len(begin["signs"]) - 1 if first is not None else 1
        position, left_out = begin.end() + 1, b"// ..."
        while position < len(data):
            newline = data.find(b"\n", position)
            end = len(data) if newline < 0 else newline
            line = data[position:end]
            margin = len(begin["margin"]) if line.startswith(begin["margin"]) else 0
            margin = margin if len(line) > margin else len(line)
            signs_start = _COLOURS.match(line, margin).end()  # type: ignore[union-attr]
            signs = line[signs_start : signs_start + columns]
            if signs.strip(b" +-\\\r") or (
                first is not None and _HEADER_OF_FILE.match(line, margin) and not line[margin + 3 :].strip()
            ):
                break
            if b"-" in signs or b"\\" in signs:
                yield position + margin, end - line.endswith(b"\r"), left_out
                left_out = b""
            elif signs.strip(b"\r"):
                yield position + signs_start, position + signs_start + len(signs), b""
            position = end + 1


def _letters(data: bytes) -> Iterator[Replaced]:
    """Yield the letters in lines of code that look like those of ASCII, or cannot be seen."""
    if data.isascii():
        return
    start = 0
    for line in data.split(b"\n"):
        if not line.isascii() and LINE_OF_CODE.search(line) is not None:
            for match in _LETTER.finditer(line):
                text = _ascii_of(match[0])
                if text is not None:
                    yield start + match.start(), start + match.end(), text
        start += len(line) + 1


def _with_place(pattern: re.Pattern[bytes], data: bytes) -> Iterator[tuple[re.Match[bytes], bool]]:
    """Yield the matches of a pattern within lines, and whether they stand in a line of code."""
    end, is_in_code = -1, False
    for match in pattern.finditer(data):
        if match.start() > end:
            start = data.rfind(b"\n", 0, match.start()) + 1
            newline = data.find(b"\n", match.end())
            end = len(data) if newline < 0 else newline
            is_in_code = LINE_OF_CODE.search(data, start, end) is not None
        yield match, is_in_code


def _ascii_of(letter: bytes) -> bytes | None:
    text = letter.decode("utf-8", "replace")
    known = _ASCII.get(text)
    if known is None:
        if len(text) > 1 or unicodedata.decomposition(text).startswith(("<super>", "<sub>")):
            return None  # no character, or a part of a name
        known = unicodedata.normalize("NFKC", text)
        if not known.isascii() or not known.isprintable() or known.startswith("."):
            return None
    return known.encode()


def _notes(data: bytes) -> Iterator[Replaced]:
    """Yield arrows and remarks at instructions, lines that point at something above, prompts of pagers."""
    if b"\n:" in data or b"\n--" in data or b"\n(END)" in data:
        yield from (
            (match.start(), match.end() - match[0].endswith(b"\r"), b"") for match in _PROMPT.finditer(data)
        )
    may_be_marked = data[:1] in _SIGNS or _SIGN_AT_START.search(data) is not None
    rare = list(islice(_MARKED.finditer(data), _MOST_MARKED + 1)) if may_be_marked else []
    if rare and len(rare) <= _MOST_MARKED and len(list(islice(_UNMARKED.finditer(data), 4))) > len(rare):
        yield from ((*match.span(1), b" ") for match in rare)
    if b" # " in data or b" ; " in data:
        for match in _REMARK.finditer(data):
            start = data.rfind(b"\n", 0, match.start()) + 1
            before = data[start : match.start()].rstrip(b" \t")
            if b"//" not in before and b"/*" not in before and LINE_OF_CODE.search(before):
                yield start + len(before), match.end() - match[0].endswith(b"\r"), b""
    if any(arrow in data for arrow in _ARROWS_IN_FRONT):
        yield from ((*match.span(1), b"") for match in _NOTE_IN_FRONT.finditer(data))
    if any(arrow in data for arrow in _ARROWS_BEHIND):
        for match in _NOTE_BEHIND.finditer(data):
            start = data.rfind(b"\n", 0, match.start()) + 1
            code = data[start : match.start()].rstrip(b" \t")
            if start + len(code) < match.start() and LINE_OF_CODE.search(code):
                yield start + len(code), match.end() - match[0].endswith(b"\r"), b""
    if b"^" in data:
        for match in _NOTE_BELOW.finditer(data):
            above = data.rfind(b"\n", 0, max(match.start() - 1, 0)) + 1
            if LINE_OF_CODE.search(data, above, match.start()):
                yield match.start(), match.end() - match[0].endswith(b"\r"), b""
    if b"`" in data:
        for match in _INLINE.finditer(data):
            yield from ((*match.span(group), b"") for group in (1, 2))


def _alternatives(data: bytes) -> Iterator[Replaced]:
    """Yield the second sides of conflicts, and the removed words of `git diff --word-diff`."""
    if b"<<<<<<< " in data:
        sides = list(_SIDE_OF_CONFLICT.finditer(data))
        for first, between, last in zip(sides, sides[1:], sides[2:], strict=False):
            if [side[0][:1] for side in (first, between, last)] == [b"<", b"=", b">"]:
                second = data[between.start() : last.end()]
                yield *first.span(), b""
                yield between.start(), last.end(), b"// ..." + b"\n" * second.count(b"\n")
    if b"[-" in data or b"{+" in data:
        left_out = True
        for match in _WORDS.finditer(data):
            if left_out:
                start = data.rfind(b"\n", 0, match.start()) + 1
                yield start, start, b"// ...\n"
                left_out = False
            if match[1] is None:
                yield *match.span(), b""
            else:
                yield match.start(), match.start(1), b""
                yield match.end(1), match.end(), b""


def _bold(data: bytes) -> Iterator[Replaced]:
    """Yield the asterisks around words in lines of code."""
    if b"**" in data:
        for match, is_in_code in _with_place(_BOLD, data):
            if is_in_code:
                yield from ((*match.span(group), b"") for group in (1, 2))


def _numbers(data: bytes) -> Iterator[Replaced]:
    """Yield the line numbers that a web page has between the lines."""
    if _SECOND_NUMBER.search(data) is None or _NUMBERED_LINES.search(data) is None:
        return
    chain: list[re.Match[bytes]] = []
    for match in (*_NUMBER_LINE.finditer(data), None):
        is_next = (
            match is not None
            and bool(chain)
            and int(match[1]) == int(chain[-1][1]) + 1
            and data.count(b"\n", chain[-1].end(), match.start()) == _EVERY_OTHER
        )
        if chain and not is_next:
            if len(chain) >= _LEAST_NUMBERS:
                yield from ((*number.span(1), b"") for number in chain)
            chain = []
        if match is not None:
            chain.append(match)


_STEPS: Final[tuple[Callable[[bytes], Iterator[Replaced]], ...]] = (
    *(_control, _visible, _ends, _removed, _alternatives, _letters, _notes, _bold, _numbers),
)
