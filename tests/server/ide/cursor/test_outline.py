"""Outlines of dumps, whole, cut off and deeply nested."""

from __future__ import annotations

from pathlib import Path

import pytest

from nirls.ir.text.dumps import split_dumps
from nirls.server.ide.cursor.outline import outline

DUMP = b"""\
shader: MESA_SHADER_FRAGMENT
name: water
inputs_read: 32
decl_var shader_in INTERP_MODE_NONE none float a (VARYING_SLOT_VAR0.x, 0, 0)
decl_function main () (entrypoint)

impl main {
    con block b0:   // preds:
    32     %0 = load_const (0x00000001)
                // succs: b1 b2
    if %0 {
        block b1:   // preds: b0
        32     %1 = load_const (0x00000002)
                    // succs: b3
    } else {
        block b2:   // preds: b0, succs: b3
    }
    block b3:   // preds: b1 b2, succs: b4
    block b4:
}
"""


def lines(text: bytes, start: int, end: int) -> tuple[int, int]:
    return text.count(b"\n", 0, start), text.count(b"\n", 0, end)


def test_functions_blocks_and_folds() -> None:
    shape = outline(DUMP)
    assert (shape.stage, shape.name) == ("FRAGMENT", "water")
    (main,) = shape.functions
    assert main.name == "main"
    assert lines(DUMP, main.start, main.end) == (6, 19)
    assert [(b.name, lines(DUMP, b.start, b.end)) for b in main.blocks] == [
        ("b0", (7, 9)),
        ("b1", (11, 13)),
        ("b2", (15, 15)),
        ("b3", (17, 17)),
        ("b4", (18, 18)),
    ]
    assert DUMP[main.blocks[0].start : main.blocks[0].label_end] == b"con block b0"
    assert [lines(DUMP, fold.start, fold.end) for fold in shape.folds] == [
        (0, 19),
        (1, 2),
        (6, 18),
        (7, 9),
        (10, 13),
        (11, 13),
        (14, 15),
    ]


def test_a_dump_cut_in_the_middle_keeps_what_is_there() -> None:
    cut = DUMP[: DUMP.index(b"    } else")]
    (main,) = outline(cut).functions
    assert [block.name for block in main.blocks] == ["b0", "b1"]
    assert lines(cut, main.start, main.end)[0] == 6


def test_every_prefix_has_an_outline() -> None:
    for end in range(len(DUMP)):
        for fold in outline(DUMP[:end]).folds:
            assert 0 <= fold.start < fold.end <= end


@pytest.mark.sweep
def test_nesting_of_any_depth() -> None:
    depth = 100_000
    text = b"impl main {\n" + b"if %0 {\nblock b1:\n" * depth + b"}\n" * depth + b"}\n"
    shape = outline(text)
    assert len(shape.functions[0].blocks) == depth
    assert len(shape.folds) == depth + 2


def test_all_blocks_of_real_dumps_are_found(corpus: Path) -> None:
    text = (corpus / "logs" / "every_pass_small.log").read_bytes()
    for dump in split_dumps(text):
        piece = text[dump.start : dump.end]
        found = [block for function in outline(piece).functions for block in function.blocks]
        assert len(found) == piece.count(b"block b")
