"""Markdown and plain text."""

from __future__ import annotations

from nirls.server.lsp.features.markup import markup

TEXT = "```nir\nfadd(float)\n```\n\n**Sum** of `two`."


def test_marks_are_left_out_for_who_does_not_show_them() -> None:
    assert markup(TEXT, as_markdown=True) == {"kind": "markdown", "value": TEXT}
    plain = markup(TEXT, as_markdown=False)
    assert plain == {"kind": "plaintext", "value": "fadd(float)\n\nSum of two."}
