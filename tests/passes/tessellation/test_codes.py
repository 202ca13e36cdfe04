"""The control shader passes declare what they are called by."""

from __future__ import annotations

from nirls.passes.tessellation import codes
from tests.passes.declared_codes import assert_declared, codes_of


def test_codes_and_options_are_declared_and_have_pages() -> None:
    assert codes_of(codes)
    assert_declared(codes, "restructure_tcs_flow", "optimize_tcs")


def test_names_are_those_of_the_registry() -> None:
    assert codes.RESTRUCTURE == "restructure_tcs_flow"
