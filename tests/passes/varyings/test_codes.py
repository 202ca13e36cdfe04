"""The varying passes declare what they are called by, and report all of it."""

from __future__ import annotations

from nirls.passes.finding import Severity
from nirls.passes.varyings import codes, dead_io, opt_varyings
from tests.passes.declared_codes import assert_declared, codes_of
from tools.random_pipelines import random_pipeline


def test_codes_and_options_are_declared_and_have_pages() -> None:
    assert codes_of(codes)
    assert_declared(codes, codes.NAME, codes.OPT_VARYINGS)


def test_dead_code_is_what_warns() -> None:
    warnings = {code.code for code in codes_of(codes) if code.severity is Severity.WARNING}
    assert warnings == {"dead-output", "undefined-input", "undefined-output-load"}
    assert all(code.unnecessary == (code.code in warnings) for code in codes_of(codes))


def test_every_code_is_reported_by_its_pass() -> None:
    """Those apart that need a dump with I/O variables, or with a load of an output that is never stored."""
    found = {
        finding.code
        for number in range(60)
        for report in (opt_varyings.find, dead_io.find)
        for finding in report(random_pipeline(number), {})
    }
    assert codes_of(codes) - found <= {codes.IO_NOT_LOWERED, codes.UNDEFINED_OUTPUT_LOAD}
