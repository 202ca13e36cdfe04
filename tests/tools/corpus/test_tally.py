from __future__ import annotations

from io import StringIO

from rich.console import Console

from tools.corpus.tally import CaseTally


def test_tallies_add_up() -> None:
    one, other = CaseTally(), CaseTally()
    one.add("kept", "right")
    other.add("kept", "wrong", "file#1")
    other.add("values", "other", "file", times=3)
    one.merge(other)
    assert one.of("kept") == (1, 0, 1)
    assert one.of("values") == (0, 3, 0)
    assert one.noted("wrong") == ["kept: file#1"]
    assert one.noted("other", "values") == ["file"]


def test_only_a_wrong_case_makes_a_tally_wrong() -> None:
    tally = CaseTally()
    tally.add("kept", "right")
    tally.add("kept", "other", "unchecked")
    tally.add("kept", "wrong", times=0)
    assert tally.is_right
    tally.add("kept", "wrong")
    assert not tally.is_right


def test_rows_and_frequent_notes_are_printed() -> None:
    tally = CaseTally()
    for note in ("often", "rare", "often"):
        tally.add("runs", "other", note)
    console = Console(width=80, record=True, file=StringIO())
    tally.print(console, "title", most=1)
    text = console.export_text()
    assert "0.00%" in text
    assert "runs: other (2): often" in text
    assert "and 1 more" in text
    assert "rare" not in text
