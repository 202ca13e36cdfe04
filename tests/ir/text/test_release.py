"""The release of a dump, by its habits."""

import pytest

from nirls.ir.text.release import estimated_release


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
    ],
)
def test_releases(text: bytes, release: str) -> None:
    assert estimated_release(text) == release
