"""Merge the opcode and intrinsic tables of a Mesa release into ir/tables/.

    python -m tools.mesa_tables 26.2 ~/src/mesa
    python -m tools.mesa_tables 26.2 nir-26.json

The tables come from a Mesa source tree, by running its own table modules, or from a JSON file that holds
`opcodes` and `intrinsics` by name. A form that the tables have already gets the release added to its row;
every other form becomes a new row. Rows of other releases, and names of sources, stay as they are.
"""

from __future__ import annotations

import argparse
import json
import runpy
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

from nirls.ir.tables.entries import Intrinsic, Opcode
from nirls.ir.tables.releases import RELEASES, format_releases
from nirls.ir.tables.rows import format_intrinsic, format_opcode, parse_intrinsic, parse_opcode

PROJECT = Path(__file__).resolve().parent.parent
TABLES = PROJECT / "ir" / "tables"
FORMS = PROJECT / "tests" / "data" / "mesa_forms.txt"

EntryT = TypeVar("EntryT", Opcode, Intrinsic)
_PYTHON_2: dict[str, Any] = {"xrange": range}
"""Names of Python 2 in the table modules of old releases."""

Facts = Mapping[str, Mapping[str, Mapping[str, Any]]]


def facts_of_mesa(tree: Path) -> Facts:
    """The tables of a Mesa source tree. Runs `nir_opcodes.py` and `nir_intrinsics.py` of that tree."""
    folder = tree / "src" / "compiler" / "nir"
    sys.path.insert(0, str(folder))
    try:
        opcodes = runpy.run_path(str(folder / "nir_opcodes.py"), _PYTHON_2)["opcodes"]
        intrinsics = runpy.run_path(str(folder / "nir_intrinsics.py"), _PYTHON_2)["INTR_OPCODES"]
    finally:
        sys.path.remove(str(folder))
    return {
        "opcodes": {
            name: {
                **vars(entry),
                "algebraic_properties": str(entry.algebraic_properties).split(),
            }
            for name, entry in opcodes.items()
        },
        "intrinsics": {
            name: {
                **vars(entry),
                "indices": [getattr(index, "name", index) for index in entry.indices],
                "flags": [
                    word.strip().removeprefix("NIR_INTRINSIC_")
                    for flag in entry.flags
                    for word in str(flag).split("|")
                ],
                "bit_sizes": getattr(entry, "bit_sizes", None) or [],
            }
            for name, entry in intrinsics.items()
        },
    }


def opcode_of(name: str, data: Mapping[str, Any]) -> Opcode:
    """An opcode from its facts."""
    return Opcode(
        name=name,
        input_sizes=tuple(data["input_sizes"]),
        input_types=tuple(data["input_types"]),
        output_size=data["output_size"],
        output_type=data["output_type"],
        algebraic_properties=frozenset(data["algebraic_properties"]),
        is_conversion=bool(data.get("is_conversion")),
    )


def intrinsic_of(name: str, data: Mapping[str, Any]) -> Intrinsic:
    """An intrinsic from its facts; its sources have no names."""
    return Intrinsic(
        name=name,
        src_components=tuple(data["src_components"]),
        has_dest=data["has_dest"],
        dest_components=data["dest_components"] if data["has_dest"] else -1,
        bit_sizes=tuple(data["bit_sizes"]),
        indices=tuple(data["indices"]),
        flags=frozenset(data["flags"]),
        is_sysval=data["sysval"],
        src_names=("",) * len(data["src_components"]),
    )


def merge(known: list[EntryT], given: list[EntryT], release: str) -> list[EntryT]:
    """All forms by name, the newest form of a name first, with `release` in those that are given."""
    forms: dict[str, list[EntryT]] = {}
    for entry in known:
        forms.setdefault(entry.name, []).append(_without(entry, release))
    for entry in given:
        rows = forms.setdefault(entry.name, [])
        shapes = [_shape(row) for row in rows]
        if _shape(entry) not in shapes:
            rows.append(replace(_named_like(entry, rows), releases=(release,)))
            continue
        position = shapes.index(_shape(entry))
        same: EntryT = rows[position]
        releases = tuple(sorted((*same.releases, release), key=RELEASES.index))
        rows[position] = replace(same, releases=releases, **_refinement(same, entry))
    return [
        row
        for name in sorted(forms)
        for row in sorted(forms[name], key=lambda row: max(map(RELEASES.index, row.releases), default=-1))[
            ::-1
        ]
    ]


def _without(entry: EntryT, release: str) -> EntryT:
    return replace(entry, releases=tuple(one for one in entry.releases if one != release))


# Stated by newer releases of operations that always had them.
_LATER_FLAGS = frozenset(("SUBGROUP", "QUADGROUP"))


def _shape(entry: Opcode | Intrinsic) -> Opcode | Intrinsic:
    """Return the key of a form, without releases, source names, and properties that newer releases add."""
    if isinstance(entry, Opcode):
        words = (word.removeprefix("inexact_") for word in entry.algebraic_properties)
        return replace(entry, releases=(), algebraic_properties=frozenset(words))
    flags = entry.flags - _LATER_FLAGS
    return replace(entry, releases=(), src_names=(), bit_size_src=None, flags=flags)


def _refinement(row: Opcode | Intrinsic, entry: Opcode | Intrinsic) -> dict[str, Any]:
    """The properties that a newer release states of a form that older releases have too."""
    if isinstance(entry, Opcode):
        assert isinstance(row, Opcode)
        more = row.algebraic_properties | entry.algebraic_properties
        return {"algebraic_properties": more - {"associative"} if "inexact_associative" in more else more}
    assert isinstance(row, Intrinsic)
    return {"flags": row.flags | entry.flags}


def _named_like(entry: EntryT, rows: list[EntryT]) -> EntryT:
    """A form with the names and bit size source of another form that has as many sources."""
    if isinstance(entry, Opcode):
        return entry
    for row in rows:
        if isinstance(row, Intrinsic) and len(row.src_names) == len(entry.src_components):
            return replace(entry, src_names=row.src_names, bit_size_src=row.bit_size_src)
    return entry


def read_rows(path: Path, parse: Callable[[str], EntryT]) -> tuple[list[str], list[EntryT]]:
    """The comments at the top of a table, and its rows."""
    lines = path.read_text(encoding="utf-8").splitlines()
    head: list[str] = [line for line in lines if line.startswith("#")]
    return head, [parse(line) for line in lines if line and not line.startswith("#")]


def write_rows(path: Path, head: list[str], entries: list[EntryT], format_: Callable[[EntryT], str]) -> None:
    """Write a table; forms of no release are left out."""
    rows: list[str] = [format_(entry) for entry in entries if entry.releases]
    path.write_text("\n".join((*head, *rows)) + "\n", encoding="utf-8")


def update(
    path: Path,
    facts: Mapping[str, Mapping[str, Any]],
    release: str,
    parse: Callable[[str], EntryT],
    make: Callable[[str, Mapping[str, Any]], EntryT],
    format_: Callable[[EntryT], str],
) -> None:
    """Merge the facts of a release into a table, and write it with the comments that stand at its top."""
    head, known = read_rows(path, parse)
    write_rows(path, head, merge(known, [make(name, data) for name, data in facts.items()], release), format_)


def forms_by_release(opcodes: list[Opcode], intrinsics: list[Intrinsic]) -> Iterator[str]:
    """Lines `name | sources -> destination | indices | releases`, one for each form, opcodes first."""
    for entry in opcodes:
        signature = format_opcode(entry).split("|")[1].strip()
        yield f"{entry.name} | {signature} | | {format_releases(entry.releases)}"
    for known in intrinsics:
        dest = known.dest_components if known.has_dest else "-"
        sources = ",".join(map(str, known.src_components))
        indices = ",".join(known.indices)
        yield f"@{known.name} | {sources} -> {dest} | {indices} | {format_releases(known.releases)}"


def write_forms(opcodes: list[Opcode], intrinsics: list[Intrinsic]) -> None:
    """Write the forms of all releases, without flags and names, for the test that the tables hold them."""
    lines = forms_by_release(opcodes, intrinsics)
    FORMS.write_text("\n".join(lines) + "\n", encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument(
        "release", choices=RELEASES, metavar="RELEASE", help="a release of ir/tables/releases.py"
    )
    parser.add_argument("source", type=Path, help="a Mesa source tree, or a JSON file of its tables")
    parser.add_argument("--tables", type=Path, default=TABLES, help="the folder of the tables")
    arguments = parser.parse_args()

    source: Path = arguments.source
    facts = facts_of_mesa(source) if source.is_dir() else json.loads(source.read_text(encoding="utf-8"))
    folder: Path = arguments.tables
    update(
        folder / "opcodes.txt", facts["opcodes"], arguments.release, parse_opcode, opcode_of, format_opcode
    )
    update(
        folder / "intrinsics.txt",
        facts["intrinsics"],
        arguments.release,
        parse_intrinsic,
        intrinsic_of,
        format_intrinsic,
    )
    write_forms(
        read_rows(folder / "opcodes.txt", parse_opcode)[1],
        read_rows(folder / "intrinsics.txt", parse_intrinsic)[1],
    )


if __name__ == "__main__":
    main()
