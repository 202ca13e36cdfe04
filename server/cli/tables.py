"""Tables of the sizes of dumps before and after something, in a terminal or as plain text."""

from __future__ import annotations

import sys

from rich.console import Console
from rich.text import Text

from nirls.server.engine.timeline.dump_digest import Counts

COLUMNS = ("instructions", "blocks", "inputs", "outputs", "registers")
"""The fields of `Counts` that a table shows."""

_WIDE = 200


def table_console() -> Console:
    """Standard output: as wide as the terminal, or wide enough for all columns where there is none."""
    return Console() if sys.stdout.isatty() else Console(width=_WIDE, no_color=True)


def count_text(before: Counts | None, after: Counts | None, name: str) -> Text:
    """`12 → 9`, green for less, red for more; the number alone where it stays, "" for none."""
    new = "" if after is None else str(getattr(after, name))
    old = new if before is None else str(getattr(before, name))
    if old == new:
        return Text(new)
    return Text(f"{old} → {new}", "green" if int(new) < int(old) else "red")
