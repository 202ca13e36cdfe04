from __future__ import annotations

from nirls.ir.model.shader import Shader
from nirls.ir.model.span import Span
from nirls.passes.finding import Finding, FindingCode, Place, Severity

CODE = FindingCode("some-code", "Something", Severity.WARNING)
PLACE = Place(Shader(None), Span(0, 1, 0))


def test_severity_of_a_finding_goes_before_that_of_its_code() -> None:
    assert Finding(CODE, PLACE, "").effective_severity is Severity.WARNING
    assert Finding(CODE, PLACE, "", severity=Severity.HINT).effective_severity is Severity.HINT


def test_ranks_go_from_the_most_severe_on() -> None:
    assert [severity.rank for severity in Severity] == [0, 1, 2, 3, 4]
    assert Severity.ERROR.rank < Severity.HINT.rank
