"""What is known of a dump's text: made when asked for, shared by content, and forgotten when it is large."""

from __future__ import annotations

import pytest

from nirls.ir.finding import Finding, Place, Severity
from nirls.server.engine.documents.dump_state import DumpState, DumpStore
from nirls.server.engine.documents.positions import Splice
from nirls.server.engine.timeline.dump_digest import DumpDigest
from nirls.server.ide.convergence import Convergence
from nirls.server.ide.cursor.outline import outline
from nirls.server.ide.cursor.places import Places

DUMP = """\
shader: MESA_SHADER_FRAGMENT
name: %s
decl_function main () (entrypoint)

impl main {
    block b0:   // preds:
    32     %%0 = load_const (0x3f800000 = 1.000000)
    32     %%1 = fadd %%0 (1.000000), %%0 (1.000000)
                // succs: b1
    block b1:
}
"""


def dump(name: str) -> bytes:
    return (DUMP % name).encode()


def nobody(_state: DumpState) -> None:
    """Keeps nothing."""


def edited(store: DumpStore, old: bytes, mark: bytes, new: bytes) -> tuple[DumpState, DumpState]:
    """The states before and after an edit, with the tree of the first made ahead of it."""
    start = old.index(mark)
    text = old[:start] + new + old[start + len(mark) :]
    before = store.state(old)
    assert before.tree.root_node.end_byte
    splice = Splice(start, start + len(mark), start + len(new))
    store.edited(old, text, splice)
    return before, store.state(text)


def test_what_is_known_is_made_once() -> None:
    state = DumpStore().state(dump("x"))
    assert state.tree is state.tree
    assert state.shader is state.shader
    assert state.of_shader(Places) is state.of_shader(Places)
    assert state.of_shader(Convergence) is state.of_shader(Convergence)
    assert state.of_text(outline) is state.of_text(outline)
    assert state.facts.name == "x"
    assert not state.has(DumpDigest)
    assert state.of_text(DumpDigest) is state.of_text(DumpDigest)
    assert state.has(DumpDigest)


def test_states_are_shared_by_content() -> None:
    store = DumpStore()
    assert store.state(dump("x")) is store.state(dump("x"))
    assert store.state(dump("x")) is not store.state(dump("y"))


def test_what_is_large_is_kept_of_the_dumps_looked_at_last() -> None:
    store = DumpStore(heavy_text=2000)
    states = [store.state(dump(f"n{number}")) for number in range(20)]
    shaders = [state.shader for state in states]
    outlines = [state.of_text(outline) for state in states]
    # Looking makes what is gone anew, and lets go of others: so from the last on, up to the first one gone.
    kept = 0
    while states[-1 - kept].shader is shaders[-1 - kept]:
        kept += 1
    assert 1 <= kept <= 2000 // len(dump("n1")) + 1
    assert all(state.of_text(outline) is known for state, known in zip(states, outlines, strict=True))


def test_nothing_is_dropped_while_it_is_kept() -> None:
    texts = [dump(name) for name in "abcd"]
    store = DumpStore(heavy_text=1)
    states = [store.state(text) for text in texts]
    with store.heavy_kept():
        with store.heavy_kept():
            shaders = [state.shader for state in states]
        assert [state.shader for state in states] == shaders
    assert [state.has_shader for state in states] == [False, False, True, True]


def test_one_dump_that_is_larger_than_all_that_may_be_kept() -> None:
    state = DumpStore(heavy_text=1).state(dump("x"))
    assert state.shader is state.shader


@pytest.mark.parametrize(
    ("mark", "new"),
    [
        (b"fadd", b"fsub"),
        (b"fadd", b"f"),
        (b"name: x", "name: 😀\r\n é".encode()),
        (b"}\n", b""),
        (b"shader: MESA_SHADER_FRAGMENT", b"shader: MESA_SHADER_VERTEX"),
        (b"    32     %1", b"    32     %7 = mov %0\n    32     %1"),
        (dump("x"), b""),
    ],
)
def test_a_tree_that_is_carried_over_an_edit_is_that_of_the_text(mark: bytes, new: bytes) -> None:
    _, after = edited(DumpStore(), dump("x"), mark, new)
    fresh = DumpState(after.text, nobody)
    assert str(after.tree.root_node) == str(fresh.tree.root_node)
    assert after.tree.root_node.end_byte == fresh.tree.root_node.end_byte
    ours, theirs = ([one.span for impl in s.shader.impls() for one in impl.instrs()] for s in (after, fresh))
    assert ours == theirs


def test_a_tree_is_carried_over_several_edits() -> None:
    store = DumpStore()
    _, middle = edited(store, dump("x"), b"fadd", b"fsub")
    _, after = edited(store, middle.text, b"%1", b"%9")
    assert str(after.tree.root_node) == str(DumpState(after.text, nobody).tree.root_node)


def test_an_edit_drops_the_ir_of_the_old_text() -> None:
    store = DumpStore()
    old = store.state(dump("x"))
    places = old.of_shader(Places)
    _, after = edited(store, old.text, b"fadd", b"fsub")
    assert old.of_shader(Places) is not places
    # Undo
    store.edited(after.text, old.text, Splice(old.text.index(b"fadd"), old.text.index(b"fadd") + 4, 4))
    assert [instr.def_ for instr in next(iter(old.shader.impls())).instrs()]


def test_the_ir_of_removed_texts_is_dropped() -> None:
    texts = [dump(str(number)) for number in range(3)]
    store = DumpStore()
    states = [store.state(text) for text in texts]
    assert all(state.shader.entrypoint is not None for state in states)
    with store.heavy_kept():
        store.removed(texts[:2])
        assert [state.has_shader for state in states] == [True, True, True]
    assert [state.has_shader for state in states] == [False, False, True]
    store.removed([b"never seen", texts[2]])
    assert not states[2].has_shader


def test_other_settings_of_the_checks_drop_problems() -> None:
    store = DumpStore()
    state = store.state(dump("x"))
    state.problems = (Finding("code", Severity.ERROR, Place(0, 0, 1), "message"),)
    store.drop_problems()
    assert state.problems is None


def test_results_that_refer_to_the_ir_go_with_it() -> None:
    state = DumpStore().state(dump("x"))
    places, keyed = state.of_shader(Places), state.cached("key", object)
    state.drop_heavy()
    assert state.of_shader(Places) is not places
    assert state.cached("key", object) is keyed


@pytest.mark.parametrize("text", [b"", b"\n", b"shader: ", b"\xff\xfe", "😀".encode()])
def test_texts_that_are_hardly_dumps(text: bytes) -> None:
    state = DumpStore().state(text)
    assert list(state.shader.impls()) == []
    assert state.of_text(outline).functions == () or state.of_text(outline).functions == []
    assert state.of_text(DumpDigest) is not None
