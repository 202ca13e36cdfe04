"""Write ir/tables/facts.py from JSON descriptions of the opcode and intrinsic tables of Mesa releases.

    python tools/generate_tables.py nir-22.3.json nir-25.0.json

Each file is named `nir-RELEASE.json` and holds `opcodes` and `intrinsics` by name. An entry that is
the same in several releases becomes one row that lists them; where a release differs it has its own row.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

from nirls.ir.tables.entries import Intrinsic, Opcode
from nirls.ir.tables.rows import format_intrinsic, format_opcode

OUTPUT = Path(__file__).resolve().parent.parent / "ir" / "tables" / "facts.py"

EntryT = TypeVar("EntryT", Opcode, Intrinsic)
Table = Mapping[str, Mapping[str, Any]]


def opcode_of_json(name: str, data: Mapping[str, Any]) -> Opcode:
    """An opcode from its JSON object."""
    return Opcode(
        name=name,
        input_sizes=tuple(data["input_sizes"]),
        input_types=tuple(data["input_types"]),
        output_size=data["output_size"],
        output_type=data["output_type"],
        algebraic_properties=frozenset(data["algebraic_properties"]),
        is_conversion=data["is_conversion"],
    )


def intrinsic_of_json(name: str, data: Mapping[str, Any]) -> Intrinsic:
    """An intrinsic from its JSON object."""
    return Intrinsic(
        name=name,
        src_components=tuple(data["src_components"]),
        has_dest=data["has_dest"],
        dest_components=data["dest_components"] if data["has_dest"] else -1,
        bit_sizes=tuple(data["bit_sizes"]),
        indices=tuple(data["indices"]),
        flags=frozenset(data["flags"]),
        is_sysval=data["sysval"],
    )


def merge(
    tables: Sequence[tuple[str, Table]], make: Callable[[str, Mapping[str, Any]], EntryT]
) -> list[EntryT]:
    """All entries of (release, table) pairs given oldest first: by name, the newest form of a name first."""
    forms: dict[str, list[tuple[EntryT, list[str]]]] = {}
    for release, table in reversed(tables):
        for name, data in table.items():
            entry = make(name, data)
            known = forms.setdefault(name, [])
            same = next((releases for form, releases in known if form == entry), None)
            if same is None:
                known.append((entry, [release]))
            else:
                same.insert(0, release)
    return [
        replace(entry, releases=tuple(releases)) for name in sorted(forms) for entry, releases in forms[name]
    ]


def render(opcodes: Sequence[Opcode], intrinsics: Sequence[Intrinsic], releases: Sequence[str]) -> str:
    """The text of the module."""
    opcode_rows = "\n".join(format_opcode(entry) for entry in opcodes)
    intrinsic_rows = "\n".join(format_intrinsic(entry) for entry in intrinsics)
    return f'''"""Opcodes and intrinsics of Mesa {" and ".join(releases)}, in the notation of `rows`.

Written by tools/generate_tables.py; change that, not this.
"""

# ruff: noqa: E501

OPCODES = """
{opcode_rows}
"""

INTRINSICS = """
{intrinsic_rows}
"""
'''


def release_of(path: Path) -> str:
    """`25.0` from `nir-25.0.json`."""
    return path.name.removeprefix("nir-").removesuffix(".json")


def release_order(release: str) -> tuple[int, ...]:
    """A key that sorts releases by age."""
    return tuple(int(part) for part in release.split("."))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("facts", nargs="+", type=Path, help="nir-RELEASE.json files")
    parser.add_argument("--output", type=Path, default=OUTPUT, help="the module to write")
    arguments = parser.parse_args()

    paths = sorted(arguments.facts, key=lambda path: release_order(release_of(path)))
    facts = [(release_of(path), json.loads(path.read_text(encoding="utf-8"))) for path in paths]
    opcodes = merge([(release, data["opcodes"]) for release, data in facts], opcode_of_json)
    intrinsics = merge([(release, data["intrinsics"]) for release, data in facts], intrinsic_of_json)
    text = render(opcodes, intrinsics, [release for release, _ in facts])
    arguments.output.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
