"""Table entries by name, parsed from their rows on first use."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import cache, lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import Final, TypeVar

from nirls.ir.tables.entries import Intrinsic, Opcode
from nirls.ir.tables.rows import name_of_row, parse_intrinsic, parse_opcode, releases_of_row

EntryT = TypeVar("EntryT", Opcode, Intrinsic)

_MOST_NAMES: Final = 4096
"""More than there are. Bounded, because completion asks for any word that is typed."""

_FOLDER: Final = Path(__file__).parent


@lru_cache(_MOST_NAMES)
def opcode(name: str) -> Opcode | None:
    """Return the ALU opcode of a name in any release, None for an unknown name."""
    return _entry(_opcode_rows().get(name, ()), parse_opcode)


@lru_cache(_MOST_NAMES)
def intrinsic(name: str) -> Intrinsic | None:
    """Return the intrinsic of a name (without `@`) in any release, None for an unknown name."""
    return _entry(_intrinsic_rows().get(name, ()), parse_intrinsic)


@cache
def opcodes() -> Mapping[str, Opcode]:
    """Return all ALU opcodes by name, in alphabetical order. The first call takes about 10 ms."""
    return MappingProxyType(
        {name: entry for name in sorted(_opcode_rows()) if (entry := opcode(name)) is not None}
    )


@cache
def intrinsics() -> Mapping[str, Intrinsic]:
    """Return all intrinsics by name, in alphabetical order. The first call takes about 10 ms."""
    return MappingProxyType(
        {name: entry for name in sorted(_intrinsic_rows()) if (entry := intrinsic(name)) is not None}
    )


@cache
def opcode_names(releases: frozenset[str]) -> Mapping[str, str]:
    """Return the opcodes of any of the releases and their result types (`float`, `bool1`)."""
    return MappingProxyType(
        {
            name: row.split("|")[1].partition("->")[2].strip()
            for name, rows in sorted(_opcode_rows().items())
            if (row := _row_of(rows, releases)) is not None
        }
    )


@cache
def intrinsic_names(releases: frozenset[str]) -> Mapping[str, bool]:
    """Return the intrinsics of any of the releases, and whether they have a result."""
    return MappingProxyType(
        {
            name: row.split("|")[1].partition("->")[2].strip() != "-"
            for name, rows in sorted(_intrinsic_rows().items())
            if (row := _row_of(rows, releases)) is not None
        }
    )


def _row_of(rows: Iterable[str], releases: frozenset[str]) -> str | None:
    """Return the newest row of one of the releases."""
    return next((row for row in rows if not releases.isdisjoint(releases_of_row(row))), None)


def _entry(rows: Iterable[str], parse: Callable[[str], EntryT]) -> EntryT | None:
    """Parse rows, newest first, to linked forms; equal forms are merged."""
    by_shape: dict[EntryT, tuple[str, ...]] = {}
    for row in rows:
        entry: EntryT = parse(row)
        shape: EntryT = replace(entry, releases=())
        by_shape[shape] = (*entry.releases, *by_shape.get(shape, ()))
    newest: EntryT | None = None
    for shape, releases in reversed(by_shape.items()):
        newest = replace(shape, releases=releases, older=newest)
    return newest


@cache
def _opcode_rows() -> Mapping[str, tuple[str, ...]]:
    return _rows_by_name("opcodes.txt")


@cache
def _intrinsic_rows() -> Mapping[str, tuple[str, ...]]:
    return _rows_by_name("intrinsics.txt")


def _rows_by_name(file_name: str) -> Mapping[str, tuple[str, ...]]:
    """Return the rows of a table by name, unparsed: most runs need few of them."""
    rows: dict[str, tuple[str, ...]] = {}
    for row in (_FOLDER / file_name).read_text(encoding="utf-8").splitlines():
        if row and not row.startswith("#"):
            name = name_of_row(row)
            rows[name] = (*rows.get(name, ()), row)
    return rows
