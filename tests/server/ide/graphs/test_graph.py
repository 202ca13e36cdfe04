from __future__ import annotations

from nirls.ir.model.span import Span
from nirls.server.ide.graphs.graph import LONGEST_LINE, NodePlace, cut, place_of, texts_of


def test_places() -> None:
    assert place_of(None) is None
    assert place_of(Span(3, 9, 1), 2) == NodePlace(3, 9, 1, 2)


def test_long_lines_are_cut() -> None:
    assert cut("a  b\t c") == "a b c"
    assert len(cut("x" * 500)) == LONGEST_LINE


def test_many_lines_are_counted() -> None:
    assert texts_of(["a", "b"], 2) == ("a", "b")
    assert texts_of(["a", "b", "c", "d"], 3) == ("a", "b", "… 2 more")
