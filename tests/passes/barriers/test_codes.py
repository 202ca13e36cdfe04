"""The barrier pass declare what they are called by."""

from __future__ import annotations

from nirls.passes.barriers import codes
from tests.passes.declared_codes import assert_declared, codes_of


def test_codes_and_options_are_declared_and_have_pages() -> None:
    assert codes_of(codes)
    assert_declared(codes, "opt_barriers")


def test_names_are_those_of_the_registry() -> None:
    assert codes.NAME == "opt_barriers"
