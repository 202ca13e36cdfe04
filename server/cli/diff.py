"""`nirls diff`: two dumps as a text diff in which renumbering is no change."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence

from nirls.server.cli.dump_argument import NamedDump
from nirls.server.cli.errors import CommandError
from nirls.server.cli.outputs import write_diff
from nirls.server.engine.printable_text import printable
from nirls.server.ide.snapshot_diff import SnapshotTexts, side_by_side, texts_of_dumps

_NARROWEST = 40
_MARKS = {"equal": " ", "replace": "|", "delete": "<", "insert": ">"}


def pairs_of(before: Sequence[NamedDump], after: Sequence[NamedDump]) -> list[tuple[NamedDump, NamedDump]]:
    """The dumps that are compared, one by one in order. Raises CommandError if that is not clear."""
    if len(before) != len(after):
        counts = ", ".join(f"{dumps[0].file.name} has {len(dumps)}" for dumps in (before, after))
        raise CommandError(f"which dumps? {counts}; name one of each as FILE#N")
    return list(zip(before, after, strict=True))


def texts_of(before: NamedDump, after: NamedDump) -> SnapshotTexts:
    """The texts of two dumps, numbered alike."""
    return texts_of_dumps(before.dump.piece.text, after.dump.piece.text)


def show_unified(texts: SnapshotTexts, before: str, after: str) -> None:
    """Write a unified diff to standard output."""
    lines = texts.unified(printable(before), printable(after)).split("\n")[:-1]
    if sys.stdout.isatty():
        lines = [printable(line) for line in lines]
    write_diff([f"{line}\n" for line in lines])


def show_side_by_side(texts: SnapshotTexts, before: str, after: str, width: int) -> None:
    """Write both texts beside each other, what is far from a change left out."""
    column = max((width - 3) // 2, _NARROWEST)
    for mark, left, right in _rows(texts, before, after):
        line = f"{left[:column]:{column}} {mark} {right[:column]}".rstrip()
        sys.stdout.buffer.write(f"{line}\n".encode("utf-8", "replace"))


def _rows(texts: SnapshotTexts, before: str, after: str) -> Iterator[tuple[str, str, str]]:
    yield " ", printable(before), printable(after)
    for kind, left, right, *_ in side_by_side(texts):
        if kind == "gap":
            yield " ", "...", "..."
            continue
        for number in range(max(len(left), len(right))):
            yield (
                _MARKS[kind],
                printable(left[number]) if number < len(left) else "",
                printable(right[number]) if number < len(right) else "",
            )
