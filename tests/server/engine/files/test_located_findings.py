from __future__ import annotations

from dataclasses import replace

from nirls.ir.finding import Finding, Fix, FixRequest, Place, Related, Severity
from nirls.server.engine.batch.unit import FixEdit, MadeFix
from nirls.server.engine.documents.document import PlacedDump, Snapshot
from nirls.server.engine.documents.positions import Position, Range
from nirls.server.engine.files.located_findings import Excerpt, FileEdit, LocatedFinding, Location, in_order

ONE = FixRequest("p", "odd")
TEXT = "shader: MESA_SHADER_VERTEX\n" + "label: x€\n" * 9 + "impl main {\n}\n"


def dump(lines_above: int = 0) -> PlacedDump:
    (placed,) = Snapshot.of(("log\n" * lines_above + TEXT).encode()).dumps()
    return placed


def place(number: int, line: int, character: int = 0, width: int = 1) -> Place:
    start = len("".join(TEXT.splitlines(keepends=True)[:line]).encode()) + character
    return Place(number, start, start + width)


def at(line: int, character: int = 0) -> Range:
    return Range(Position(line, character), Position(line, character + 1))


def located(
    file: str,
    line: int = 0,
    severity: Severity = Severity.WARNING,
    message: str = "m",
    where: Place | None = None,
    lines_above: int = 0,
) -> LocatedFinding:
    """A finding in the first of two files, with all its parts."""
    fixes = (Fix("fix", ONE, preferred=True), Fix("all", replace(ONE, scope="all")))
    related = (Related(place(1, 4), "see"),)
    found = Finding("odd", severity, where or place(0, line), message, "p", related=related, fixes=fixes)
    made = {ONE: MadeFix((FixEdit(place(1, 2, 3), "new"),))}
    return LocatedFinding(found, ((file, dump(lines_above)), ("1", dump())), made)


def test_places_in_dumps_become_places_in_files() -> None:
    found = located("a.nir", 5, lines_above=100)
    assert (found.file, found.range) == ("a.nir", at(105))
    assert list(found.related()) == [(Location("1", at(4)), "see")]
    first, second = found.finding.fixes
    assert found.edits_of(first) == [FileEdit(Location("1", at(2, 3)), "new")]
    assert found.edits_of(second) is None


def test_edits_of_fixes_keep_what_a_logger_writes_before_each_line() -> None:
    prefix = "MESA: info: "
    lines = TEXT.replace("x€", "x").splitlines(keepends=True)
    (placed,) = Snapshot.of("".join(prefix + line for line in lines).encode()).dumps()
    start = len("".join(lines[:2]))
    edit = FixEdit(Place(0, start, start + len(lines[2])), "one: 1\ntwo: 2\n")
    found = located("log").finding
    changed = LocatedFinding(found, (("log", placed),), {ONE: MadeFix((edit,))})
    assert changed.edits_of(found.fixes[0]) == [
        FileEdit(Location("log", Range(Position(2, 0), Position(3, 0))), f"{prefix}one: 1\n{prefix}two: 2\n")
    ]


def test_characters_are_units_of_utf_16_and_those_of_an_excerpt_characters() -> None:
    found = located("a.nir", where=place(0, 2, 8, 3))
    assert found.range == at(2, 8)
    assert found.excerpt == Excerpt("label: x€", 8, 9)
    over_lines = located("a.nir", where=place(0, 2, 1, 20))
    assert over_lines.excerpt == Excerpt("label: x€", 1, 9)


def test_the_order_is_that_of_files_then_of_places_then_of_severity() -> None:
    error = located("a", 3, Severity.ERROR)
    found = [located("b", 1), located("a", 3), error, located("a", 2)]
    ordered = in_order(found, ["b", "a"])
    assert [(one.file, one.range.start.line) for one in ordered] == [("b", 1), ("a", 2), ("a", 3), ("a", 3)]
    assert ordered[2] is error
