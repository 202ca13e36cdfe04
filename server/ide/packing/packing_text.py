"""The packing of varyings and the ledger of linked stages as plain text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from nirls.passes.varyings.interface.rules import short_name
from nirls.passes.varyings.packing.ledger import Ledger
from nirls.passes.varyings.packing.table import COMPONENTS, Half, PackingCell, PackingTable, PairPacking
from nirls.server.engine.base.shown_text import printable, printable_line

_COLUMNS = ("varying", "value", "fate", "place", "why")


def packing_text(pairs: Sequence[PairPacking]) -> str:
    """Format the tables of the pairs of stages of a pipeline, each cell with its group, and their ledgers."""
    parts = []
    for pair in pairs:
        lines = [printable(pair.summary)]
        for title, table in shown_tables(pair):
            lines += plain_lines(title, table)
        if pair.ledger.lines:
            lines += ["", *ledger_lines(pair.ledger)]
        parts.append("".join(f"{line}\n" for line in lines))
    return "\n".join(parts)


def shown_tables(pair: PairPacking) -> list[tuple[str, PackingTable]]:
    """The titled tables of a pair; only the known slots of one that cannot be linked, none of a payload."""
    if pair.payload_bytes is not None:
        return []
    if pair.obstacle:
        return [("slots", pair.before)] if pair.before.cells else []
    return [("before", pair.before), ("after", pair.after)]


def plain_lines(title: str, table: PackingTable) -> list[str]:
    """The table in columns, each cell with its group: `col.x interpolated`."""
    rows = [[title, *COMPONENTS]]
    for location, columns in table.rows():
        rows.append([short_name(location), *(" | ".join(map(_worded, column)) or "." for column in columns)])
    return _aligned(rows)


def _aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    """Lay out rows in columns, two blanks apart."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(text.ljust(width) for text, width in zip(row, widths, strict=True)).rstrip() for row in rows
    ]


def _worded(cell: PackingCell) -> str:
    words = [shown_cell(cell), cell.group.value]
    if cell.bit_size != 32:
        words.append(f"{cell.bit_size}-bit")
    if cell.interpolation not in ("", "perspective pixel"):
        words.append(f"({cell.interpolation})")
    return " ".join(word for word in words if word)


def shown_cell(cell: PackingCell) -> str:
    """The varying in a cell, with its half, and brackets for an element of an indexed range."""
    half = f" {cell.half.value}" if cell.half is not Half.WHOLE else ""
    return f"{printable(cell.label) or '?'}{'[]' if cell.indirect else ''}{half}"


def ledger_lines(ledger: Ledger) -> Iterator[str]:
    """Yield the table of a ledger in aligned columns, its notes, and what one condition keeps."""
    rows = [
        _COLUMNS,
        *(
            (line.name, line.value or ".", line.fate.value, line.place or ".", line.reason)
            for line in ledger.lines
        ),
    ]
    if ledger.lines:
        yield from _aligned([[printable_line(text) for text in row] for row in rows])
    for note in ledger.notes:
        yield printable_line(f"{note.step}: {note.message}")
    if could_go := ledger.could_go():
        yield could_go
