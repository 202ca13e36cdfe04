from __future__ import annotations

import runpy
from pathlib import Path

from nirls.ir import tables

PROJECT = Path(__file__).resolve().parents[3]
TOOL = runpy.run_path(str(PROJECT / "tools" / "generate_tables.py"))

LOAD = {
    "bit_sizes": [],
    "dest_components": 0,
    "flags": ["CAN_ELIMINATE"],
    "has_dest": True,
    "indices": ["base"],
    "src_components": [1],
    "sysval": False,
}


def test_equal_entries_become_one_and_different_ones_stay() -> None:
    changed = {**LOAD, "indices": ["base", "range"]}
    entries = TOOL["merge"](
        [("22.3", {"same": LOAD, "other": LOAD}), ("25.0", {"same": LOAD, "other": changed, "new": LOAD})],
        TOOL["intrinsic_of_json"],
    )
    assert [(entry.name, entry.releases, entry.indices) for entry in entries] == [
        ("new", ("25.0",), ("base",)),
        ("other", ("25.0",), ("base", "range")),
        ("other", ("22.3",), ("base",)),
        ("same", ("22.3", "25.0"), ("base",)),
    ]


def test_releases_sort_as_numbers() -> None:
    releases = ["25.0", "9.1", "22.3"]
    assert sorted(releases, key=TOOL["release_order"]) == ["9.1", "22.3", "25.0"]


def test_package_holds_what_the_facts_say(shared: Path, tmp_path: Path) -> None:
    import json

    for release in ("22.3", "25.0"):
        facts = json.loads((shared / "facts" / f"nir-{release}.json").read_text())
        for name, data in facts["opcodes"].items():
            entry = tables.opcode(name)
            assert entry is not None
            form = next(form for form in entry.forms() if release in form.releases)
            assert list(form.input_types) == data["input_types"]
            assert list(form.input_sizes) == data["input_sizes"]
            assert (form.output_type, form.output_size) == (data["output_type"], data["output_size"])
            assert form.algebraic_properties == set(data["algebraic_properties"])
            assert form.is_conversion == data["is_conversion"]
        for name, data in facts["intrinsics"].items():
            known = tables.intrinsic(name)
            assert known is not None
            shape = next(form for form in known.forms() if release in form.releases)
            assert list(shape.src_components) == data["src_components"]
            assert list(shape.indices) == data["indices"]
            assert list(shape.bit_sizes) == data["bit_sizes"]
            assert shape.flags == set(data["flags"])
            assert (shape.has_dest, shape.is_sysval) == (data["has_dest"], data["sysval"])
            assert not shape.has_dest or shape.dest_components == data["dest_components"]
