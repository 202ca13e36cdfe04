"""Rendered lines are values."""

from __future__ import annotations

from nirls.ir.model.shader import HeaderField
from nirls.ir.text.printing.lines import LineKind, RenderedLine


def test_lines_of_the_same_node_and_text_are_equal() -> None:
    field = HeaderField("name", "a")
    assert RenderedLine(LineKind.HEADER, field, "name: a") == RenderedLine(LineKind.HEADER, field, "name: a")
    assert len({kind.value for kind in LineKind}) == len(LineKind)
