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
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

from nirls.ir.tables.entries import Intrinsic, Opcode
from nirls.ir.tables.rows import format_intrinsic, format_opcode, parse_intrinsic, parse_opcode

TABLES = Path(__file__).resolve().parent.parent / "ir" / "tables"

EntryT = TypeVar("EntryT", Opcode, Intrinsic)
Facts = Mapping[str, Mapping[str, Mapping[str, Any]]]


def facts_of_mesa(tree: Path) -> Facts:
    """The tables of a Mesa source tree. Runs `nir_opcodes.py` and `nir_intrinsics.py` of that tree."""
    folder = tree / "src" / "compiler" / "nir"
    sys.path.insert(0, str(folder))
    try:
        opcodes = runpy.run_path(str(folder / "nir_opcodes.py"))["opcodes"]
        intrinsics = runpy.run_path(str(folder / "nir_intrinsics.py"))["INTR_OPCODES"]
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
                "flags": [str(flag).removeprefix("NIR_INTRINSIC_") for flag in entry.flags],
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
        releases = tuple(sorted((*same.releases, release), key=release_order))
        rows[position] = replace(same, releases=releases, **_refinement(same, entry))
    return [
        row
        for name in sorted(forms)
        for row in sorted(forms[name], key=lambda row: release_order(max(row.releases, key=release_order)))[
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


def release_order(release: str) -> tuple[int, ...]:
    """A key that sorts releases by age, years (2015) before release numbers (22.3)."""
    return tuple(
        int(part) - (2015 if part.startswith("20") and len(part) == 4 else 0) for part in release.split(".")
    )


def update(
    path: Path,
    facts: Mapping[str, Mapping[str, Any]],
    release: str,
    parse: Callable[[str], EntryT],
    make: Callable[[str, Mapping[str, Any]], EntryT],
    format_: Callable[[EntryT], str],
) -> None:
    """Merge the facts of a release into a table, and write it with the comments that stand at its top."""
    lines = path.read_text(encoding="utf-8").splitlines()
    head: list[str] = [line for line in lines if line.startswith("#")]
    known = [parse(line) for line in lines if line and not line.startswith("#")]
    merged = merge(known, [make(name, data) for name, data in facts.items()], release)
    rows: list[str] = [format_(entry) for entry in merged if entry.releases]
    path.write_text("\n".join((*head, *rows)) + "\n", encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("release", help="the release, such as 26.2")
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


if __name__ == "__main__":
    main()
