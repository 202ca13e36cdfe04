"""The passes that take the vertex shader in declare what they are called by."""

from __future__ import annotations

from nirls.passes.tessellation import inline_codes
from tests.passes.declared_codes import assert_declared, codes_of


def test_codes_and_options_are_declared_and_have_pages() -> None:
    assert codes_of(inline_codes)
    assert_declared(inline_codes, "inline_vs_in_tcs", "optimize_tcs")


def test_names_are_those_of_the_registry() -> None:
    assert (inline_codes.INLINE_VS, inline_codes.OPTIMIZE_TCS) == ("inline_vs_in_tcs", "optimize_tcs")
