"""A whole dump in printed order."""

from __future__ import annotations

from pathlib import Path

import pytest

from nirls.ir.text.edits import apply_edits
from nirls.ir.text.parse import parse_dump
from nirls.ir.text.printing import normalize
from nirls.server.ide.renumbering import NotNumberedError, renumbering_edits

DUMP = b"""\
shader: MESA_SHADER_VERTEX
// a remark of its own
impl main {
    block b4:   // preds:
    32    %17 = load_const (0x00000001)   // five more than %12
    32    %12 = iadd %17 (0x1), %99
                // succs: b7
    block b7:
}
"""


def renumbered(text: bytes) -> bytes:
    return apply_edits(text, renumbering_edits(parse_dump(text)))


def test_everything_else_stays() -> None:
    assert (
        renumbered(DUMP)
        == b"""\
shader: MESA_SHADER_VERTEX
// a remark of its own
impl main {
    block b0:   // preds:
    32     %0 = load_const (0x00000001)   // five more than %1
    32     %1 = iadd %0 (0x1), %2
                // succs: b1
    block b1:
}
"""
    )


def test_numbers_defined_twice_mean_nothing() -> None:
    with pytest.raises(NotNumberedError, match="number 17 twice"):
        renumbering_edits(parse_dump(DUMP.replace(b"%12 = iadd", b"%17 = iadd")))
    with pytest.raises(NotNumberedError, match="two blocks of the number 4"):
        renumbering_edits(parse_dump(DUMP.replace(b"block b7", b"block b4")))


def test_it_is_what_printing_anew_gives(corpus: Path) -> None:
    for path in sorted(corpus.glob("pipelines/*/*/*.nir"))[::83] + sorted(corpus.glob("old/*")):
        text = path.read_bytes()
        shader = parse_dump(text)
        after = parse_dump(renumbered(text))
        assert normalize(after) == normalize(shader), path
        assert renumbering_edits(after) == []
