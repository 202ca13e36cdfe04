"""Which Mesa printed a dump."""

from __future__ import annotations

from pathlib import Path

import pytest

from nirls.ir.model.shader import Dialect
from nirls.ir.text.dumps import split_dumps
from nirls.ir.text.release import detect_dialect, estimated_release, intrinsic_of, printing_release


@pytest.mark.parametrize(
    ("text", "release"),
    [
        (b"shader: MESA_SHADER_VERTEX\nmax_subgroup_size: 128\nimpl main {\n    block b0:\n}\n", "26.2"),
        (b"shader: MESA_SHADER_VERTEX\nimpl main {\n    block b0:\n    32 %0 = undefined\n}\n", "25.0"),
        (
            b"shader: MESA_SHADER_VERTEX\nimpl main {\n\tblock block_0:\n"
            b"\tvec1 32 ssa_0 = load_const (0x00000000 = 0.000000)\n}\n",
            "22.3",
        ),
        (
            b"shader: MESA_SHADER_VERTEX\nimpl main {\n\tblock block_0:\n"
            b"\tvec1 32 ssa_0 = load_const (0x00000000 /* 0.000000 */)\n}\n",
            "20.3",
        ),
        (
            b"shader: MESA_SHADER_VERTEX\nimpl main {\n\tblock block_0:\n"
            b"\tvec1 32 ssa_0 = intrinsic load_var () (a) ()\n}\n",
            "18.1",
        ),
        (
            b"shader: MESA_SHADER_VERTEX\nimpl main {\n\tblock block_0:\n"
            b"\tvec1 ssa_0 = load_const (0x00000000 /* 0.000000 */)\n}\n",
            "11.2",
        ),
    ],
)
def test_releases(text: bytes, release: str) -> None:
    assert estimated_release(text) == release


@pytest.mark.parametrize(
    ("line", "phrase"),
    [
        (b"vec1 ssa_0 = load_const (0x00000000 /* 0.000000 */)", "Mesa before 12.0"),
        (b"vec1 32 ssa_0 = intrinsic load_var () (a) ()", "Mesa before 18.2"),
        (b"vec1 32 ssa_0 = load_const (0x00000000 /* 0.000000 */)", "Mesa before 22.0"),
        (b"vec1 32 ssa_0 = load_const (0x00000000 = 0.000000)", "Mesa 22.3, or a release near it"),
    ],
)
def test_phrases(line: bytes, phrase: str) -> None:
    assert (
        printing_release(b"shader: MESA_SHADER_VERTEX\nimpl main {\n\tblock block_0:\n\t%b\n}\n" % line)
        == phrase
    )


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


def test_the_form_of_the_era() -> None:
    now, then = (intrinsic_of("load_input", dialect) for dialect in (Dialect.MODERN, Dialect.CLASSIC))
    assert now is not None
    assert then is not None
    assert "range" in now.indices
    assert "range" not in then.indices


def test_a_word_of_another_era_has_its_newest_form() -> None:
    assert intrinsic_of("ddx", Dialect.OLD) == intrinsic_of("ddx", Dialect.MODERN) is not None
    assert intrinsic_of("nothing_of_the_kind", Dialect.MODERN) is None
