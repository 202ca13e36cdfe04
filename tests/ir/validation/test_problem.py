"""Problems are of a kind that is listed, and point into the dump."""

from __future__ import annotations

from nirls.ir.text.parse import parse_dump
from nirls.ir.validation import validate
from nirls.ir.validation.catalogue import KINDS

TEXT = b"""shader: MESA_SHADER_VERTEX
decl_function main () (entrypoint)

impl main {
    block b0:  // preds:
    32    %0 = fadd %1, %1
    32    %0 = fabs %0
    32    %2 = frobnicate %0
               // succs: b1
    block b1:
}
"""


def test_problems_are_listed_and_stand_where_they_say() -> None:
    problems = validate(parse_dump(TEXT))
    assert {problem.severity for problem in problems} == {"error", "warning"}
    for problem in problems:
        assert problem.severity == KINDS[problem.code].severity
        assert 0 <= problem.span.start < problem.span.end <= len(TEXT)
        assert TEXT.count(b"\n", 0, problem.span.start) == problem.span.line
        for span, words in problem.related:
            assert TEXT[span.start : span.end]
            assert words


def test_the_first_definition_is_told_beside_the_second() -> None:
    again = next(problem for problem in validate(parse_dump(TEXT)) if problem.related)
    span, _ = again.related[0]
    assert span.line == 5
    assert again.span.line == 6
