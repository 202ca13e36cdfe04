"""`// nirls: allow` comments: what they cover, which are unused, and their removal."""

from __future__ import annotations

from dataclasses import replace

import pytest

from nirls.ir.finding import Finding, FixRequest, Place, Severity
from nirls.server.engine.documents.allowances import (
    UNUSED_ALLOWANCE,
    DumpAllowances,
    allowances,
    removal,
    unused,
)

TEXT = b"""// nirls: allow packing
shader: MESA_SHADER_VERTEX
impl main {
    block b0:  // preds:
    // nirls: allow dead-value, dead-output
    // a remark
    32 %0 = load_const (0x0)
    32 %1 = fneg %0 // nirls: allow common-subexpression (kept for the test)
}
"""


def finding(code: str, at: bytes) -> Finding:
    start = TEXT.index(at)
    return Finding(code, Severity.HINT, Place(0, start, start + 1), "m")


@pytest.mark.parametrize(
    ("code", "at", "is_covered"),
    [
        ("packing", b"%1", True),
        ("dead-value", b"load_const", True),
        ("dead-output", b"load_const", True),
        ("dead-value", b"fneg", False),
        ("common-subexpression", b"fneg", True),
        ("common-subexpression", b"load_const", False),
        ("kept", b"fneg", False),
    ],
)
def test_an_allowance_covers_its_line_or_its_dump(code: str, at: bytes, is_covered: bool) -> None:
    assert DumpAllowances(TEXT, allowances(TEXT), ()).covers(finding(code, at)) is is_covered


def test_an_allowance_of_the_file_covers_every_line() -> None:
    assert DumpAllowances(b"\n\n", (), {"packing"}).covers(finding("packing", b"%1"))


def test_unused_allowances_are_reported_once_their_check_ran() -> None:
    judged = {"packing": True, "dead-value": True, "dead-output": False, "common-subexpression": True}
    own = allowances(TEXT)
    found = unused(TEXT, own, [finding("dead-value", b"load_const")], judged, ())
    assert [one.message for one in found] == [
        "no `packing` in this dump: the comment is not needed",
        "no `common-subexpression` in this line: the comment is not needed",
    ]
    assert [TEXT[one.place.start : one.place.end] for one in found] == [b"packing", b"common-subexpression"]


def test_unknown_codes_are_reported() -> None:
    text = b"// nirls: allow no-such\n// nirls: allow\nshader: MESA_SHADER_VERTEX\n"
    messages = [one.message for one in unused(text, allowances(text), (), {}, ())]
    assert messages == ["no finding has the code `no-such`", "this comment names no code"]


@pytest.mark.parametrize(
    ("number", "gone"),
    [
        (0, b"// nirls: allow packing\n"),
        (1, b"dead-value, "),
        (2, b", dead-output"),
        (3, b" // nirls: allow common-subexpression (kept for the test)"),
    ],
)
def test_removal_of_an_allowance(number: int, gone: bytes) -> None:
    start = allowances(TEXT)[number].start
    place = removal(TEXT, FixRequest("", UNUSED_ALLOWANCE.code, start=start))
    assert place is not None
    assert TEXT[slice(*place)] == gone


def test_removal_of_an_allowance_that_is_gone() -> None:
    request = FixRequest("", UNUSED_ALLOWANCE.code, start=allowances(TEXT)[0].start)
    assert removal(TEXT, request) is not None
    assert removal(b"shader: MESA_SHADER_VERTEX\n", request) is None
    assert removal(TEXT, replace(request, start=request.start + 1)) is None
    assert removal(TEXT, replace(request, code="packing")) is None
