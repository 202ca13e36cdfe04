"""Definitions and references, by texts with a cursor."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from nirls.server.engine.documents.dump_state import DumpState
from nirls.server.ide.cursor.entities import entity_at
from nirls.server.ide.cursor.places import Places
from nirls.server.ide.navigation import Role, definitions, occurrences

Marked = Callable[[bytes], tuple[DumpState, int]]

MODERN = b"""\
shader: MESA_SHADER_FRAGMENT
decl_var shader_in INTERP_MODE_NONE none vec4 color (VARYING_SLOT_VAR0.xyzw, 0, 0)
decl_function helper (1 params)

decl_function main () (entrypoint)

impl helper {
    block b0:   // preds:
    32     %0 = load_const (0x00000005)
                // succs: b1
    block b1:
}

impl main {
    block b0:   // preds:
    32     %0 = load_const (0x00000001 = 0.000000)
    32     %1 = deref_var &color (shader_in vec4)  // %0 color
    32x4   %2 = @load_deref (%1) (access=none)
    1      %3 = flt %2.x, %0 (0.000000)
                // succs: b1 b2
    if %3 {
        block b1:   // preds: b0
        32x4   %4 = fadd %2, %2
                    // succs: b3
    } else {
        block b2:   // preds: b0, succs: b3
    }
    block b3:   // preds: b1 b2
    32x4   %5 = phi b1: %4, b2: %2
                // succs: b4
    block b4:
}
"""

OLD = b"""\
shader: MESA_SHADER_FRAGMENT
decl_function main (0 params)

impl main {
\tdecl_reg vec4 32 r0
\tblock block_0:
\t/* preds: */
\tvec1 32 ssa_0 = load_const (0x3f800000 /* 1.000000 */)
\tr0.x = fadd ssa_0, ssa_0
\tvec1 32 ssa_1 = fmul r0.x, -ssa_0
\t/* succs: block_1 */
\tblock block_1:
}
"""


def at(text: bytes, mark: bytes, inside: int = 0, nth: int = 1) -> bytes:
    """The text with the cursor in the nth `mark`."""
    place = -1
    for _ in range(nth):
        place = text.index(mark, place + 1)
    place += inside
    return text[:place] + b"$0" + text[place:]


def shown(state: DumpState, offset: int) -> list[tuple[int, str, str]]:
    """Line, text and role of every place of what the cursor is on."""
    found = entity_at(state.shader, state.of_shader(Places), offset)
    if found is None:
        return []
    return [
        (
            state.text.count(b"\n", 0, place.start),
            state.text[place.start : place.end].decode(),
            place.role.value,
        )
        for place in occurrences(state.shader, *found)
    ]


@pytest.mark.parametrize(
    "cursor", [at(MODERN, b"%2 = @load", 1), at(MODERN, b"%2.x", 2), at(MODERN, b"b2: %2", 4)]
)
def test_a_value_has_its_definition_and_all_uses(marked: Marked, cursor: bytes) -> None:
    assert shown(*marked(cursor)) == [
        (17, "%2", "definition"),
        (18, "%2", "read"),
        (22, "%2", "read"),
        (22, "%2", "read"),
        (28, "%2", "read"),
    ]


def test_values_of_one_number_in_two_functions_are_two_values(marked: Marked) -> None:
    first = shown(*marked(at(MODERN, b"%0", 1, nth=1)))
    assert first == [(8, "%0", "definition")]
    assert shown(*marked(at(MODERN, b"%0 (0.0", 1))) == [(15, "%0", "definition"), (18, "%0", "read")]


def test_a_condition_is_a_use(marked: Marked) -> None:
    assert shown(*marked(at(MODERN, b"if %3", 4))) == [(18, "%3", "definition"), (20, "%3", "read")]


def test_numbers_in_comments_are_nothing(marked: Marked) -> None:
    assert shown(*marked(at(MODERN, b"// %0 color", 4))) == []


@pytest.mark.parametrize(
    "cursor", [at(MODERN, b"phi b1", 5), at(MODERN, b"block b1", 7, nth=2), at(MODERN, b"preds: b1 b2", 8)]
)
def test_blocks_stand_in_phis_and_comments(marked: Marked, cursor: bytes) -> None:
    assert shown(*marked(cursor)) == [
        (19, "b1", "read"),
        (21, "b1", "definition"),
        (27, "b1", "read"),
        (28, "b1", "read"),
    ]


@pytest.mark.parametrize("cursor", [at(MODERN, b"&color", 3), at(MODERN, b"vec4 color", 6)])
def test_a_variable_has_its_declaration_and_derefs(marked: Marked, cursor: bytes) -> None:
    assert shown(*marked(cursor)) == [(1, "color", "definition"), (16, "color", "read")]


def test_a_register_is_defined_where_it_is_declared_and_written(marked: Marked) -> None:
    state, offset = marked(at(OLD, b"r0.x, -", 1))
    assert shown(state, offset) == [(4, "r0", "definition"), (8, "r0", "write"), (9, "r0", "read")]
    found = entity_at(state.shader, state.of_shader(Places), offset)
    assert found is not None
    assert [place.role for place in definitions(state.shader, *found)] == [Role.DEFINITION, Role.WRITE]


def test_a_source_with_a_modifier_is_found(marked: Marked) -> None:
    assert [line for line, _, _ in shown(*marked(at(OLD, b"-ssa_0", 3)))] == [7, 8, 8, 9]


def test_an_instruction_that_reads_its_own_number(marked: Marked) -> None:
    text = MODERN.replace(b"%4 = fadd %2, %2", b"%4 = fadd %4, %2")
    definition = shown(*marked(at(text, b"%4 = fadd", 1)))
    assert definition[0] == (22, "%4", "definition")


def test_a_number_defined_twice_keeps_the_two_apart(marked: Marked) -> None:
    text = MODERN.replace(b"32x4   %5 = phi", b"32x4   %4 = phi")
    state, offset = marked(at(text, b"%4 = fadd", 1))
    assert (28, "%4", "definition") not in shown(state, offset)


def test_every_offset_of_a_dump_can_be_asked_about(marked: Marked) -> None:
    for text in (MODERN, OLD):
        state, _ = marked(text + b"$0")
        found = [shown(state, offset) for offset in range(len(text) + 1)]
        last = text.count(b"\n")
        assert all(0 <= line <= last for places in found for line, _, _ in places)
        assert any(found)


STORES = "".join(
    f"    @store_output (%{value}, %0) (base={base}, wrmask=x, component=0, src_type=float32,"
    " io location=VARYING_SLOT_POS slots=1)\n"
    for value, base in ((1, 0), (0, 1), (1, 2), (0, 1))
)
BY_OFFSET = f"""\
shader: MESA_SHADER_VERTEX
decl_function main () (entrypoint)

impl main {{
    block b0:   // preds:
    32     %0 = load_const (0x00000000)
    32     %1 = load_const (0x3f800000)
{STORES}                // succs: b1
    block b1:
}}
""".encode()


@pytest.mark.parametrize(("word", "nth"), [(b"VARYING_SLOT_POS", 2), (b"base=1", 1)])
def test_what_is_at_one_offset_of_the_hardware_belongs_together(
    marked: Marked, word: bytes, nth: int
) -> None:
    found = shown(*marked(at(BY_OFFSET, word, 1, nth)))
    assert found == [(8, "base=1", "write"), (10, "base=1", "write")]
