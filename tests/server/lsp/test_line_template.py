"""JSON text with open lines."""

from __future__ import annotations

import json

from nirls.server.lsp.line_template import LineTemplate, line_mark


def test_lines_are_filled_in_by_dump() -> None:
    value = {"line": line_mark(0, 3), "character": 7, "other": {"line": line_mark(1, 4)}}
    template = LineTemplate.of([value, {"line": line_mark(0, 0)}])
    for first in ([0, 0], [10, 200]):
        one, two = json.loads(f"[{template.filled(first)}]")
        assert one == {"line": first[0] + 3, "character": 7, "other": {"line": first[1] + 4}}
        assert two == {"line": first[0]}


def test_text_that_looks_like_lines_is_left_alone() -> None:
    value = {"message": '"line":"0:3"', "line": "0:3", "quoted": f'\\"{line_mark(0, 3)}\\"x'}
    assert json.loads(LineTemplate.of([value]).filled([5])) == value


def test_nothing_is_nothing() -> None:
    assert LineTemplate.of([]).filled([]) == ""
