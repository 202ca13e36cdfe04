"""The release of a dump, by its habits."""

import pytest

from nirls.ir.text.release import estimated_release, printing_release


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
