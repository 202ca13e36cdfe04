"""The discard passes declare what they are called by."""

from __future__ import annotations

from nirls.passes.discards import codes
from tests.passes.declared_codes import assert_declared, codes_of


def test_codes_and_options_are_declared_and_have_pages() -> None:
    assert codes_of(codes)
    assert_declared(codes, "opt_discard_if", "opt_move_discards_to_top")


def test_names_are_those_of_the_registry() -> None:
    assert (codes.DISCARD_IF, codes.MOVE_DISCARDS) == ("opt_discard_if", "opt_move_discards_to_top")
