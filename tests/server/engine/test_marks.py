"""Findings without the IR that they are about, and where they are after an edit."""

from __future__ import annotations

import pytest

from nirls.ir.model.span import Span
from nirls.ir.text.parse import parse_dump
from nirls.passes.finding import Finding, FindingCode, Place, Related, Severity
from nirls.server.engine.document import Splice
from nirls.server.engine.marks import Mark, RelatedMark, marks_of

CODE = FindingCode("a-code", "A finding", Severity.WARNING)
TEXT = b"shader: MESA_SHADER_FRAGMENT\nimpl main {\n}\n"


@pytest.mark.parametrize(
    ("splice", "expected"),
    [
        (Splice(0, 0, 5), (15, 25)),
        (Splice(0, 5, 0), (5, 15)),
        (Splice(30, 40, 30), (10, 20)),
        (Splice(21, 21, 99), (10, 20)),
        # Right in front of it: it moves. Right behind it, a word may go on: it is another text.
        (Splice(10, 10, 12), (12, 22)),
        (Splice(5, 10, 5), (5, 15)),
        (Splice(20, 20, 22), None),
        (Splice(12, 14, 12), None),
        (Splice(0, 99, 0), None),
        (Splice(15, 30, 15), None),
        (Splice(5, 11, 5), None),
    ],
)
def test_after_an_edit(splice: Splice, expected: tuple[int, int] | None) -> None:
    after = Mark(10, 20, "code", Severity.ERROR, "message").after(splice)
    assert (None if after is None else (after.start, after.end)) == expected


def test_findings_become_marks_of_their_own_dump() -> None:
    one, other, elsewhere = (parse_dump(TEXT) for _ in range(3))
    related = tuple(Related(Place(shader, Span(0, 6, 0)), "why") for shader in (other, elsewhere))
    findings = [
        Finding(CODE, Place(one, Span(8, 12, 0)), "first", "a_pass", related=related),
        Finding(CODE, Place(other, Span(0, 6, 0)), "second", severity=Severity.HINT),
    ]
    slots = {id(one): 7, id(other): 8}
    (first,) = marks_of(findings, slots, one)
    assert (first.start, first.end, first.code, first.message) == (8, 12, "a-code", "first")
    assert (first.severity, first.pass_name) == (Severity.WARNING, "a_pass")
    # What is explained by a place of another pipeline has no explanation there.
    assert first.related == (RelatedMark(8, 0, 6, "why"),)
    (second,) = marks_of(findings, slots, other)
    assert (second.severity, second.pass_name, second.data) == (Severity.HINT, "", None)
    assert marks_of(findings, slots, elsewhere) == []
