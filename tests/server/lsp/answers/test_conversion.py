"""Plain data as types of LSP."""

from __future__ import annotations

from lsprotocol import types

from nirls.server.engine.documents.positions import Position, Range
from nirls.server.lsp.answers.conversion import lsp_range, markup

TEXT = "```nir\nfadd(float)\n```\n\n**Sum** of `two`."


def test_marks_are_left_out_for_who_does_not_show_them() -> None:
    assert markup(TEXT, as_markdown=True) == types.MarkupContent(types.MarkupKind.Markdown, TEXT)
    plain = markup(TEXT, as_markdown=False)
    assert plain == types.MarkupContent(types.MarkupKind.PlainText, "fadd(float)\n\nSum of two.")


def test_a_range_keeps_lines_and_characters() -> None:
    found = lsp_range(Range(Position(1, 2), Position(3, 4)))
    assert found == types.Range(types.Position(1, 2), types.Position(3, 4))
