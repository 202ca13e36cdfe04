"""The packing of varyings as plain text."""

from __future__ import annotations

from collections.abc import Sequence

from nirls.passes.varyings.packing_table import COMPONENTS, Cell, Half, PackingTable, PairPacking
from nirls.passes.varyings.rules import short_name
from nirls.server.engine.printable_text import printable


def packing_text(pairs: Sequence[PairPacking]) -> str:
    """Format the tables of the pairs of stages of a pipeline, each cell with its group."""
    parts = []
    for pair in pairs:
        lines = [printable(pair.summary)]
        for title, table in shown_tables(pair):
            lines += plain_lines(title, table)
        parts.append("".join(f"{line}\n" for line in lines))
    return "\n".join(parts)


def shown_tables(pair: PairPacking) -> list[tuple[str, PackingTable]]:
    """The titled tables of a pair; only the known slots of one that cannot be linked."""
    if pair.obstacle:
        return [("slots", pair.before)] if pair.before.cells else []
    return [("before", pair.before), ("after", pair.after)]


def plain_lines(title: str, table: PackingTable) -> list[str]:
    """The table in columns, each cell with its group: `col.x interpolated`."""
    rows = [[title, *COMPONENTS]]
    for location, columns in table.rows():
        rows.append([short_name(location), *(" | ".join(map(_worded, column)) or "." for column in columns)])
    widths = [max(len(row[column]) for row in rows) for column in range(5)]
    return [
        "  ".join(text.ljust(width) for text, width in zip(row, widths, strict=True)).rstrip() for row in rows
    ]


def _worded(cell: Cell) -> str:
    words = [shown_cell(cell), cell.group.value]
    if cell.bit_size != 32:
        words.append(f"{cell.bit_size}-bit")
    if cell.interpolation not in ("", "perspective pixel"):
        words.append(f"({cell.interpolation})")
    return " ".join(word for word in words if word)


def shown_cell(cell: Cell) -> str:
    """What a cell holds, with the half that it takes and brackets for an element of an indexed range."""
    half = f" {cell.half.value}" if cell.half is not Half.WHOLE else ""
    return f"{printable(cell.label) or '?'}{'[]' if cell.indirect else ''}{half}"
