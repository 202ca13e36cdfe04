"""New numbers in the text of a function."""

from __future__ import annotations

from pathlib import Path

import pytest

from nirls.ir.text.edits import apply_edits
from nirls.ir.text.parse import parse_dump
from nirls.ir.text.printing import normalize
from nirls.server.ide.history.numbering import NotNumberedError, Numbers, number_edits, renumbering_edits

MODERN = b"""\
impl main {
    block b1:    // preds:
    32      %5 = deref_var &b2 (shader_in vec4)
    32x4   %12 = deref_array &(*%5)[%7] (shader_in vec4)  // &b2[%7]
    con 32 %50 = phi b1: %5, b2: %12  // b2 of %5
                 // succs: b2
    block b2:  // preds: b1, succs: b3
    goto b1
}
"""
CLASSIC = b"""\
\tdecl_var INTERP_MODE_NONE int ssa_5
\tblock block_1:
\t/* preds: block_0 */
\tvec1 32 ssa_5 = deref_var &ssa_5 (function_temp int)
\tvec4 32 ssa_6 = deref_struct &ssa_5->a (ubo vec4) /* &ssa_5->a */
\t/* succs: block_2 */
"""


@pytest.mark.parametrize(
    ("numbers", "line", "expected"),
    [
        (Numbers({5: 3}), 2, b"    32      %3 = deref_var &b2 (shader_in vec4)"),
        (Numbers({5: 123}), 2, b"    32    %123 = deref_var &b2 (shader_in vec4)"),
        (Numbers({5: 12345678}), 2, b"    32 %12345678 = deref_var &b2 (shader_in vec4)"),
        (Numbers({12: 3}), 3, b"    32x4    %3 = deref_array &(*%5)[%7] (shader_in vec4)  // &b2[%7]"),
        (Numbers({7: 8}), 3, b"    32x4   %12 = deref_array &(*%5)[%8] (shader_in vec4)  // &b2[%8]"),
        (Numbers({5: 1, 12: 2}), 4, b"    con 32 %50 = phi b1: %1, b2: %2  // b2 of %1"),
        (Numbers({}, {2: 9}), 4, b"    con 32 %50 = phi b1: %5, b9: %12  // b2 of %5"),
        (Numbers({}, {2: 9}), 2, b"    32      %5 = deref_var &b2 (shader_in vec4)"),
        (Numbers({}, {2: 9}), 5, b"                 // succs: b9"),
        (Numbers({}, {1: 10}), 1, b"    block b10:   // preds:"),
        (Numbers({}, {1: 10, 2: 3}), 6, b"    block b3:  // preds: b10, succs: b3"),
        (Numbers({}, {1: 10}), 7, b"    goto b10"),
    ],
)
def test_modern(numbers: Numbers, line: int, expected: bytes) -> None:
    text = apply_edits(MODERN, number_edits(MODERN, 0, len(MODERN), numbers))
    assert text.splitlines()[line] == expected


def test_classic() -> None:
    numbers = Numbers({5: 70, 6: 5}, {0: 4, 1: 0, 2: 1})
    assert (
        apply_edits(CLASSIC, number_edits(CLASSIC, 0, len(CLASSIC), numbers))
        == b"""\
\tdecl_var INTERP_MODE_NONE int ssa_5
\tblock block_0:
\t/* preds: block_4 */
\tvec1 32 ssa_70 = deref_var &ssa_5 (function_temp int)
\tvec4 32 ssa_5 = deref_struct &ssa_70->a (ubo vec4) /* &ssa_70->a */
\t/* succs: block_1 */
"""
    )


def test_only_the_bytes_asked_for() -> None:
    start = MODERN.index(b"    con 32")
    edits = number_edits(MODERN, start, len(MODERN), Numbers({5: 1}))
    assert edits
    assert all(edit.start >= start for edit in edits)


def test_numbers_without_end_stay() -> None:
    text = b"    32  %" + b"9" * 5000 + b" = undefined\n"
    assert number_edits(text, 0, len(text), Numbers({9: 1})) == []


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
