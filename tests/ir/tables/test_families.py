"""The families of opcodes against the tables."""

from __future__ import annotations

from nirls.ir.tables import opcodes
from nirls.ir.tables.families import BOOLEAN_SELECTIONS, MOVES, VECTORS, is_comparison


def test_moves_and_vectors_are_all_of_the_tables() -> None:
    assert {name for name in opcodes() if name.startswith("vec")} == VECTORS
    assert {name for name in opcodes() if name.endswith("mov")} == MOVES


def test_selections_take_a_boolean() -> None:
    selections = {name for name, entry in opcodes().items() if entry.is_selection}
    by_boolean = {name for name in selections if opcodes()[name].input_types[0].startswith("bool")}
    assert by_boolean - {"b32fcsel_mdg"} == BOOLEAN_SELECTIONS


def test_comparisons_have_two_sources_of_any_number_type_and_a_boolean_result() -> None:
    found = {
        name
        for name, entry in opcodes().items()
        if entry.output_type.startswith("bool") and entry.num_inputs == 2 and entry.input_sizes == (0, 0)
    }
    assert {name for name in opcodes() if is_comparison(name)} <= found
    others = {name.rstrip("0123456789") for name in found if not is_comparison(name)}
    assert others == {"bitnz", "bitz", "fequ", "fgeu", "fltu", "fneo", "ford", "funord"}
