"""Tables of dump sizes before and after passes, for a terminal or as plain text."""

from __future__ import annotations

import sys

from rich.console import Console
from rich.text import Text

from nirls.server.engine.timeline.dump_digest import Counts

COLUMNS = ("instructions", "blocks", "inputs", "outputs", "registers")
"""The fields of `Counts` in a table."""

_WIDE = 200


def table_console() -> Console:
    """Return a console on standard output; without a terminal, wide enough for all columns."""
    return Console() if sys.stdout.isatty() else Console(width=_WIDE, no_color=True)


def count_text(before: Counts | None, after: Counts | None, name: str) -> Text:
    """Format a change as `12 → 9`, green for less, red for more; one number if equal, "" for none."""
    new = "" if after is None else str(getattr(after, name))
    old = new if before is None else str(getattr(before, name))
    if old == new:
        return Text(new)
    return Text(f"{old} → {new}", "green" if int(new) < int(old) else "red")
