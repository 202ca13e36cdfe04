"""Telling the eras of the printer apart."""

from __future__ import annotations

from pathlib import Path

import pytest

from nirls.ir.model.shader import Dialect
from nirls.ir.text.dumps import split_dumps
from nirls.ir.text.lowering.dialects import detect_dialect


@pytest.mark.parametrize(
    ("line", "dialect"),
    [
        (b"    32    %0 = load_const (0x00000000)", Dialect.MODERN),
        (b"    con block b0:  // preds:", Dialect.MODERN),
        (b"\tvec1 32 ssa_0 = load_const (0x3f800000 = 1.000000)", Dialect.CLASSIC),
        (b"\tvec1 32 con ssa_0 = intrinsic load_input (ssa_1) (base=0)", Dialect.CLASSIC),
        (
            b"\tdecl_reg vec4 32 r0\n\tvec1 32 ssa_0 = intrinsic load_deref (ssa_1) (access=0)",
            Dialect.CLASSIC,
        ),
        (b"\tvec1 32 ssa_0 = load_const (0x3f800000 /* 1.000000 */)", Dialect.OLD),
        (b"\tvec1 32 ssa_0 = intrinsic load_ubo (ssa_1, ssa_2) (0, 4) /* access=0 */", Dialect.OLD),
        (b"\tdecl_reg vec4 32 r0\n\tr0.x = fadd r0.y, ssa_1", Dialect.OLD),
        (b"\tvec1 32 ssa_0 = fadd ssa_1, ssa_2", Dialect.CLASSIC),
        (b"", Dialect.MODERN),
    ],
)
def test_one_line_tells(line: bytes, dialect: Dialect) -> None:
    assert detect_dialect(b"shader: MESA_SHADER_VERTEX\n" + line + b"\n") is dialect


def test_the_corpus_is_sorted_by_era(corpus: Path) -> None:
    folders = {
        Dialect.MODERN: "pipelines/*/modern/*",
        Dialect.CLASSIC: "pipelines/*/classic/*",
        Dialect.OLD: "old/*",
    }
    for dialect, pattern in folders.items():
        for path in corpus.glob(pattern):
            data = path.read_bytes()
            for item in split_dumps(data):
                assert detect_dialect(data[item.start : item.end]) is dialect, path
