"""Findings are plain data, with places in the dump."""

from __future__ import annotations

import pickle

from nirls.ir.finding import (
    Finding,
    FindingCode,
    Fix,
    FixRequest,
    Place,
    Related,
    Severity,
    counted,
    severity_of_gain,
)
from nirls.ir.model.span import Span
from nirls.ir.text.parse import parse_dump
from nirls.ir.validation import KINDS, validate

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
CODE = FindingCode("some-code", "Something", Severity.WARNING, unnecessary=True)


def test_finding_takes_severity_and_tag_of_its_code() -> None:
    found = CODE.at(Place.of(Span(1, 2, 0)), "message")
    assert found == Finding("some-code", Severity.WARNING, Place(0, 1, 2), "message", unnecessary=True)
    assert CODE.at(found.place, "", severity=Severity.HINT).severity is Severity.HINT


def test_ranks_go_from_the_most_severe_on() -> None:
    assert [severity.rank for severity in Severity] == [0, 1, 2, 3, 4]


def test_only_a_saving_is_worth_acting_on() -> None:
    assert [severity_of_gain(saved) for saved in (1, 0, -1)] == [
        Severity.INFORMATION,
        Severity.HINT,
        Severity.HINT,
    ]


def test_other_numbers_of_dumps() -> None:
    def finding(first: int, second: int) -> Finding:
        fix = Fix("title", FixRequest("some_pass", "code", dump=second))
        return CODE.at(Place(first, 1, 2), "", related=[Related(Place(second, 5, 6), "why")], fixes=[fix])

    assert finding(0, 1).with_dumps((7, 9)) == finding(7, 9)


def test_findings_can_be_pickled() -> None:
    found = CODE.at(
        Place(0, 1, 2), "", fixes=[Fix("title", FixRequest("some_pass", "code", "all"))], data={"a": [1]}
    )
    assert pickle.loads(pickle.dumps(found)) == found


def test_validation_findings_are_listed_and_stand_where_they_say() -> None:
    findings = validate(parse_dump(TEXT))
    assert {one.severity for one in findings} == {Severity.ERROR, Severity.WARNING}
    for one in findings:
        assert one.severity is KINDS[one.code].severity
        assert 0 <= one.place.start < one.place.end <= len(TEXT)
        for related in one.related:
            assert TEXT[related.place.start : related.place.end]
            assert related.message


def test_the_first_definition_is_related_to_the_second() -> None:
    again = next(one for one in validate(parse_dump(TEXT)) if one.related)
    assert TEXT.count(b"\n", 0, again.related[0].place.start) == 5
    assert TEXT.count(b"\n", 0, again.place.start) == 6


def test_counts_have_their_noun() -> None:
    assert [counted(number, "load") for number in (0, 1, 2)] == ["0 loads", "1 load", "2 loads"]
    assert counted(2, "branch", "branches") == "2 branches"
