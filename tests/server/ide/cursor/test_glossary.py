"""The words that are explained are words of dumps."""

from __future__ import annotations

from pathlib import Path

import pytest

from nirls.ir.model.slots import FRAG_RESULTS, VARYING_SLOTS, VERT_ATTRIBS
from nirls.ir.tables import intrinsics
from nirls.ir.text.lowering.index_values import TABLE_NAMES
from nirls.server.ide.cursor.glossary import (
    HEADER_FIELDS,
    INDICES,
    INSTRUCTIONS,
    SLOT_FAMILIES,
    description,
    documentation,
)

ALL = {**HEADER_FIELDS, **INDICES, **INSTRUCTIONS, **dict(SLOT_FAMILIES)}


@pytest.mark.parametrize("word", ALL)
def test_each_explanation_is_a_sentence(word: str) -> None:
    text = ALL[word]
    assert text[0].isupper()
    assert text.endswith(".")
    assert not text.endswith("..")


def test_indices_are_those_of_intrinsics() -> None:
    known = {index for entry in intrinsics().values() for form in entry.forms() for index in form.indices}
    assert {TABLE_NAMES.get(word, word) for word in INDICES} <= known


def test_every_slot_has_an_explanation() -> None:
    names = [f"VARYING_SLOT_{name}" for name in VARYING_SLOTS]
    names += [f"VERT_ATTRIB_{name}" for name in VERT_ATTRIBS]
    names += [f"FRAG_RESULT_{name}" for name in FRAG_RESULTS]
    unknown = [name for name in names if not any(name.startswith(start) for start, _ in SLOT_FAMILIES)]
    assert unknown == []


def test_no_family_hides_a_later_one() -> None:
    starts = [start for start, _ in SLOT_FAMILIES]
    for number, start in enumerate(starts):
        assert not any(start.startswith(earlier) for earlier in starts[:number]), start


def test_fields_are_those_of_real_headers(data: Path) -> None:
    """Of the samples, every field that is printed for people is explained."""
    fields = set()
    for path in (data / "pipelines").glob("*.nir"):
        head = path.read_text().partition("\nimpl ")[0]
        fields |= {line.partition(":")[0] for line in head.splitlines() if ": " in line and line[0].isalpha()}
    explained = {field for field in fields if field in HEADER_FIELDS}
    assert len(explained) >= len(fields) - 3, sorted(fields - explained)


def test_texts() -> None:
    assert documentation("opcode", "fadd") == "```nir\nfadd(float, float) -> float\n```\n\nSum of two floats."
    assert documentation("intrinsic", "store_output").startswith("```nir\n@store_output(")
    assert documentation("instruction", "phi") == INSTRUCTIONS["phi"]
    assert documentation("slot", "VARYING_SLOT_POS").startswith("Position")
    assert description("opcode", "fadd") == "Sum of two floats."
    assert documentation("opcode", "nothing_of_the_kind") == documentation("other", "x") == ""
