"""Texts about intrinsics: of names that exist, with a name for every source."""

from __future__ import annotations

import re

import pytest

from nirls.ir.tables import intrinsic, intrinsics, opcodes
from nirls.ir.tables import intrinsic_texts as texts


def test_every_text_is_of_an_intrinsic_that_exists() -> None:
    assert [name for name in texts.INTRINSIC_TEXTS if intrinsic(name) is None] == []


def test_texts_are_sentences() -> None:
    for name, text in texts.INTRINSIC_TEXTS.items():
        assert text.endswith("."), name
        assert text[0].isupper() or text[0].isdigit(), name


@pytest.mark.parametrize("name", sorted(texts.SOURCE_NAMES))
def test_sources_that_are_named_exist(name: str) -> None:
    entry = intrinsic(name)
    assert entry is not None
    most = max(len(form.src_components) for form in entry.forms())
    assert len(texts.SOURCE_NAMES[name]) <= most


def test_families_are_of_something() -> None:
    names = list(intrinsics())
    for pattern, _ in texts.SOURCE_NAME_FAMILIES:
        assert any(re.fullmatch(pattern, name) for name in names), pattern


def test_vendors_are_the_ends_of_names() -> None:
    names = [*intrinsics(), *opcodes()]
    assert [end for end in texts.VENDORS if not any(name.endswith(f"_{end}") for name in names)] == []
