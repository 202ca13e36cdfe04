"""Parts of a document: dumps, and the text between them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from nirls.ir.text.dumps import split_dumps
from nirls.ir.text.excerpts import excerpts
from nirls.ir.text.hidden_text import HiddenText, combined
from nirls.ir.text.log_prefix import LogSegment, has_header, log_segments, segment_of_excerpts
from nirls.ir.text.pasted import LARGEST, as_printed


@dataclass(frozen=True, slots=True)
class LogPart:
    """Whole lines of a document: one dump, or the text between two dumps.

    `text` is as Mesa printed it; `hidden` maps it to the document, None if that has the same text.
    """

    text: bytes
    is_dump: bool
    hidden: HiddenText | None = None

    @property
    def raw(self) -> bytes:
        """Return the original bytes in the document."""
        return self.text if self.hidden is None else self.hidden.raw

    def with_text(self, text: bytes) -> bytes:
        """Return the original bytes with the text replaced and the prefixes kept."""
        return text if self.hidden is None else self.hidden.raw_of(text)


def log_parts(data: bytes, *, is_whole: bool = True) -> Iterator[LogPart]:
    """Yield the parts of a document, in order; their `raw` bytes concatenated are the document.

    In a whole document without any header of a dump, excerpts of dumps are parts. With `is_whole` false,
    `data` are lines of a document that has headers.
    """
    pasted = as_printed(data)
    if pasted is None:
        yield from _printed_parts(data, is_whole)
        return
    start = 0
    for part in _printed_parts(pasted.text, is_whole):
        end = start + len(part.raw)
        hidden = combined(pasted, start, end, part.text, [] if part.hidden is None else part.hidden.hidden())
        yield LogPart(part.text, part.is_dump, None if hidden.raw == part.text else hidden)
        start = end


def _printed_parts(data: bytes, is_whole: bool) -> Iterator[LogPart]:
    if not data:
        return
    if is_whole and len(data) <= LARGEST and not has_header(data):
        segment = segment_of_excerpts(data)
        yield from _parts_of(segment, list(excerpts(segment.text)))
        return
    for segment in log_segments(data):
        yield from _parts_of(segment, [(dump.start, dump.end) for dump in split_dumps(segment.text)])


def _parts_of(segment: LogSegment, dumps: Sequence[tuple[int, int]]) -> Iterator[LogPart]:
    ends = {end for _, end in dumps}
    places = sorted({place for dump in dumps for place in dump} - {0, len(segment.text)})
    position = 0
    for text, hidden in segment.parts(places):
        position += len(text)
        yield LogPart(text, position in ends, hidden)


def dump_texts(data: bytes) -> list[bytes]:
    """Return the dumps of a document, in order, without log prefixes."""
    return [part.text for part in log_parts(data) if part.is_dump]
