"""`nirls diff`: comparison of two dumps."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator, Sequence
from itertools import zip_longest
from typing import Annotated

import typer

from nirls.server.cli.errors import FOUND, CommandError
from nirls.server.cli.opening import NamedDump, named_dumps
from nirls.server.cli.outputs import write_diff
from nirls.server.engine.base.shown_text import printable
from nirls.server.ide.history.snapshot_diff import SnapshotTexts, side_by_side, texts_of_dumps

_NARROWEST = 40

_MARKS = {"equal": " ", "replace": "|", "delete": "<", "insert": ">"}


def diff(
    before: Annotated[str, typer.Argument(metavar="A", help="A dump: FILE, or FILE#N for its Nth dump.")],
    after: Annotated[str, typer.Argument(metavar="B", help="The dump to compare with.")],
    side_by_side: Annotated[
        bool,
        typer.Option("--side-by-side", "-y", help="Print the dumps side by side."),
    ] = False,
) -> None:
    """Compare two dumps of a shader by structure: renumbered values are equal.

    Exits with status 1 if they differ.
    """
    differ = False
    for named_dump, other in pairs_of(named_dumps(before), named_dumps(after)):
        texts = texts_of_dumps(named_dump.dump.piece.text, other.dump.piece.text)
        if texts.same:
            continue
        differ = True
        if side_by_side:
            show_side_by_side(texts, named_dump.name, other.name, shutil.get_terminal_size((160, 24)).columns)
        else:
            show_unified(texts, named_dump.name, other.name)
    if differ:
        raise typer.Exit(FOUND)


def pairs_of(before: Sequence[NamedDump], after: Sequence[NamedDump]) -> list[tuple[NamedDump, NamedDump]]:
    """The dumps that are compared, one by one in order. Raises CommandError if that is not clear."""
    if len(before) != len(after):
        counts = ", ".join(f"{dumps[0].file.name} has {len(dumps)}" for dumps in (before, after))
        raise CommandError(f"which dumps? {counts}; name one of each as FILE#N")
    return list(zip(before, after, strict=True))


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
        for one, other in zip_longest(left, right, fillvalue=""):
            yield _MARKS[kind], printable(one), printable(other)
