"""The uniform pass declares what it is called by."""

from __future__ import annotations

from nirls.passes.uniforms import codes
from tests.passes.declared_codes import assert_declared, codes_of


def test_codes_and_options_are_declared_and_have_pages() -> None:
    assert {code.code for code in codes_of(codes)} == {"inlinable-uniform"}
    assert_declared(codes, codes.NAME)


def test_limit_is_mesas() -> None:
    assert codes.LIMIT.default == 4
