"""The pass on dynamic buffer indices declares what it is called by."""

from __future__ import annotations

from nirls.passes.buffers import codes
from nirls.passes.finding import Severity
from tests.passes.declared_codes import assert_declared, codes_of


def test_codes_are_declared_and_have_pages() -> None:
    assert {code.code for code in codes_of(codes)} == {"dynamic-block-index", "no-possible-block"}
    assert_declared(codes, codes.NAME)


def test_an_index_that_is_always_wrong_warns() -> None:
    assert codes.NO_POSSIBLE_BLOCK.severity is Severity.WARNING
    assert codes.DYNAMIC_BLOCK_INDEX.severity is Severity.HINT
