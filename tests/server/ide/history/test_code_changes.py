"""Matched instructions of two snapshots."""

from __future__ import annotations

import pickle

from nirls.server.ide.history.code_changes import NEW, CodeChange, code_change
from tests.passes.shader_text import ONE, ZERO, shader_text, use

ID = "32    %2 = @load_vertex_id"
BEFORE = (ZERO, ONE, ID, "32    %3 = mov %2", "32    %4 = iadd %3, %1 (0x1)", use("%4"))


def change(before: tuple[str, ...], after: tuple[str, ...]) -> CodeChange:
    return code_change(shader_text("VERTEX", *before).encode(), shader_text("VERTEX", *after).encode())


def test_renumbering_is_no_change() -> None:
    found = change(BEFORE, tuple(line.replace("%4", "%9") for line in BEFORE))
    assert found.origins == tuple(range(6))
    assert not found.rewritten
    assert found.changed_lines == ((), ())
    assert found.after.values == (0, 1, 2, 3, 9, None)


def test_another_source_is_a_rewrite_and_the_copy_is_removed_in_favour_of_its_source() -> None:
    found = change(BEFORE, (ZERO, ONE, ID, "32    %3 = iadd %2, %1 (0x1)", use("%3")))
    assert found.origins == (0, 1, 2, 4, 5)
    assert found.rewritten == {3}
    assert found.replaced == {3: 2}
    assert found.before.lines[0] == 5
    assert found.changed_lines == ((8, 9), (8,))


def test_a_new_instruction_has_no_origin() -> None:
    found = change(BEFORE, (*BEFORE[:3], "32    %7 = @load_instance_id", *BEFORE[3:]))
    assert [found.after.values[index] for index, origin in enumerate(found.origins) if origin == NEW] == [7]


def test_a_change_survives_a_pickle() -> None:
    found = change(BEFORE, (ZERO, ONE, ID, use("%2")))
    copy = pickle.loads(pickle.dumps(found))
    assert (copy, copy.twins) == (found, found.twins)


IF = """shader: MESA_SHADER_VERTEX
decl_function main () (entrypoint)

impl main {
    block b0:  // preds:
    1     %0 = load_const (true)
    1     %1 = load_const (false)
               // succs: b1 b2
    if %0 (true) {
        block b1:  // preds: b0
        32    %2 = @load_vertex_id
        // succs: b3
    } else {
        block b2:  // preds: b0, succs: b3
    }
    block b3:  // preds: b1 b2, succs: b4
    block b4:
}
"""


def test_an_if_is_rewritten_with_its_condition() -> None:
    other = IF.replace("if %0 (true)", "if %1 (false)")
    found = code_change(IF.encode(), other.encode())
    assert found.after.lines == (5, 6, 8, 10)
    assert found.rewritten == {2}
    assert not code_change(IF.encode(), IF.encode()).rewritten
