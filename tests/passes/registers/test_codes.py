"""The register passes declare what they are called by."""

from __future__ import annotations

from nirls.passes.registers import codes
from tests.passes.declared_codes import assert_declared, codes_of


def test_codes_and_options_are_declared_and_have_pages() -> None:
    assert codes_of(codes)
    assert_declared(codes, "lower_regs_to_ssa", "convert_from_ssa", "lower_vec_and_coalesce")


def test_names_are_those_of_the_registry() -> None:
    assert (codes.TO_SSA, codes.FROM_SSA, codes.COALESCE) == (
        "lower_regs_to_ssa",
        "convert_from_ssa",
        "lower_vec_and_coalesce",
    )
