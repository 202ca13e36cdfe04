from __future__ import annotations

from nirls.passes.finding import FindingCode, Severity
from nirls.server.cli.reported import (
    Excerpt,
    FileEdit,
    FilePlace,
    Note,
    Reported,
    ReportedFix,
    in_order,
)
from nirls.server.engine.positions import Position, Range

CODE = FindingCode("odd", "Odd", Severity.WARNING)


def at(line: int, character: int = 0) -> Range:
    return Range(Position(line, character), Position(line, character + 1))


def reported(file: str, line: int = 0, severity: Severity = Severity.WARNING) -> Reported:
    fixes = (
        ReportedFix("fix", "one", "k", (FileEdit("1", at(2, 3), "new"),)),
        ReportedFix("all", "all", "a", None),
    )
    notes = (Note("1", at(4), "see"),)
    return Reported(file, at(line), Excerpt("x", 0, 1), CODE, severity, "m", "p", notes, fixes, {})


def test_places_in_dumps_become_places_in_files() -> None:
    placed = reported("0", 5).placed([FilePlace("a.nir", 100), FilePlace("b.nir", 0)])
    assert (placed.file, placed.range) == ("a.nir", at(105))
    assert [(note.file, note.range) for note in placed.related] == [("b.nir", at(4))]
    first, second = placed.fixes
    assert first.edits == (FileEdit("b.nir", at(2, 3), "new"),)
    assert second.edits is None
    assert (placed.code, placed.excerpt, placed.message) == ("odd", Excerpt("x", 0, 1), "m")


def test_the_order_is_that_of_files_then_of_places_then_of_severity() -> None:
    error = reported("a", 3, Severity.ERROR)
    found = [reported("b", 1), reported("a", 3), error, reported("a", 2)]
    ordered = in_order(found, ["b", "a"])
    assert [(one.file, one.range.start.line) for one in ordered] == [("b", 1), ("a", 2), ("a", 3), ("a", 3)]
    assert ordered[2] is error
