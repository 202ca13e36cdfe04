"""Parts of a document: dumps, and the text between them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from nirls.ir.text.dumps import split_dumps
from nirls.ir.text.log_prefix import HiddenText, log_segments


@dataclass(frozen=True, slots=True)
class LogPart:
    """Whole lines of a document: one dump, or the text between two dumps.

    `text` is without log prefixes; `hidden` maps it to the document, None without prefixes.
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


def log_parts(data: bytes) -> Iterator[LogPart]:
    """Yield the parts of a document, in order; their `raw` bytes concatenated are the document."""
    for segment in log_segments(data):
        dumps = split_dumps(segment.text)
        ends = {dump.end for dump in dumps}
        starts = sorted(
            {place for dump in dumps for place in (dump.start, dump.end)} - {0, len(segment.text)}
        )
        position = 0
        for text, hidden in segment.parts(starts):
            position += len(text)
            yield LogPart(text, position in ends, hidden)


def dump_texts(data: bytes) -> list[bytes]:
    """Return the dumps of a document, in order, without log prefixes."""
    return [part.text for part in log_parts(data) if part.is_dump]
