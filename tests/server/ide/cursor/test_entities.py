"""What the word under the cursor names."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from nirls.ir.model.control_flow import Block
from nirls.ir.model.values import Def
from nirls.server.ide.cursor.entities import entity_at, token_at
from nirls.server.ide.cursor.places import Places

if TYPE_CHECKING:
    from tests.server.ide.conftest import Marked

DUMP = """\
shader: MESA_SHADER_FRAGMENT
name: 😀 main
decl_var shader_in INTERP_MODE_NONE none vec4 größe (VARYING_SLOT_VAR0.xyzw, 0, 0)
decl_function main () (entrypoint)
decl_function other ()

impl main {
    block b0:   // preds:
    32     %0 = load_const (0x00000001)
    32     %1 = deref_var &größe (shader_in vec4)
    32x4   %2 = @load_deref (%1) (access=none)  // 😀 %0 b1
    1      %3 = flt %2.x, %0 (0x1)
                // succs: b1 b2
    if %3 {
        block b1:   // preds: b0
        call other
                    // succs: b3
    } else {
        block b2:   // preds: b0
                    // succs: b3
    }
    block b3:   // preds: b1 b2
    32     %4 = phi b1: %0, b2: %0
    32     %1 = fneg %1
                // succs: b4
    block b4:
}
""".encode()
CLASSIC = b"""\
shader: MESA_SHADER_VERTEX
decl_function main (0 params)

impl main {
\tdecl_reg vec4 32 r0
\tblock block_0:
\t/* preds: */
\tvec1 32 ssa_0 = load_const (0x00000000)
\tr0.x = mov ssa_0
\tvec1 32 ssa_1 = fneg r0.x
\tif ssa_0 {
\t\tblock block_1:
\t\t/* preds: block_0 */
\t\t/* succs: block_3 */
\t} else {
\t\tblock block_2:
\t\t/* preds: block_0 */
\t\t/* succs: block_3 */
\t}
\tblock block_3:
\t/* preds: block_1 block_2 */
\t/* succs: block_4 */
\tblock block_4:
}
"""


def named(marked: Marked, dump: bytes, mark: str, inside: int) -> str | None:
    """The kind and name of what is at a mark, some bytes in."""
    offset = dump.index(mark.encode()) + inside
    state, offset = marked(dump[:offset] + b"$0" + dump[offset:])
    found = entity_at(state.shader, state.of_shader(Places), offset)
    if found is None:
        return None
    token, entity = found
    assert token.start <= offset <= token.end
    assert state.text[token.start : token.end] == token.text
    name = getattr(entity, "name", None)
    return f"{type(entity).__name__} {getattr(entity, 'index', '') if name is None else name}".strip()


@pytest.mark.parametrize("ends", [b"\n", b"\r\n"])
@pytest.mark.parametrize(
    ("mark", "inside", "expected"),
    [
        ("shader: MESA", 2, "HeaderKeyEntity"),
        ("größe (VARYING", 0, "Variable größe"),
        ("VARYING_SLOT_VAR0", 4, "SlotEntity VARYING_SLOT_VAR0"),
        ("main () (entry", 1, "Function main"),
        ("impl main", 6, "Function main"),
        ("call other", 7, "Function other"),
        ("&größe", 1, "Variable größe"),
        ("&größe", 4, "Variable größe"),
        ("&größe", len("&größe".encode()), "Variable größe"),
        ("load_const", 3, "OpcodeEntity load_const"),
        ("deref_var", 3, "OpcodeEntity deref_var"),
        ("@load_deref", 0, "IntrinsicEntity load_deref"),
        ("access=none", 2, "IndexEntity access"),
        ("access=none", 8, "IndexEntity none"),
        ("flt %2", 1, "OpcodeEntity flt"),
        ("%2.x", 1, "Def 2"),
        ("%2.x", 2, "Def 2"),
        ("if %3", 4, "Def 3"),
        ("phi b1", 4, "Block 1"),
        ("b1: %0, b2", 5, "Def 0"),
        ("// preds: b1 b2", 11, "Block 1"),
        ("// preds: b1 b2", 14, "Block 2"),
        ("// succs: b1 b2", 11, "Block 1"),
        ("// succs: b1 b2", 15, "Block 2"),
        ("// succs: b4", 12, "Block 4"),
        # Nothing that is known by name.
        ("// succs: b4", 4, None),
        ("// 😀 %0 b1", 9, None),
        ("} else", 3, None),
        ("}\n", 1, None),
    ],
)
def test_words(marked: Marked, mark: str, inside: int, expected: str | None, ends: bytes) -> None:
    dump, mark = DUMP.replace(b"\n", ends), mark.replace("\n", ends.decode())
    assert named(marked, dump, mark, inside) == expected


@pytest.mark.parametrize(
    ("mark", "inside", "expected"),
    [
        ("ssa_0 = load", 0, "Def 0"),
        ("mov ssa_0", 9, "Def 0"),
        ("r0.x = mov", 1, "Register 0"),
        ("fneg r0", 6, "Register 0"),
        ("decl_reg vec4 32 r0", 19, "Register 0"),
        ("if ssa_0", 5, "Def 0"),
        ("succs: block_3", 9, "Block 3"),
        ("preds: block_1 block_2", 9, "Block 1"),
        ("preds: block_1 block_2", 22, "Block 2"),
        ("preds: */", 2, None),
    ],
)
def test_words_of_an_older_dialect(marked: Marked, mark: str, inside: int, expected: str | None) -> None:
    assert named(marked, CLASSIC, mark, inside) == expected


def test_a_number_that_is_defined_twice_means_the_nearest_role(marked: Marked) -> None:
    """`%1 = fneg %1`: the destination is the new value, the source the one that is read."""
    values = []
    for inside in (0, len("%1 = fneg ")):
        offset = DUMP.index(b"%1 = fneg %1") + inside
        state, offset = marked(DUMP[:offset] + b"$0" + DUMP[offset:])
        found = entity_at(state.shader, state.of_shader(Places), offset)
        assert found is not None
        values.append(found[1])
    destination, source = values
    assert isinstance(destination, Def)
    assert isinstance(source, Def)
    assert destination.instr is not None
    assert destination.instr.span is not None
    assert destination.instr.span.start > DUMP.index(b"phi")


@pytest.mark.parametrize("dump", [b"$0", b"\n$0", b"shader$0", b"$0shader: MESA_SHADER_FRAGMENT", b"impl $0"])
def test_hardly_a_dump(marked: Marked, dump: bytes) -> None:
    state, offset = marked(dump)
    assert entity_at(state.shader, state.of_shader(Places), offset) is None or b"shader" in dump


@pytest.mark.sweep
def test_far_into_a_line_of_a_megabyte(marked: Marked) -> None:
    line = b"    32 %9 = vec16 " + b"%0.x, " * 150_000 + b"%2.y$0\n"
    state, offset = marked(DUMP.replace(b"    1      %3", line + b"    1      %3"))
    token = token_at(state.of_shader(Places), state.text, offset)
    assert token is not None
    assert token.text == b"y"


@pytest.mark.parametrize("inside", [1, 6, 7, 8, 11, 14])
def test_a_name_of_several_words_is_one(marked: Marked, inside: int) -> None:
    name = b".lights[0].rgb"
    dump = DUMP.replace("größe".encode(), name)
    for mark in (b"vec4 ", b"&"):
        offset = dump.index(mark + name) + len(mark) + inside
        state, offset = marked(dump[:offset] + b"$0" + dump[offset:])
        found = entity_at(state.shader, state.of_shader(Places), offset)
        assert found is not None
        token, entity = found
        assert (token.text, getattr(entity, "name", None)) == (name, name.decode())


def test_edges_of_another_function_are_its_own(marked: Marked) -> None:
    """Block numbers begin anew in each function."""
    two = (
        DUMP + b"\nimpl other {\n    block b0:   // preds:\n                // succs: b1\n    block b1:\n}\n"
    )
    offset = two.rindex(b"succs: b1") + 8
    state, offset = marked(two[:offset] + b"$0" + two[offset:])
    found = entity_at(state.shader, state.of_shader(Places), offset)
    assert found is not None
    assert isinstance(found[1], Block)
    assert found[1].span is not None
    assert found[1].span.start > len(DUMP)
