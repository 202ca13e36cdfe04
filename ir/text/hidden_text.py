"""A text of which a document shows more, or other bytes: prefixes, colours, entities, quotation marks."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Sequence

Hidden = tuple[int, int, int]
"""The bytes [start, end) of a document, and how many bytes of the text stand for them, often none."""


class HiddenText:
    """A text and what the document has in its place: the mapping of offsets, and of edits.

    `raw` is the text of the document, `text` what it stands for, which may have more lines. `escape` converts
    new text to what the document would have in its place, `newline` ends a line there. `is_pasted`: the
    document as a whole says what the text is.
    """

    __slots__ = ("_hidden", "_starts", "escape", "is_pasted", "newline", "raw", "text")

    def __init__(
        self,
        raw: bytes,
        text: bytes,
        hidden: Callable[[], Iterable[Hidden]],
        escape: Callable[[str], str] | None = None,
        *,
        newline: str = "\n",
        is_pasted: bool = False,
    ) -> None:
        """`hidden` returns what differs, ascending; called on first use."""
        self.raw = raw
        self.text = text
        self._hidden = hidden
        self.escape = escape
        self.newline = newline
        self.is_pasted = is_pasted
        self._starts: tuple[list[int], list[int], list[int]] | None = None

    def _runs(self) -> tuple[list[int], list[int], list[int]]:
        """Return where the equal runs start, in `raw` and in `text`, and where what is between them does."""
        if self._starts is None:
            raw_starts, text_starts, hidden_starts = [0], [0], []
            for start, end, visible in self._hidden():
                text_starts.append(text_starts[-1] + start - raw_starts[-1] + visible)
                raw_starts.append(end)
                hidden_starts.append(start)
            self._starts = raw_starts, text_starts, hidden_starts
        return self._starts

    def hidden(self, start: int = 0, end: int | None = None) -> list[Hidden]:
        """Return what differs, of that what begins in the bytes [start, end) of `raw`."""
        raw_starts, text_starts, hidden_starts = self._runs()
        first = bisect_left(hidden_starts, start)
        last = len(hidden_starts) if end is None else bisect_left(hidden_starts, end)
        return [
            (place, raw_starts[run + 1], text_starts[run + 1] - text_starts[run] - place + raw_starts[run])
            for run, place in enumerate(hidden_starts[first:last], first)
        ]

    def raw_offset(self, offset: int) -> int:
        """Convert an offset in `text` to `raw`, after the hidden bytes there.

        What stands for other bytes, and is longer, maps to the last of these.
        """
        raw_starts, text_starts, hidden_starts = self._runs()
        run = bisect_right(text_starts, offset) - 1
        place = raw_starts[run] + offset - text_starts[run]
        if run == len(hidden_starts):
            return place
        return min(place, max(hidden_starts[run], raw_starts[run + 1] - 1))

    def offset(self, raw_offset: int) -> int:
        """Convert an offset in `raw` to `text`; a hidden byte maps to the next visible one."""
        raw_starts, text_starts, _ = self._runs()
        run = bisect_right(raw_starts, raw_offset) - 1
        offset = text_starts[run] + raw_offset - raw_starts[run]
        return min(offset, text_starts[run + 1]) if run + 1 < len(text_starts) else offset

    def raw_edit(self, start: int, end: int, new_text: str) -> tuple[int, int, str]:
        """Convert an edit of `text` to one of `raw`.

        New lines get the hidden bytes at the start and at the end of the line where the edit starts.
        """
        line_start = self.text.rfind(b"\n", 0, start) + 1
        above = self.text.rfind(b"\n", 0, start - 1) + 1 if start == len(self.text) else line_start
        before = self.raw[self.start_of_line(above) : self.raw_offset(above)].decode("utf-8", "replace")
        behind = self._end_of_line(above).decode("utf-8", "replace")
        is_whole_lines = start == line_start and self._is_start_of_line(end)
        lines = new_text.split("\n")
        if self.escape is not None:
            lines = [self.escape(line) for line in lines]
        if is_whole_lines and (not new_text or new_text.endswith("\n")):
            whole = [f"{before}{line}{behind}{self.newline}" for line in lines[:-1]]
            return self.start_of_line(start), self.start_of_line(end), "".join(whole)
        return (
            self.raw_offset(start),
            self._raw_end(start, end),
            f"{behind}{self.newline}{before}".join(lines),
        )

    def _raw_end(self, start: int, end: int) -> int:
        """Return the end in `raw` of bytes of `text`: before what is hidden there, but behind a prefix."""
        raw_starts, text_starts, hidden_starts = self._runs()
        run = bisect_right(text_starts, end) - 1
        place = raw_starts[run] + end - text_starts[run]
        if start == end or self._is_start_of_line(end):
            return place
        while run > 0 and place == raw_starts[run] and text_starts[run] == end:
            before = text_starts[run - 1] + hidden_starts[run - 1] - raw_starts[run - 1]
            if before != end:  # the text shows something for what is there
                break
            run, place = run - 1, hidden_starts[run - 1]
        return place

    def raw_of(self, text: bytes) -> bytes:
        """Return `raw` for a new text, each line with the hidden bytes around the line in its place."""
        if text == self.text:
            return self.raw
        margins = []
        start = 0
        for line in self.text.splitlines(keepends=True):
            before = self.raw[self.start_of_line(start) : self.raw_offset(start)]
            margins.append((before, self._end_of_line(start)))
            start += len(line)
        if not margins:
            return text
        lines = text.split(b"\n")
        if self.escape is not None:
            lines = [self.escape(line.decode("utf-8", "replace")).encode() for line in lines]
        margins += [margins[-1]] * (len(lines) - len(margins))
        whole = [before + line + behind for line, (before, behind) in zip(lines, margins, strict=False)]
        newline = self.newline.encode()
        if lines[-1]:
            return newline.join(whole)
        return newline.join(whole[:-1]) + (b"\n" if self.raw.endswith(b"\n") else newline)

    def start_of_line(self, offset: int) -> int:
        """Return the start in `raw`, before the prefix, of the line that starts at `offset` in `text`."""
        if offset == len(self.text):
            return len(self.raw)
        if offset == 0:
            return 0
        raw_starts, text_starts, hidden_starts = self._runs()
        run = bisect_right(text_starts, offset - 1) - 1
        newline = raw_starts[run] + offset - 1 - text_starts[run]
        if run < len(hidden_starts) and newline >= hidden_starts[run]:
            return raw_starts[run + 1]  # behind what the newline stands for
        return min(newline + 1, len(self.raw))

    def _end_of_line(self, offset: int) -> bytes:
        """Return the hidden bytes at the end of the line at `offset` in `text`."""
        raw_starts, text_starts, hidden_starts = self._runs()
        end = self.text.find(b"\n", offset)
        raw_end = len(self.raw) if end < 0 else self.raw_offset(end)
        run = bisect_left(raw_starts, raw_end)
        if end == offset:
            return b""  # what is hidden in an empty line stands before it
        if run == 0 or run >= len(raw_starts) or raw_starts[run] != raw_end:
            return b""
        start = hidden_starts[run - 1]
        is_shown = text_starts[run] > text_starts[run - 1] + start - raw_starts[run - 1]
        return b"" if is_shown or start < self.start_of_line(offset) else self.raw[start:raw_end]

    def _is_start_of_line(self, offset: int) -> bool:
        return offset == 0 or self.text[offset - 1 : offset] == b"\n"


def combined(outer: HiddenText, start: int, end: int, text: bytes, inner: Sequence[Hidden]) -> HiddenText:
    """Combine two mappings: of a document to `outer.text`, and of the lines [start, end) there to `text`."""
    raw_start, raw_end = outer.start_of_line(start), outer.start_of_line(end)
    spans = outer.hidden(raw_start, raw_end)
    for first, last, visible in inner:
        at_line = first == 0 or outer.text[start + first - 1 : start + first] == b"\n"
        place = outer.start_of_line(start + first) if at_line else outer.raw_offset(start + first)
        spans.append((place, outer.raw_offset(start + last), visible))
    kept: list[Hidden] = []
    covered = raw_start
    for first, last, visible in sorted(spans, key=lambda span: (span[0], -span[1])):
        if first >= covered:
            kept.append((first - raw_start, last - raw_start, visible))
            covered = last
    raw = outer.raw[raw_start:raw_end]
    return HiddenText(raw, text, lambda: kept, outer.escape, newline=outer.newline, is_pasted=True)
