"""Entries by name, made from their rows when someone asks for them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import cache
from types import MappingProxyType
from typing import TypeVar

from nirls.ir.tables.entries import Intrinsic, Opcode
from nirls.ir.tables.rows import name_of_row, parse_intrinsic, parse_opcode

EntryT = TypeVar("EntryT", Opcode, Intrinsic)


@cache
def opcode(name: str) -> Opcode | None:
    """The ALU opcode of that name in any release known, None for an unheard-of name."""
    return _entry(_opcode_rows().get(name, ()), parse_opcode)


@cache
def intrinsic(name: str) -> Intrinsic | None:
    """The intrinsic of that name (without `@`) in any release known, None for an unheard-of name."""
    return _entry(_intrinsic_rows().get(name, ()), parse_intrinsic)


@cache
def opcodes() -> Mapping[str, Opcode]:
    """All ALU opcodes by name, in alphabetical order. The first call takes some 10 ms."""
    return MappingProxyType(
        {name: entry for name in sorted(_opcode_rows()) if (entry := opcode(name)) is not None}
    )


@cache
def intrinsics() -> Mapping[str, Intrinsic]:
    """All intrinsics by name, in alphabetical order. The first call takes some 10 ms."""
    return MappingProxyType(
        {name: entry for name in sorted(_intrinsic_rows()) if (entry := intrinsic(name)) is not None}
    )


def _entry(rows: Iterable[str], parse: Callable[[str], EntryT]) -> EntryT | None:
    """The newest form, linked to the older ones; rows come newest first, equal forms become one."""
    forms: list[EntryT] = []
    for row in rows:
        parsed = parse(row)
        for position, known in enumerate(forms):
            if _same_shape(known, parsed):
                forms[position] = replace(known, releases=(*parsed.releases, *known.releases))
                break
        else:
            forms.append(parsed)
    newest: EntryT | None = None
    for form in reversed(forms):
        newest = replace(form, older=newest)
    return newest


def _same_shape(one: EntryT, other: EntryT) -> bool:
    return replace(one, releases=()) == replace(other, releases=())


@cache
def _opcode_rows() -> Mapping[str, tuple[str, ...]]:
    from nirls.ir.tables.facts import OPCODES
    from nirls.ir.tables.retired import RETIRED_OPCODES

    return _rows_by_name(OPCODES, RETIRED_OPCODES)


@cache
def _intrinsic_rows() -> Mapping[str, tuple[str, ...]]:
    from nirls.ir.tables.facts import INTRINSICS
    from nirls.ir.tables.retired import RETIRED_INTRINSICS

    return _rows_by_name(INTRINSICS, RETIRED_INTRINSICS)


def _rows_by_name(*tables: str) -> Mapping[str, tuple[str, ...]]:
    rows: dict[str, tuple[str, ...]] = {}
    for table in tables:
        for row in table.splitlines():
            if row and not row.startswith("#"):
                name = name_of_row(row)
                rows[name] = (*rows.get(name, ()), row)
    return rows
