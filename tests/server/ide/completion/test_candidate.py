"""One thing that may be typed."""

from __future__ import annotations

import pytest

from nirls.server.ide.completion.candidate import Candidate, Kind
from nirls.server.lsp.features.completion import _KINDS


@pytest.mark.parametrize(
    ("candidate", "typed"),
    [
        (Candidate("fadd", Kind.OPCODE), "fadd"),
        (Candidate("io", Kind.INDEX, text="io location="), "io location="),
        (Candidate("if", Kind.KEYWORD, snippet="if ${1:condition}"), "if"),
        (Candidate("x", Kind.WORD, text="y", snippet="$0"), "y"),
    ],
)
def test_what_is_typed_has_no_holes(candidate: Candidate, typed: str) -> None:
    assert candidate.typed == typed


def test_editors_have_a_picture_for_each_kind() -> None:
    assert set(_KINDS) == {kind.value for kind in Kind}
