"""The words of indices are those that the dump's reader knows."""

from __future__ import annotations

import pytest

from nirls.ir.model.access import access_bits
from nirls.ir.tables import intrinsics
from nirls.ir.text.lowering.index_values import parse_index
from nirls.server.ide.completion.index_words import DEFAULTS, WORDS

_KNOWN = {index for entry in intrinsics().values() for form in entry.forms() for index in form.indices}


def test_every_name_is_of_an_index() -> None:
    assert set(DEFAULTS) <= _KNOWN
    assert set(WORDS) - {"slots"} <= _KNOWN


@pytest.mark.parametrize("word", WORDS["access"])
def test_access_words_are_known(word: str) -> None:
    assert access_bits(word) is not None


@pytest.mark.parametrize("word", WORDS["write_mask"])
def test_masks_are_read_as_numbers(word: str) -> None:
    assert isinstance(parse_index("write_mask", word), int)
