"""The clean-up passes declare what they are called by."""

from __future__ import annotations

from nirls.passes.cleanup import codes
from tests.passes.declared_codes import assert_declared, codes_of


def test_codes_and_options_are_declared_and_have_pages() -> None:
    assert codes_of(codes)
    assert_declared(codes, "clean_up", "lower_alu_to_scalar", "lower_phis_to_scalar")


def test_names_are_those_of_the_registry() -> None:
    assert codes.CLEAN_UP == "clean_up"
