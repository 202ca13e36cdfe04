"""Parts of a document: dumps, and the text between them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from nirls.ir.text.dumps import split_dumps
from nirls.ir.text.log_prefix import HiddenText, stretches


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
    for stretch in stretches(data):
        hidden = stretch.hidden
        text = data[stretch.start : stretch.end] if hidden is None else hidden.text
        position = 0
        for dump in split_dumps(text):
            if dump.start > position:
                yield _part(text, hidden, position, dump.start, is_dump=False)
            yield _part(text, hidden, dump.start, dump.end, is_dump=True)
            position = dump.end
        if position < len(text):
            yield _part(text, hidden, position, len(text), is_dump=False)


def dump_texts(data: bytes) -> list[bytes]:
    """Return the dumps of a document, in order, without log prefixes."""
    return [part.text for part in log_parts(data) if part.is_dump]


def _part(text: bytes, hidden: HiddenText | None, start: int, end: int, *, is_dump: bool) -> LogPart:
    if hidden is None:
        return LogPart(text[start:end], is_dump)
    part = hidden.part(start, end)
    return LogPart(part.text, is_dump, None if part.raw == part.text else part)
