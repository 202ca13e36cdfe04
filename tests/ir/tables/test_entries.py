"""Entries of the tables answer for their flags and their older forms."""

from __future__ import annotations

from dataclasses import replace

import pytest

from nirls.ir.tables import intrinsic, opcode
from nirls.ir.tables.entries import Intrinsic, Opcode, base_type, split_type

PLAIN = Opcode("f", (0, 2), ("float", "int32"), 1, "bool1")


def test_properties_are_words() -> None:
    assert PLAIN.num_inputs == 2
    assert not any((PLAIN.is_commutative, PLAIN.is_selection))
    words = frozenset(("2src_commutative", "selection"))
    full = replace(PLAIN, algebraic_properties=words)
    assert full.is_commutative
    assert full.is_selection


def test_forms_go_from_the_newest_to_the_oldest() -> None:
    oldest = replace(PLAIN, input_sizes=(0, 4))
    older = replace(PLAIN, input_sizes=(0, 3), older=oldest)
    newest = replace(PLAIN, older=older)
    assert newest.forms() == (newest, older, oldest)
    assert oldest.forms() == (oldest,)


def test_intrinsics_have_flags_and_forms_too() -> None:
    load = Intrinsic("load", (1,), True, 0, flags=frozenset(("CAN_ELIMINATE",)))
    assert load.can_eliminate
    assert not load.can_reorder
    newer = replace(load, flags=frozenset(("CAN_REORDER",)), older=load)
    assert newer.can_reorder
    assert newer.forms() == (newer, load)


def test_entries_of_the_tables_are_such() -> None:
    add, select, store = opcode("fadd"), opcode("bcsel"), intrinsic("store_output")
    assert add is not None
    assert select is not None
    assert store is not None
    assert add.is_commutative
    assert select.is_selection
    assert not store.can_eliminate
    assert not store.has_dest


@pytest.mark.parametrize(
    ("name", "base"),
    [("float32", "float"), ("uint", "uint"), ("invalid", ""), ("160", ""), ("bool1", "bool")],
)
def test_base_of_alu_types(name: str, base: str) -> None:
    assert base_type(name) == base


@pytest.mark.parametrize(
    ("name", "parts"),
    [("uint", ("uint", 0)), ("int32", ("int", 32)), ("bool1", ("bool", 1)), ("float16", ("float", 16))],
)
def test_split_type(name: str, parts: tuple[str, int]) -> None:
    assert split_type(name) == parts
