from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from nirls.ir import tables
from nirls.ir.tables.rows import format_intrinsic, format_opcode, parse_intrinsic, parse_opcode
from tests.conftest import facts_of
from tools.mesa_tables import facts_of_mesa, intrinsic_of, merge, opcode_of

LOAD: dict[str, Any] = {
    "bit_sizes": [],
    "dest_components": 0,
    "flags": ["CAN_ELIMINATE"],
    "has_dest": True,
    "indices": ["base"],
    "src_components": [1],
    "sysval": False,
}
ADD: dict[str, Any] = {
    "input_sizes": [0, 0],
    "input_types": ["float", "float"],
    "output_size": 0,
    "output_type": "float",
    "algebraic_properties": ["inexact_associative"],
    "is_conversion": False,
}


def merged(rows: list[str], release: str, facts: dict[str, dict[str, Any]]) -> list[str]:
    given = [intrinsic_of(name, data) for name, data in facts.items()]
    return [
        format_intrinsic(entry) for entry in merge([parse_intrinsic(row) for row in rows], given, release)
    ]


def test_a_form_that_is_known_gets_the_release() -> None:
    row = "load_x | offset[1] -> n |  | base | CAN_ELIMINATE | 22.3 25.0"
    assert merged([row], "25.1", {"load_x": LOAD}) == [f"{row}-25.1"]
    assert merged([f"{row}-25.1"], "25.1", {"load_x": LOAD}) == [f"{row}-25.1"]


def test_another_form_becomes_a_row_before_the_older_one_with_its_names() -> None:
    row = "load_x | offset[1] -> n |  |  | CAN_ELIMINATE | 12.0 25.0"
    new = "load_x | offset[1] -> n |  | base | CAN_ELIMINATE | 26.2"
    assert merged([row], "26.2", {"load_x": LOAD}) == [new, row]


def test_a_release_that_loses_a_form_is_taken_out_of_its_row() -> None:
    row = "load_x | offset[1] -> n |  |  | CAN_ELIMINATE | 25.0 26.2"
    assert merged([row], "26.2", {})[0].endswith("| 25.0")


def test_flags_that_only_newer_releases_state_make_no_form() -> None:
    row = "load_x | offset[1] -> n |  | base | CAN_ELIMINATE | 25.0"
    facts = {"load_x": {**LOAD, "flags": ["CAN_ELIMINATE", "SUBGROUP"]}}
    assert merged([row], "26.2", facts) == [
        "load_x | offset[1] -> n |  | base | CAN_ELIMINATE SUBGROUP | 25.0 26.2"
    ]


def test_inexact_associativity_refines_the_older_word() -> None:
    known = parse_opcode("fadd | float, float -> float | associative | 25.0")
    entries = merge([known], [opcode_of("fadd", ADD)], "26.2")
    assert [format_opcode(entry) for entry in entries] == [
        "fadd | float, float -> float | inexact_associative | 25.0 26.2"
    ]


def test_facts_of_a_mesa_source_tree(tmp_path: Path) -> None:
    folder = tmp_path / "src" / "compiler" / "nir"
    folder.mkdir(parents=True)
    (folder / "nir_opcodes.py").write_text(
        """
class Opcode:
    def __init__(self):
        self.input_sizes, self.input_types = [0, 0], ["float", "float"]
        self.output_size, self.output_type = 0, "float"
        self.algebraic_properties, self.is_conversion = "2src_commutative associative ", False

opcodes = {"fadd": Opcode()}
"""
    )
    (folder / "nir_intrinsics.py").write_text(
        """
class Index:
    name = "base"

class Intrinsic:
    def __init__(self):
        self.src_components, self.has_dest, self.dest_components = [1], True, 0
        self.indices, self.flags = [Index()], ["NIR_INTRINSIC_CAN_ELIMINATE"]
        self.sysval, self.bit_sizes = False, None

INTR_OPCODES = {"load_x": Intrinsic()}
"""
    )
    facts = facts_of_mesa(tmp_path)
    opcode = opcode_of("fadd", facts["opcodes"]["fadd"])
    assert opcode.algebraic_properties == {"2src_commutative", "associative"}
    assert intrinsic_of("load_x", facts["intrinsics"]["load_x"]) == intrinsic_of("load_x", LOAD)


@pytest.mark.parametrize(("release", "file_name"), [("22.3", "22.3"), ("25.0", "25.0"), ("26.2", "26")])
def test_the_tables_hold_the_facts_of_a_release(release: str, file_name: str) -> None:
    facts = facts_of(file_name)
    for name, data in facts["opcodes"].items():
        entry = tables.opcode(name)
        assert entry is not None
        form = next(form for form in entry.forms() if release in form.releases)
        assert list(form.input_types) == data["input_types"]
        assert list(form.input_sizes) == data["input_sizes"]
        assert (form.output_type, form.output_size) == (data["output_type"], data["output_size"])
        properties = {word.removeprefix("inexact_") for word in form.algebraic_properties}
        assert properties == {word.removeprefix("inexact_") for word in data["algebraic_properties"]}
        assert form.is_conversion == data["is_conversion"]
    for name, data in facts["intrinsics"].items():
        known = tables.intrinsic(name)
        assert known is not None
        shape = next(form for form in known.forms() if release in form.releases)
        assert list(shape.src_components) == data["src_components"]
        assert list(shape.indices) == data["indices"]
        assert list(shape.bit_sizes) == data["bit_sizes"]
        assert shape.flags - {"SUBGROUP", "QUADGROUP"} == set(data["flags"]) - {"SUBGROUP", "QUADGROUP"}
        assert shape.flags >= set(data["flags"])
        assert (shape.has_dest, shape.is_sysval) == (data["has_dest"], data["sysval"])
        assert not shape.has_dest or shape.dest_components == data["dest_components"]
