"""Removal of log prefixes, timestamps and colours from the lines of a log.

`MESA: info: shader: MESA_SHADER_VERTEX` starts a dump as `shader: MESA_SHADER_VERTEX` does. What stands
before `shader:` is the prefix; from it follows a pattern for the lines below, in which times, counters and
colours may differ. That covers Mesa's own logger, logcat, journald, dmesg, container and CI logs.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate
from typing import Final

_COLOUR: Final = rb"\x1b\[[0-9;?]*[A-Za-z]"
_COLOURS: Final = re.compile(_COLOUR)
_START = re.compile(
    rb"shader:[ \t]*(?:%b)*MESA_SHADER_[A-Z_0-9]+(?:%b|[ \t])*\r?$" % (_COLOUR, _COLOUR), re.MULTILINE
)
_NO_PREFIX = re.compile(rb"[ \t]*(?://|/\*)|[^\r\n]*\w\Z")
_TOKEN = re.compile(rb"%b|[ \t]*[0-9]+" % _COLOUR)
_OF_A_HEADER = re.compile(rb"(?:[a-z]\w*:|decl_\w+ |impl |struct )")
_LONGEST_PREFIX: Final = 400
LINES_COMPARED: Final = 8
"""Number of lines below the first of a dump that determine the logger's format."""


class HiddenText:
    """A text with hidden bytes, such as prefixes: the visible text and the mapping of offsets.

    `raw` is the whole text, `text` the visible part. Line ends are never hidden.
    """

    __slots__ = ("_raw_starts", "_text_starts", "raw", "text")

    def __init__(self, raw: bytes, hidden: list[tuple[int, int]]) -> None:
        """`hidden` are the ranges [start, end) of `raw`, ascending, none of them empty."""
        self.raw = raw
        self._raw_starts = [0, *(end for _, end in hidden)]
        ends = [*(start for start, _ in hidden), len(raw)]
        parts = [raw[start:end] for start, end in zip(self._raw_starts, ends, strict=True)]
        self._text_starts = list(accumulate(map(len, parts[:-1]), initial=0))
        self.text = b"".join(parts)

    def raw_offset(self, offset: int) -> int:
        """Convert an offset in `text` to `raw`, after the hidden bytes there."""
        run = bisect_right(self._text_starts, offset) - 1
        return self._raw_starts[run] + offset - self._text_starts[run]

    def offset(self, raw_offset: int) -> int:
        """Convert an offset in `raw` to `text`; a hidden byte maps to the next visible one."""
        run = bisect_right(self._raw_starts, raw_offset) - 1
        offset = self._text_starts[run] + raw_offset - self._raw_starts[run]
        return min(offset, self._text_starts[run + 1]) if run + 1 < len(self._text_starts) else offset

    def is_visible(self, raw_start: int, raw_end: int) -> bool:
        """Return whether nothing is hidden in [raw_start, raw_end), or adjacent to it on its line."""
        start = self.offset(raw_start)
        return self.raw_offset(start) == raw_start and self.offset(raw_end) - start == raw_end - raw_start

    def part(self, start: int, end: int) -> HiddenText:
        """Return the lines [start, end) of `text`, with their hidden bytes."""
        first, last = self._start_of_line(start), self._start_of_line(end)
        low, high = bisect_right(self._raw_starts, first), bisect_right(self._raw_starts, last)
        twin = HiddenText.__new__(HiddenText)
        twin.raw, twin.text = self.raw[first:last], self.text[start:end]
        twin._raw_starts = [0, *(place - first for place in self._raw_starts[low:high])]
        twin._text_starts = [0, *(place - start for place in self._text_starts[low:high])]
        return twin

    def edited(self, start: int, end: int, new_text: bytes) -> HiddenText:
        """Return the text after an edit of the bytes [start, end) within one line of `text`."""
        twin = HiddenText.__new__(HiddenText)
        raw_start = self.raw_offset(start)
        raw_end = raw_start + end - start
        growth = len(new_text) - (end - start)
        twin.raw = self.raw[:raw_start] + new_text + self.raw[raw_end:]
        twin.text = self.text[:start] + new_text + self.text[end:]
        run = bisect_right(self._text_starts, start)
        twin._text_starts = self._text_starts[:run] + [one + growth for one in self._text_starts[run:]]
        twin._raw_starts = self._raw_starts[:run] + [one + growth for one in self._raw_starts[run:]]
        return twin

    def raw_edit(self, start: int, end: int, new_text: str) -> tuple[int, int, str]:
        """Convert an edit of `text` to one of `raw`: new lines get the prefix of the line where it starts."""
        line_start = self.text.rfind(b"\n", 0, start) + 1
        above = self.text.rfind(b"\n", 0, start - 1) + 1 if start == len(self.text) else line_start
        margin = self.raw[self._start_of_line(above) : self.raw_offset(above)]
        prefix = margin.decode("utf-8", "replace")
        is_whole_lines = start == line_start and self._is_start_of_line(end)
        if is_whole_lines and (not new_text or new_text.endswith("\n")):
            lines = new_text.splitlines(keepends=True)
            return (
                self._start_of_line(start),
                self._start_of_line(end),
                "".join(prefix + one for one in lines),
            )
        return self.raw_offset(start), self.raw_offset(end), new_text.replace("\n", "\n" + prefix)

    def raw_of(self, text: bytes) -> bytes:
        """Return `raw` for a new text, each line with the prefix of the line in its place."""
        if text == self.text:
            return self.raw
        prefixes = []
        start = 0
        for line in self.text.splitlines(keepends=True):
            prefixes.append(self.raw[self._start_of_line(start) : self.raw_offset(start)])
            start += len(line)
        if not prefixes:
            return text
        lines = text.splitlines(keepends=True)
        prefixes += [prefixes[-1]] * (len(lines) - len(prefixes))
        return b"".join(prefix + line for prefix, line in zip(prefixes, lines, strict=False))

    def _is_start_of_line(self, offset: int) -> bool:
        return offset == 0 or self.text[offset - 1 : offset] == b"\n"

    def _start_of_line(self, offset: int) -> int:
        """Return the start in `raw`, before the prefix, of the line that starts at `offset` in `text`."""
        if offset == len(self.text):
            return len(self.raw)
        return 0 if offset == 0 else self.raw_offset(offset - 1) + 1


@dataclass(frozen=True, slots=True)
class _Format:
    """A logger's line format. `pattern` matches the prefix at the start of a line, b"" for none.

    With `every_line`, a line without the prefix does not belong to the dump.
    """

    pattern: bytes
    every_line: bool


@dataclass(frozen=True, slots=True)
class Stretch:
    """Lines [start, end) of a log in one format; `hidden` is None without prefixes."""

    start: int
    end: int
    hidden: HiddenText | None


def stretches(data: bytes, start: int = 0, end: int | None = None) -> Iterator[Stretch]:
    """Split the bytes [start, end) of a log where the prefix of its dumps changes."""
    stop = len(data) if end is None else end
    formats = list(_formats(data, start, stop))
    for number, (position, found) in enumerate(formats):
        limit = formats[number + 1][0] if number + 1 < len(formats) else stop
        if position < limit:
            hidden = None if found is None else _hidden(data[position:limit], found)
            yield Stretch(position, limit, hidden)


def _formats(data: bytes, start: int, stop: int) -> Iterator[tuple[int, _Format | None]]:
    """Yield the offsets where a line format begins, the first at `start`."""
    current: _Format | None = None
    position = start
    has_dump = False
    for match in _START.finditer(data, start, stop):
        line_start = data.rfind(b"\n", start, match.start()) + 1 or start
        line_start = data.rfind(b"\r", line_start, match.start()) + 1 or line_start
        prefix = data[line_start : match.start()]
        if len(prefix) > _LONGEST_PREFIX or _NO_PREFIX.match(_COLOURS.sub(b"", prefix)):
            continue
        below = list(_lines_below(data, match.end(), stop))
        found = _format_of(prefix, below)
        if not _is_header_below(found, below) or (has_dump and found == current):
            continue
        if has_dump or found is not None:
            yield position, current
            position = _first_line_of(found, data, position, line_start)
        current, has_dump = found, True
    yield position, current


def _is_header_below(form: _Format | None, below: list[bytes]) -> bool:
    """Return whether a dump's header follows a `shader:` line, which may also be a log message."""
    if form is None:
        return True
    pattern = re.compile(rb"(?:%b)*(?:%b)?(?:%b)*" % (_COLOUR, form.pattern, _COLOUR))
    return any(_OF_A_HEADER.match(line[match.end() :]) for line in below if (match := pattern.match(line)))


def _format_of(prefix: bytes, below: list[bytes]) -> _Format | None:
    """Derive the format of a prefix from the lines below it."""
    if not _COLOURS.sub(b"", prefix):
        is_coloured = prefix or any(b"\x1b" in line for line in below)
        return _Format(b"", every_line=False) if is_coloured else None
    variable = _pattern(prefix, ())
    matching = [match for line in below if (match := re.match(variable, line))]
    if matching and re.match(variable, below[0]):
        first = re.match(variable, prefix)
        constant = [
            number
            for number in range(1, matching[0].re.groups + 1)
            if first is not None and _stays([one.group(number) == first.group(number) for one in matching])
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


def _lines_below(data: bytes, position: int, stop: int) -> Iterator[bytes]:
    """Yield the first lines below a `shader:` line, up to the next one."""
    position = data.find(b"\n", position, stop) + 1
    for _ in range(LINES_COMPARED):
        end = data.find(b"\n", position, stop)
        if position <= 0 or end < 0 or _START.search(data, position, end):
            return
        yield data[position:end]
        position = end + 1


@lru_cache(maxsize=16)
def _pattern(prefix: bytes, constant: tuple[int, ...]) -> bytes:
    """Build a pattern for prefixes like this one, with a group for each number; `constant` ones are literal.

    A number next to a colon, point, slash or dash is part of a time and never constant. Trailing spaces may
    be missing from an otherwise empty line.
    """
    stripped = prefix.rstrip(b" \t")
    parts = []
    position = groups = 0
    for match in _TOKEN.finditer(stripped):
        parts.append(re.escape(stripped[position : match.start()]))
        position = match.end()
        if match.group().startswith(b"\x1b"):
            parts.append(rb"(?:%b)*" % _COLOUR)
            continue
        groups += 1
        digits = match.end() - len(match.group().lstrip())
        around = stripped[max(digits - 1, 0) : digits] + stripped[match.end() : match.end() + 1]
        is_fixed = groups in constant and not any(one in b":.,/-T" for one in around)
        parts.append(rb"(%b)" % (re.escape(match.group()) if is_fixed else rb"[ \t]*[0-9]+"))
    parts.append(re.escape(stripped[position:]))
    space = re.escape(prefix[len(stripped) :])
    ending = rb"(?:%b|[ \t]*(?=\r?$))" % space if space else b""
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


def _hidden(data: bytes, form: _Format) -> HiddenText:
    """Hide the prefixes of lines in a format."""
    pattern = re.compile(rb"^(?:%b)*(?:%b)" % (_COLOUR, form.pattern), re.MULTILINE)
    match = pattern.match
    starts = list(accumulate(map(len, data.splitlines(keepends=True)), initial=0))
    ends = [-1 if (found := match(data, start)) is None else found.end() for start in starts[:-1]]
    spans = [(start, end) for start, end in zip(starts, ends, strict=False) if end > start]
    if form.every_line and -1 in ends:
        spans += _lines_of_others(data, starts, ends)
    if b"\x1b" in data:
        spans = _joined(sorted((*spans, *_colours(data, spans))))
    return HiddenText(data, sorted(spans))


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


def _lines_of_others(data: bytes, starts: list[int], ends: list[int]) -> Iterator[tuple[int, int]]:
    """Yield the lines within dumps that lack the prefix, without their line ends.

    `starts` are the offsets of the lines and the size of the data, `ends` those behind the prefix of each
    line, -1 without one.
    """
    is_dump = False
    for number, end in enumerate(ends):
        if end < 0:
            content = data[starts[number] : starts[number + 1]].rstrip(b"\r\n")
            if is_dump and content:
                yield starts[number], starts[number] + len(content)
        elif data.startswith((b"shader:", b"}"), end):
            is_start = data.startswith(b"s", end)
            is_dump = is_start or (is_dump and _goes_on(data, starts, ends, number + 1))


def _goes_on(data: bytes, starts: list[int], ends: list[int], first: int) -> bool:
    """Return whether another function follows the closing brace of a function, in line `first` or below."""
    for number in range(first, len(ends)):
        rest = data[ends[number] : starts[number + 1]].strip() if ends[number] >= 0 else b""
        if rest:
            return rest.startswith((b"impl", b"decl_"))
    return False
