"""Removal of log prefixes, timestamps and colours from the lines of a log.

`MESA: info: shader: MESA_SHADER_VERTEX` starts a dump as `shader: MESA_SHADER_VERTEX` does. What stands
before `shader:` is the prefix; from it follows a pattern for the lines below, in which times, counters and
colours may differ. That covers Mesa's own logger, logcat, journald, dmesg, container and CI logs.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate, islice, pairwise
from typing import Final

from nirls.ir.text.added_marks import COLOUR
from nirls.ir.text.excerpts import CODE
from nirls.ir.text.hidden_text import HiddenText
from nirls.ir.text.structure import BLOCK_LABEL

_COLOURS: Final = re.compile(COLOUR)
_SOME_COLOURS: Final = rb"(?:%b)*+" % COLOUR
_START = re.compile(
    rb"shader:[ \t]*+(?:%b)*+MESA_SHADER_[A-Z_0-9]++(?:%b|[ \t])*+\r?$" % (COLOUR, COLOUR), re.MULTILINE
)
_NO_PREFIX = re.compile(rb"[ \t]*(?://|/\*)[ \t]*nirls|[ \t]*/\*|[^\r\n]*\w\Z")
_COMMENT = re.compile(rb"[ \t]*//")
_CODE_BEHIND_MARGIN = re.compile(
    rb"^(?:%b)*+([ \t]*+(?:[>|+#;*-]|//)(?:[ \t]?[>|+#;*-])*+[ \t]?)(?:[ \t]|%b)*+%b"
    % (COLOUR, COLOUR, CODE),
    re.MULTILINE,
)
"""Marks of quotations, of differences and of comments before code."""
_CODE_IN_LINE = re.compile(
    rb"(?:%%|ssa_)\d{1,9}(?:\.\w{1,40})? = [@a-z(%%]|%b|\bimpl \w{1,200} \{(?=[ \t]*+\r?$)" % BLOCK_LABEL,
    re.MULTILINE,
)
_CODE_BEHIND = re.compile(rb"(?<![\w%%.])(?:%b|impl \w{1,200} \{[ \t]*+\r?$)" % CODE, re.MULTILINE)
_LEAST_EXCERPT_LINES: Final = 2
_MOST_EXCERPT_LINES: Final = 1000
_TOKEN = re.compile(rb"%b|(?<![ \t])[ \t]*+[0-9]++" % COLOUR)
_GREP = re.compile(rb"(?P<file>[\w./+-]*\.\w{1,16})(?P<mark>[:-])(?:(?P<line>[0-9]{1,9})(?P=mark))?\Z")
"""File and line as `grep -n` prints them: with colons, or with dashes for the lines around."""
_OF_A_HEADER = re.compile(rb"(?:[a-z]\w*:|decl_\w+ |impl |struct )")
_CONTENT = re.compile(rb"[^\r\n]+")
_LONGEST_PREFIX: Final = 400
LINES_COMPARED: Final = 8
"""Number of lines below the first of a dump that determine the logger's format."""

_PART: Final = 1 << 18
"""Bytes of a text that a pattern is applied to at once: a few milliseconds."""

Span = tuple[int, int]
"""The bytes [start, end) of a text."""


@dataclass(frozen=True, slots=True)
class _Format:
    """A logger's line format. `pattern` matches the prefix at the start of a line, b"" for none.

    With `every_line`, a line without the prefix does not belong to the dump.
    """

    pattern: bytes
    every_line: bool


@dataclass(frozen=True, slots=True)
class LogSegment:
    """Lines of a log in one format: their bytes in the log, and the text without what is hidden.

    `line_starts` are the offsets of the lines in `raw`, `others` the ranges there that other processes wrote
    within dumps.
    """

    raw: bytes
    text: bytes
    form: _Format | None = None
    line_starts: Sequence[int] = ()
    others: Sequence[Span] = ()

    def parts(self, starts: Iterable[int]) -> Iterator[tuple[bytes, HiddenText | None]]:
        """Divide the text at the starts of lines, ascending; None for a part in which nothing is hidden."""
        line = raw_start = 0
        for start, end in pairwise((0, *starts, len(self.text))):
            text = self.text[start:end]
            if self.form is None:
                yield text, None
                continue
            line += text.count(b"\n")
            raw_end = self.line_starts[line] if end < len(self.text) else len(self.raw)
            raw = self.raw[raw_start:raw_end]
            yield text, None if raw == text else self._hidden_text(raw, text, self.form, raw_start)
            raw_start = raw_end

    def _hidden_text(self, raw: bytes, text: bytes, form: _Format, raw_start: int) -> HiddenText:
        low = bisect_left(self.others, (raw_start, 0))
        high = bisect_left(self.others, (raw_start + len(raw), 0))
        others = [(start - raw_start, end - raw_start) for start, end in self.others[low:high]]
        return HiddenText(raw, text, lambda: [(*span, 0) for span in _hidden(raw, form, others)])


def has_header(data: bytes) -> bool:
    """Return whether a log has the header of a dump in it, behind any prefix."""
    return _START.search(data) is not None


def segment_of_excerpts(data: bytes) -> LogSegment:
    """Return a text without dumps as a segment, without the marks before its code."""
    form = _format_of_excerpts(data)
    return LogSegment(data, data) if form is None else _segment(data, form)


def log_segments(data: bytes) -> Iterator[LogSegment]:
    """Split a log where the prefix of its dumps changes."""
    formats = list(_formats(data))
    limits = [*(position for position, _ in formats[1:]), len(data)]
    for (position, found), limit in zip(formats, limits, strict=True):
        if position < limit:
            raw = data[position:limit]
            yield LogSegment(raw, raw) if found is None else _segment(raw, found)


def _formats(data: bytes) -> Iterator[tuple[int, _Format | None]]:
    """Yield the offsets where a line format begins, the first at 0."""
    current: _Format | None = None
    position = 0
    has_dump = False
    matches = list(_START.finditer(data))
    limits = [*(match.start() for match in matches[1:]), len(data)]
    for match, limit in zip(matches, limits, strict=False):
        line_start = data.rfind(b"\n", 0, match.start()) + 1
        line_start = data.rfind(b"\r", line_start, match.start()) + 1 or line_start
        prefix = data[line_start : match.start()]
        if len(prefix) > _LONGEST_PREFIX or _NO_PREFIX.match(_COLOURS.sub(b"", prefix)):
            continue
        below = _lines_below(data, match.end(), limit)
        is_coloured = data.find(b"\x1b", match.start(), limit) >= 0
        found = _format_of(prefix, below, is_coloured=is_coloured)
        if _COMMENT.match(prefix) and (found is None or not found.every_line):
            continue
        if not _is_header_below(found, below) or (has_dump and found == current):
            continue
        if has_dump or found is not None:
            yield position, current
            position = _first_line_of(found, data, position, line_start)
        current, has_dump = found, True
    yield position, current


def _format_of_excerpts(data: bytes) -> _Format | None:
    """Return the format of a text without dumps: the margin of the code in it, which each line has."""
    margins = _CODE_BEHIND_MARGIN.findall(data)
    margin = max(set(margins), key=margins.count, default=b"")
    if margin and margins.count(margin) > len(margins) // 2:
        return _Format(re.escape(margin), every_line=False)
    if margins:
        return _Format(b"", every_line=False) if b"\x1b" in data else None
    return _format_of_logged_excerpts(data)


def _format_of_logged_excerpts(data: bytes) -> _Format | None:
    """Return the format of the lines of code that a logger or a tool printed, if most have the same one."""
    patterns: Counter[bytes] = Counter()
    for match in islice(_CODE_IN_LINE.finditer(data), _MOST_EXCERPT_LINES):
        start = data.rfind(b"\n", 0, match.start()) + 1
        code = _CODE_BEHIND.search(data, start, match.end() + 1)
        if code is None or code.start() - start > _LONGEST_PREFIX:
            continue
        patterns[_pattern(data[start : code.start()].rstrip(b" \t"), ())] += 1
    pattern, count = max(patterns.items(), key=lambda item: item[1], default=(b"", 0))
    if not pattern or count < _LEAST_EXCERPT_LINES or 2 * count <= patterns.total():
        return None
    return _Format(rb"%b[ \t]?" % pattern, every_line=False)


def _is_header_below(form: _Format | None, below: list[bytes]) -> bool:
    """Return whether a dump's header follows a `shader:` line, which may also be a log message."""
    if form is None:
        return True
    prefix = _optional_prefix(form.pattern)
    return any(_OF_A_HEADER.match(line, match.end()) for line in below if (match := prefix.match(line)))


@lru_cache(maxsize=16)
def _optional_prefix(pattern: bytes) -> re.Pattern[bytes]:
    return re.compile(rb"(?:%b)*+(?:%b)?(?:%b)*+" % (COLOUR, pattern, COLOUR))


def _format_of(prefix: bytes, below: list[bytes], *, is_coloured: bool) -> _Format | None:
    """Derive the format of a prefix from the lines below it; `is_coloured`: the dump has colours."""
    if not _COLOURS.sub(b"", prefix):
        return _Format(b"", every_line=False) if prefix or is_coloured else None
    variable = _numbers_of(prefix)
    if below and variable.match(below[0]):
        first = variable.match(prefix)
        numbered = below if variable.groups else ()
        matching = [match for line in numbered if (match := variable.match(line))]
        constant = [
            number
            for number in range(1, variable.groups + 1)
            if first is not None
            and _stays([match.group(number) == first.group(number) for match in matching])
        ]
        return _Format(_pattern(prefix, tuple(constant)), every_line=True)
    width = len(_COLOURS.sub(b"", prefix))
    if below and below[0].startswith(b" " * width) and _OF_A_HEADER.match(below[0], width):
        # Continuation lines of one message are indented by the width of the prefix.
        return _Format(b"%b|%b" % (_pattern(prefix, ()), b" " * width), every_line=False)
    return _Format(_pattern(prefix, ()), every_line=False)


def _stays(is_same: list[bool]) -> bool:
    """Return whether a number is constant, ignoring lines of other processes in between."""
    return all(is_same) or any(is_same[is_same.index(False) :])


def _lines_below(data: bytes, position: int, limit: int) -> list[bytes]:
    """Return the first lines below a `shader:` line that end before `limit`."""
    return data[position:limit].split(b"\n", LINES_COMPARED + 1)[1:-1]


@lru_cache(maxsize=16)
def _numbers_of(prefix: bytes) -> re.Pattern[bytes]:
    """Compile a pattern for prefixes like this one, with a group for each number."""
    return re.compile(_pattern(prefix, (), rb"(%b)"))


@lru_cache(maxsize=16)
def _pattern(prefix: bytes, constant: tuple[int, ...], number: bytes = b"(?:%b)") -> bytes:
    """Build a pattern for prefixes like this one; the `constant` ones of its numbers are literal.

    A number next to a colon, point, slash or dash is part of a time and never constant. Trailing spaces may
    be missing from an otherwise empty line. `number` is the form of a number's pattern.
    """
    stripped = prefix.rstrip(b" \t")
    space = re.escape(prefix[len(stripped) :])
    ending = rb"(?:%b|[ \t]*(?=\r?$))" % space if space else b""
    if grep := _GREP.match(stripped):
        line = number % rb"[0-9]++" + b"[:-]" if grep["line"] else b""
        return b"%b[:-]%b%b" % (re.escape(grep["file"]), line, ending)
    parts = []
    position = groups = 0
    for match in _TOKEN.finditer(stripped):
        if position < match.start():
            parts.append(re.escape(stripped[position : match.start()]))
        position = match.end()
        if match.group().startswith(b"\x1b"):
            if parts[-1:] != [_SOME_COLOURS]:
                parts.append(_SOME_COLOURS)
            continue
        groups += 1
        digits = match.end() - len(match.group().lstrip())
        around = stripped[max(digits - 1, 0) : digits] + stripped[match.end() : match.end() + 1]
        is_fixed = groups in constant and not any(character in b":.,/-T" for character in around)
        parts.append(number % (re.escape(match.group()) if is_fixed else rb"[ \t]*+[0-9]++"))
    parts.append(re.escape(stripped[position:]))
    return b"".join(parts) + ending


def _first_line_of(found: _Format | None, data: bytes, floor: int, line_start: int) -> int:
    """Return the first of the lines directly above with the same prefix."""
    if found is None or not found.every_line:
        return line_start
    pattern = re.compile(found.pattern, re.MULTILINE)
    while line_start > floor:
        above = data.rfind(b"\n", floor, line_start - 1) + 1 or floor
        if not pattern.match(data, above, line_start):
            break
        line_start = above
    return line_start


def _segment(raw: bytes, form: _Format) -> LogSegment:
    """Hide the prefixes of lines in a format, the lines of others within dumps, and colours."""
    texts: list[bytes] = []
    going_on: list[bytes] = []
    lengths: list[int] = []
    for part in _parts_of_lines(raw):
        # The first line gets a newline as well, which the regex engine searches for as a literal.
        head, *rest = _newline_and_prefix(form.pattern).split(b"\n" + part)
        going_on.append(head)
        if rest:
            texts += [b"".join(going_on), *rest[:-1]]
            going_on = rest[-1:]
        lengths += [len(line) + 1 for line in part.split(b"\n")]
    texts.append(b"".join(going_on))
    line_starts = list(accumulate(lengths, initial=0))
    others: list[Span] = []
    for number, first, end in _lines_of_others(texts) if form.every_line else ():
        start = line_starts[first]
        matches = _CONTENT.finditer(raw[start : line_starts[end]])
        others += [(start + match.start(), start + match.end()) for match in matches]
        head, newline, below = texts[number].partition(b"\n")
        texts[number] = head + newline + _CONTENT.sub(b"", below)
    text = b"\n".join(texts)[1:]
    if b"\x1b" in text:
        text = b"\n".join(_COLOURS.sub(b"", part) for part in _parts_of_lines(text))
    return LogSegment(raw, text, form, line_starts, others)


def _parts_of_lines(data: bytes) -> Iterator[bytes]:
    """Divide a text into parts of whole lines, without the newlines between them.

    No other thread runs while a pattern is applied to a text, which takes 0.2 s for a large log.
    """
    start = 0
    while (end := data.find(b"\n", start + _PART)) >= 0:
        yield data[start:end]
        start = end + 1
    yield data[start:]


@lru_cache(maxsize=16)
def _newline_and_prefix(pattern: bytes) -> re.Pattern[bytes]:
    return re.compile(rb"\n(?:%b)*+(?:%b)" % (COLOUR, pattern), re.MULTILINE)


def _hidden(raw: bytes, form: _Format, others: Sequence[Span]) -> list[Span]:
    """Return the hidden ranges of whole lines in a format; `others` are those outside of prefixes."""
    matches = _newline_and_prefix(form.pattern).finditer(b"\n" + raw)
    spans = [(match.start(), match.end() - 1) for match in matches if match.end() - match.start() > 1]
    spans += others
    return _joined(sorted((*spans, *_colours(raw, spans))))


def _colours(data: bytes, spans: list[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Yield the colours outside of the hidden `spans`."""
    prefixes = dict(spans)
    hidden_ends = set(prefixes.values())
    for match in _COLOURS.finditer(data):
        if match.end() not in hidden_ends and not _is_within(match.start(), data, prefixes):
            yield match.span()


def _is_within(position: int, data: bytes, prefixes: dict[int, int]) -> bool:
    return position < prefixes.get(data.rfind(b"\n", 0, position) + 1, 0)


def _joined(spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    joined: list[tuple[int, int]] = []
    for start, end in spans:
        if joined and start <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(end, joined[-1][1]))
        else:
            joined.append((start, end))
    return joined


def _lines_of_others(texts: list[bytes]) -> Iterator[tuple[int, int, int]]:
    """Yield the lines within dumps that lack the prefix.

    `texts` are what follows each prefix: the rest of the line, and the lines below that lack the prefix. The
    first precedes all prefixes. Yields the index of the text and the range of lines that lack the prefix.
    """
    newline = ord(b"\n")  # `int in bytes` is several times as fast as `bytes in bytes`
    is_dump, seen, line = False, 0, -1
    for number in [index for index, text in enumerate(texts) if newline in text]:
        is_dump = _is_dump(texts, seen, number, is_dump)
        line += number - seen + 1
        end = line + texts[number].count(b"\n")
        if is_dump:
            yield number, line, end
        seen, line = number + 1, end


def _is_dump(texts: list[bytes], first: int, last: int, before: bool) -> bool:
    """Return whether the text `last` belongs to a dump; `before` is the state before the text `first`."""
    for number in range(last, first - 1, -1):
        if texts[number].startswith(b"shader:"):
            return True
        if texts[number].startswith(b"}") and not _goes_on(texts, number + 1):
            return False
    return before


def _goes_on(texts: list[bytes], first: int) -> bool:
    """Return whether another function follows the closing brace of a function, in text `first` or below."""
    for number in range(first, len(texts)):
        if rest := texts[number].partition(b"\n")[0].strip():
            return rest.startswith((b"impl", b"decl_"))
    return False
