"""Renaming, by texts with a cursor."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from nirls.ir.text.edits import apply_edits
from nirls.ir.text.parse import parse_dump
from nirls.ir.text.printing import normalize
from nirls.server.engine.documents.dump_state import DumpState
from nirls.server.ide.cursor.entities import OpcodeEntity, entity_at
from nirls.server.ide.cursor.places import Places
from nirls.server.ide.rename import RenameError, can_rename, rename_edits

Marked = Callable[[bytes], tuple[DumpState, int]]

MODERN = b"""\
shader: MESA_SHADER_FRAGMENT
decl_var shader_in INTERP_MODE_NONE none vec4 color (VARYING_SLOT_VAR0.xyzw, 0, 0)
decl_var shader_in INTERP_MODE_NONE none vec4[2] lights (VARYING_SLOT_VAR1.xyzw, 1, 0)
decl_function paint (32 x)

decl_function main () (entrypoint)

impl paint {
    block b0:  // preds:, succs: b1
    block b1:
}

impl main {
    block b0:   // preds:
    32     %0 = load_const (0x00000001 = 0.000000)
    32     %1 = deref_var &lights (shader_in vec4[2])
    32     %2 = deref_array &(*%1)[%0] (shader_in vec4)  // &lights[%0]
    32x4   %3 = @load_deref (%2) (access=none)
    32     %4 = @load_input (%0 (0x1)) (base=0, component=0, dest_type=float32, io location=VARYING_SLOT_VAR0 slots=1)  // color
                call paint %0
                // succs: b1 b2
    if %4 {
        block b1:   // preds: b0
        32     %5 = mov %4
                    // succs: b3
    } else {
        block b2:  // preds: b0, succs: b3
    }
    block b3:   // preds: b1 b2
    32     %6 = phi b1: %5, b2: %4
                // succs: b4
    block b4:
}
"""  # noqa: E501
OLD = b"""\
shader: MESA_SHADER_VERTEX
decl_function main (0 params)

impl main {
\tdecl_reg vec4 32 r0
\tdecl_reg vec1 32 r1
\tblock block_0:
\t/* preds: */
\tvec1 32 ssa_0 = load_const (0x3f800000 /* 1.000000 */)
\tr0.x = fadd ssa_0, -r0.y
\t/* succs: block_1 */
\tblock block_1:
}
"""


def at(text: bytes, mark: bytes, inside: int = 1) -> bytes:
    place = text.index(mark) + inside
    return text[:place] + b"$0" + text[place:]


def renamed(marked: Marked, text: bytes, new_name: str) -> bytes:
    state, offset = marked(text)
    found = entity_at(state.shader, state.of_shader(Places), offset)
    assert found is not None
    assert can_rename(found[1])
    return apply_edits(state.text, rename_edits(state.shader, *found, new_name))


def changed_lines(before: bytes, after: bytes) -> list[str]:
    pairs = zip(before.splitlines(), after.splitlines(), strict=True)
    return [new.decode().strip() for old, new in pairs if old != new]


@pytest.mark.parametrize("name", ["%10", "10"])
def test_a_value(marked: Marked, name: str) -> None:
    after = renamed(marked, at(MODERN, b"%0 = load"), name)
    assert changed_lines(MODERN, after) == [
        "32    %10 = load_const (0x00000001 = 0.000000)",
        "32     %2 = deref_array &(*%1)[%10] (shader_in vec4)  // &lights[%10]",
        "32     %4 = @load_input (%10 (0x1)) (base=0, component=0, dest_type=float32, "
        "io location=VARYING_SLOT_VAR0 slots=1)  // color",
        "call paint %10",
    ]


NAMELESS_STRUCT = b"""\
shader: MESA_SHADER_COMPUTE
decl_var shared INTERP_MODE_NONE none  sh
decl_function main () (entrypoint)

impl main {
    block b0:  // preds:
    32    %0 = deref_var &sh (shared )
    32    %1 = deref_struct &%0->v (shared vec3[8])  // &sh.v
               // succs: b1
    block b1:
}
"""


@pytest.mark.parametrize("mark", [b" sh\n", b"&sh ("])
def test_a_variable_of_a_struct_without_a_name(marked: Marked, mark: bytes) -> None:
    after = renamed(marked, at(NAMELESS_STRUCT, mark), "mine")
    assert changed_lines(NAMELESS_STRUCT, after) == [
        "decl_var shared INTERP_MODE_NONE none  mine",
        "32    %0 = deref_var &mine (shared )",
        "32    %1 = deref_struct &%0->v (shared vec3[8])  // &mine.v",
    ]


NAMED = MODERN.replace(b"%4 =", b"%4.lit =").replace(b"%4\n", b"%4.lit\n").replace(b"%4 {", b"%4.lit {")


@pytest.mark.parametrize(
    ("new_name", "expected"),
    [(".tint", "%4.tint"), ("%4.a.b", "%4.a.b"), ("%14.x", "%14.x"), ("14", "%14.lit")],
)
def test_a_name_of_debug_information(marked: Marked, new_name: str, expected: str) -> None:
    after = renamed(marked, at(NAMED, b"%4.lit ="), new_name)
    assert [" ".join(line.split("= @")[0].split()) for line in changed_lines(NAMED, after)] == [
        f"32 {expected}",
        f"if {expected} {{",
        f"32 %5 = mov {expected}",
        f"32 %6 = phi b1: %5, b2: {expected}",
    ]
    assert not parse_dump(after).unreadable


def test_a_value_gets_a_name(marked: Marked) -> None:
    after = renamed(marked, at(MODERN, b"%5 = mov"), ".copy")
    assert changed_lines(MODERN, after) == ["32     %5.copy = mov %4", "32     %6 = phi b1: %5.copy, b2: %4"]


def test_a_block(marked: Marked) -> None:
    after = renamed(marked, at(MODERN, b"block b1:   ", 7), "b11")
    assert changed_lines(MODERN, after) == [
        "// succs: b11 b2",
        "block b11:  // preds: b0",
        "block b3:   // preds: b11 b2",
        "32     %6 = phi b11: %5, b2: %4",
    ]


def test_a_variable(marked: Marked) -> None:
    after = renamed(marked, at(MODERN, b"&lights (", 2), "lamps")
    assert changed_lines(MODERN, after) == [
        "decl_var shader_in INTERP_MODE_NONE none vec4[2] lamps (VARYING_SLOT_VAR1.xyzw, 1, 0)",
        "32     %1 = deref_var &lamps (shader_in vec4[2])",
        "32     %2 = deref_array &(*%1)[%0] (shader_in vec4)  // &lamps[%0]",
    ]
    after = renamed(marked, at(MODERN, b"vec4 color", 6), "tint")
    assert [line[-9:] for line in changed_lines(MODERN, after)] == ["yzw, 0, 0)"[-9:], ")  // tint"[-9:]]


def test_a_function(marked: Marked) -> None:
    after = renamed(marked, at(MODERN, b"call paint", 6), "shade")
    assert changed_lines(MODERN, after) == ["decl_function shade (32 x)", "impl shade {", "call shade %0"]


def test_a_register(marked: Marked) -> None:
    after = renamed(marked, at(OLD, b"r0.x ="), "r7")
    assert changed_lines(OLD, after) == ["decl_reg vec4 32 r7", "r7.x = fadd ssa_0, -r7.y"]


def test_an_old_value(marked: Marked) -> None:
    after = renamed(marked, at(OLD, b"ssa_0 ="), "ssa_12")
    assert changed_lines(OLD, after)[1] == "r0.x = fadd ssa_12, -r0.y"


@pytest.mark.parametrize(
    ("text", "name", "message"),
    [
        (at(MODERN, b"%0 = load"), "%4", "%4 is taken in main"),
        (at(MODERN, b"%0 = load"), "ssa_9", "A value is named % and a number"),
        (at(MODERN, b"%0 = load"), "", "A value is named"),
        (at(MODERN, b"%0 = load"), "%" + "9" * 50, "A value is named"),
        (at(MODERN.replace(b"%5 = mov", b"%0 = mov"), b"%0 = load"), "%9", "defined more than once"),
        (at(MODERN, b"block b1:   ", 7), "b2", "b2 is taken"),
        (at(MODERN, b"block b1:   ", 7), "here", "A block is named b and a number"),
        (at(MODERN, b"vec4 color", 6), "lights", "There is a variable lights already"),
        (at(MODERN, b"vec4 color", 6), "two words", "no name of a variable"),
        (at(MODERN, b"vec4 color", 6), "a(b", "no name of a variable"),
        (at(MODERN, b"call paint", 6), "main", "There is a function main already"),
        (at(MODERN, b"call paint", 6), "a b", "no name of a function"),
        (at(OLD, b"r0.x ="), "r1", "r1 is taken"),
        (at(OLD, b"r0.x ="), "ssa_5", "A register is named r and a number"),
    ],
)
def test_names_that_cannot_be_had(marked: Marked, text: bytes, name: str, message: str) -> None:
    with pytest.raises(RenameError, match=message):
        renamed(marked, text, name)


def test_the_same_name_changes_nothing(marked: Marked) -> None:
    for mark, name in ((b"%0 = load", "%0"), (b"&lights (", "lights"), (b"call paint", "paint")):
        text = at(MODERN, mark, 6 if mark.startswith(b"call") else 1 + mark.startswith(b"&"))
        assert renamed(marked, text, name) == MODERN


def test_an_opcode_has_no_name_of_its_own(marked: Marked) -> None:
    state, offset = marked(at(MODERN, b"mov %4"))
    found = entity_at(state.shader, state.of_shader(Places), offset)
    assert found is not None
    assert isinstance(found[1], OpcodeEntity)
    assert not can_rename(found[1])
    with pytest.raises(RenameError, match="Only values"):
        rename_edits(state.shader, *found, "fmov")


def test_values_and_blocks_of_real_dumps(corpus: Path) -> None:
    """The dump says the same as before, numbers left out."""
    for path in sorted(corpus.glob("pipelines/*/*/*.io.nir"))[::47]:
        text = path.read_bytes()
        shader = parse_dump(text)
        places, expected = Places(shader), normalize(shader)
        for mark in (b"%1", b"ssa_1", b" b1", b"block_1"):
            for start in range(0, len(text), max(len(text) // 3, 1)):
                offset = text.find(mark, start)
                found = entity_at(shader, places, offset + 2) if offset >= 0 else None
                if found is not None and can_rename(found[1]):
                    after = apply_edits(text, rename_edits(shader, *found, "77777"))
                    assert after != text
                    assert normalize(parse_dump(after)) == expected, (path, found[0])
