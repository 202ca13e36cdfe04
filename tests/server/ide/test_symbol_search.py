"""Names that can be looked for."""

from __future__ import annotations

import pytest

from nirls.ir.model.stage import Stage
from nirls.server.ide.cursor.outline import outline
from nirls.server.ide.symbol_search import NameKind, dump_title, matches, names_of, slots_of

DUMP = """\
shader: MESA_SHADER_FRAGMENT
name: GLSL3
decl_var shader_in INTERP_MODE_NONE none vec4 größe (VARYING_SLOT_VAR0.xyzw, 0, 0)
decl_var ubo INTERP_MODE_NONE none block_t[2] gl_Block[0] (0, 0, 0) compact
decl_var uniform INTERP_MODE_NONE none float factor = { 1.0 }
decl_function main () (entrypoint)

impl main {
    decl_var  INTERP_MODE_NONE none int i
    block b0:
}
"""


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_names(newline: str) -> None:
    text = DUMP.replace("\n", newline).encode()
    found = list(names_of(text, outline(text)))
    assert [(name.text, name.kind) for name in found] == [
        ("FS GLSL3", NameKind.DUMP),
        ("main", NameKind.FUNCTION),
        ("größe", NameKind.VARIABLE),
        ("gl_Block[0]", NameKind.VARIABLE),
        ("factor", NameKind.VARIABLE),
        ("i", NameKind.VARIABLE),
    ]
    assert all(
        text[name.start : name.end].decode() == name.text for name in found if name.kind is NameKind.VARIABLE
    )


@pytest.mark.parametrize(
    ("declared", "title"), [("GENERIC0", "in GENERIC0"), ("GENERIC1", "in GENERIC1"), ("", "in 16")]
)
def test_numbers_of_attributes_are_named_where_the_dump_tells_the_numbering(
    declared: str, title: str
) -> None:
    variable = f"decl_var shader_in INTERP_MODE_NONE vec4 a (VERT_ATTRIB_{declared}.xyzw, 0, 0)\n"
    text = (
        f"shader: MESA_SHADER_VERTEX\n{variable if declared else ''}impl main {{\n\tblock block_0:\n"
        "\tvec4 32 ssa_1 = intrinsic load_input (ssa_0) (0, 0, 160, 144)"
        " /* base=0 */ /* component=0 */ /* dest_type=float32 */ /* location=16 slots=1 */\n}\n"
    ).encode()
    assert [slot.text for slot in slots_of(text, Stage.VERTEX)] == [title]


def test_titles() -> None:
    assert dump_title(outline(b"shader: MESA_SHADER_TESS_EVAL\n")) == "TES"
    assert dump_title(outline(b"no dump at all")) == "shader"


@pytest.mark.parametrize(
    ("name", "query", "expected"),
    [
        ("FS GLSL3", "", True),
        ("FS GLSL3", "glsl", True),
        ("FS GLSL3", "fsg", True),
        ("FS GLSL3", "glsl fs", True),
        ("FS GLSL3", "vs", False),
        ("texture_coord", "txc", True),
        ("texture_coord", "ctx", False),
    ],
)
def test_matching(name: str, query: str, expected: bool) -> None:
    assert matches(name, query) is expected


def test_names_of_values() -> None:
    text = DUMP.replace("    block b0:\n", "    block b0:\n    32x2   %2.mc.a = vec2 %0.t.w, %1\n").encode()
    (value,) = (name for name in names_of(text, outline(text)) if name.kind is NameKind.VALUE)
    assert (value.text, text[value.start : value.end]) == ("mc.a", b"mc.a")
