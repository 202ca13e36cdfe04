"""The structure of a dump, told from the beginnings of its lines."""

import pytest

from nirls.ir.text.structure import SCOPE_LINE, STRUCTURE_LINE, header_end, header_fields, shader_line

DUMP = b"""// nirls: pipeline a
shader: MESA_SHADER_VERTEX
name: x: y
source_blake3: {0x1}
inputs_read: 0,2
struct S {
  vec4 a;
}
decl_function main () (entrypoint)

impl main {
    con block b0:  // preds:
    div 32x4  %1.pos = load_const (0x0)
    if %1 { // flatten
        block b1:
        break
    } else {
    }
    div loop {
    }
    block b3:
name: no header
}
"""
OLDER = b"impl f {\n\tblock block_0:\n\tvec4 32 con ssa_2.v = mov ssa_1\n\tvec1 ssa_3 = fmov ssa_2\n}\n"


def groups(pattern: object, text: bytes) -> list[str]:
    found = []
    for match in pattern.finditer(text):  # type: ignore[attr-defined]
        named = [name for name, value in match.groupdict().items() if value is not None]
        found.append(named[0])
    return found


def test_fields_of_the_header() -> None:
    assert header_fields(DUMP) == {
        "shader": "MESA_SHADER_VERTEX",
        "name": "x: y",
        "source_blake3": "{0x1}",
        "inputs_read": "0,2",
    }
    assert DUMP[header_end(DUMP) :].startswith(b"struct S")
    assert header_fields(OLDER) == {}
    assert header_fields(b"") == {}


def test_shader_line() -> None:
    assert shader_line(OLDER) is None
    start, end = shader_line(DUMP) or (0, 0)
    assert DUMP[start:end] == b"shader: MESA_SHADER_VERTEX"


def test_lines_of_the_structure() -> None:
    lines = ["impl", "block", "if", "block", "middle", "close", "loop", "close", "block", "close"]
    assert groups(STRUCTURE_LINE, DUMP) == [
        "close",
        *lines,
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            DUMP[DUMP.index(b"impl") :],
            ["block", "bits", "if", "block", "jump", "middle", "close", "loop", "close", "block", "close"],
        ),
        (OLDER, ["block", "older_width", "older_width", "close"]),
    ],
)
def test_lines_of_a_scope(text: bytes, expected: list[str]) -> None:
    assert groups(SCOPE_LINE, text) == expected
