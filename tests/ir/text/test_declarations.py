"""Declarations of a dump, told from the text."""

from __future__ import annotations

import pytest

from nirls.ir.text.declarations import declarations, declared_word, name_or_type, variables

DUMP = b"""shader: MESA_SHADER_VERTEX
decl_var shader_out INTERP_MODE_NONE none vec4[2] v_color (VARYING_SLOT_VAR0.xyzw, 0, 0) compact
decl_var ubo INTERP_MODE_NONE none gl_DefaultUniformBlock  (0, 0, 0)
decl_var shared INTERP_MODE_NONE none uint s
decl_var uniform INTERP_MODE_NONE none float scale = 1.0
decl_function main () (entrypoint)
decl_function mix (0 params)

impl main {
    decl_var  INTERP_MODE_NONE none vec4 (skin[0])#24
    decl_reg vec4 32 r0[4]
    32 %1 = decl_reg () (num_components=1)
}
"""


def test_names_of_all_kinds() -> None:
    found = [(match["kind"].decode(), match["name"].decode()) for match in declarations(DUMP)]
    assert found == [
        ("var", "v_color"),
        ("var", ""),
        ("var", "s"),
        ("var", "scale"),
        ("function", "main"),
        ("function", "mix"),
        ("var", "(skin[0])#24"),
        ("reg", "r0[4]"),
    ]


def test_parts_of_a_declaration() -> None:
    first = next(variables(DUMP))
    assert first["words"].split()[-1] == b"vec4[2]"
    assert first["inside"] == b"VARYING_SLOT_VAR0.xyzw, 0, 0"
    mix = next(match for match in declarations(DUMP) if match["name"] == b"mix")
    assert (mix["inside"], mix["rest"]) == (b"0 params", b" (0 params)")


def test_declarations_in_a_part_of_a_dump() -> None:
    assert [match["name"] for match in variables(DUMP, DUMP.index(b"impl"))] == [b"(skin[0])#24"]


def test_a_block_without_a_name_is_called_by_its_type() -> None:
    spans = [name_or_type(match) for match in variables(DUMP)]
    assert [DUMP[start:end].decode() for start, end in spans][1:3] == ["gl_DefaultUniformBlock", "s"]


@pytest.mark.parametrize(
    ("line", "word"),
    [
        (b"decl_var shader_out vec4 v_color", b"VARYING_SLOT_VAR0.xyzw"),
        (b"decl_var ubo", b"gl_DefaultUniformBlock"),
        (b"decl_var shared", b"s"),
        (b"decl_function mix", b"mix"),
    ],
)
def test_the_word_that_names_a_declaration(line: bytes, word: bytes) -> None:
    start = DUMP.index(b" ".join(line.split()[:2]))
    span = declared_word(DUMP, start, DUMP.index(b"\n", start))
    assert span is not None
    assert DUMP[slice(*span)] == word


def test_no_word_elsewhere() -> None:
    assert declared_word(DUMP, 0, len(DUMP)) is None
