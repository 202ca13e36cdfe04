"""Tables of dump sizes before and after passes, for a terminal or as plain text."""

from __future__ import annotations

import sys
from collections.abc import Collection, Sequence

from rich.console import Console
from rich.text import Text

from nirls.server.cli.console import OutputConsole
from nirls.server.engine.timeline.dump_digest import DumpCounts

_WIDE = 200


def table_console() -> Console:
    """Return a console on standard output; without a terminal, wide enough for all columns."""
    return OutputConsole() if sys.stdout.isatty() else OutputConsole(width=_WIDE, no_color=True)


def aligned(rows: Sequence[Sequence[Text]], right: Collection[int]) -> Text:
    """Lay out rows in columns, two blanks apart; the columns in `right` are aligned to the right.

    A `rich.table.Table` takes ten times as long, which counts for the thousands of passes of a log.
    """
    widths = [max(cell.cell_len for cell in column) for column in zip(*rows, strict=True)]
    lines = []
    for row in rows:
        line = Text()
        for number, (cell, width) in enumerate(zip(row, widths, strict=True)):
            gap = "  " if number else ""
            padding = " " * (width - cell.cell_len)
            if number in right:
                line.append(gap + padding).append_text(cell)
            else:
                line.append(gap).append_text(cell).append(padding)
        lines.append(line)
    return Text("\n").join(lines)


def count_text(before: DumpCounts | None, after: DumpCounts | None, name: str) -> Text:
    """Format a change as `12 → 9`, green for less, red for more; one number if equal, "" for none."""
    new = "" if after is None else str(getattr(after, name))
    old = new if before is None else str(getattr(before, name))
    if old == new:
        return Text(new)
    return Text(f"{old} → {new}", "green" if int(new) < int(old) else "red")
