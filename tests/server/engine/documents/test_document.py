"""Snapshots: an edited one is what a fresh open of the same text would be, and keeps what it can."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from nirls.ir.text.log_parts import dump_texts
from nirls.server.engine.documents import document
from nirls.server.engine.documents.document import Snapshot
from nirls.server.engine.documents.positions import Encoding, LineIndex

DUMP = b"""\
shader: MESA_SHADER_VERTEX
name: %s
decl_function main () (entrypoint)

impl main {
    block b0:   // preds:
    32     %%0 = load_const (0x00000001)
    block b1:
}
"""
VERTEX, FRAGMENT = DUMP % b"one", (DUMP % b"two").replace(b"VERTEX", b"FRAGMENT")
LOG = b"nir_opt_dce\n" + VERTEX + b"\nnir_opt_cse\n" + FRAGMENT + b"the end\n"

SNIPPETS = st.sampled_from(
    [
        b"",
        b"x",
        b"\n",
        b"\r\n",
        b"}\n",
        b"}",
        b"shader: MESA_SHADER_VERTEX\n",
        b"\nshader: MESA_SHADER_FRAGMENT",
        b"// nirls: pipeline p\n",
        b"// nirls: ",
        b"impl main {\n",
        b"decl_var shader_in vec4 a\n",
        b"    32 %9 = mov %0\n",
        b"error: no\n",
        b"log line\n",
        VERTEX,
        "é𝄞".encode(),
        DUMP[:60],
    ]
)
EDITS = st.lists(st.tuples(st.floats(0, 1), st.floats(0, 0.3), SNIPPETS), max_size=6)
DOCUMENTS = st.lists(SNIPPETS, max_size=8).map(b"".join)


def assert_like_a_fresh_one(snapshot: Snapshot, text: bytes) -> None:
    fresh = Snapshot.of(text)
    assert snapshot.text == text
    assert [(p.is_dump, p.text) for p in snapshot.pieces] == [(p.is_dump, p.text) for p in fresh.pieces]
    assert snapshot._byte_starts == fresh._byte_starts
    assert snapshot._line_starts == fresh._line_starts


# Time to draw documents is machine load, not a fault of the strategy.
@settings(suppress_health_check=[HealthCheck.too_slow])
@given(DOCUMENTS, EDITS)
@example(VERTEX + FRAGMENT, [(0.5, 0.0, b"// nirls: pipeline p\n")])
@example(LOG, [(0.0, 1.0, b"")])
@example(
    "\n# shader: MESA_SHADER_VERTEX\n# impl main {\n".replace("# ", "é𝄞").encode(),
    [(0.0, 0.0, "é𝄞".encode())],
)
def test_edits_give_what_a_fresh_open_gives(text: bytes, edits: list[tuple[float, float, bytes]]) -> None:
    snapshot = Snapshot.of(text)
    for place, part, new in edits:
        start = int(place * len(text))
        end = min(start + int(part * len(text)), len(text))
        text = text[:start] + new + text[end:]
        before = snapshot
        snapshot, edit = snapshot.replace(start, end, new)
        assert_like_a_fresh_one(snapshot, text)
        if edit is not None:
            assert edit.before in before.pieces
            assert edit.after.slot == edit.before.slot
        if edit is not None and edit.before.hidden is None and edit.after.hidden is None:
            old = edit.before.text
            assert edit.after.text == old[: edit.splice.start] + new + old[edit.splice.old_end :]


@given(DOCUMENTS, EDITS)
@example(LOG, [(0.99, 0.0, b"impl main {\n")])
def test_much_text_is_cut_into_pieces_that_change_nothing(
    text: bytes, edits: list[tuple[float, float, bytes]]
) -> None:
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(document, "TEXT_SIZE", 4)
        snapshot = Snapshot.of(text)
        for place, part, new in edits:
            start = int(place * len(text))
            end = min(start + int(part * len(text)), len(text))
            text = text[:start] + new + text[end:]
            snapshot, _ = snapshot.replace(start, end, new)
            assert snapshot.text == text
            assert [dump.piece.text for dump in snapshot.dumps()] == dump_texts(text)
            # All that is counted is what a snapshot of the same pieces counts.
            same = Snapshot(snapshot.pieces)
            assert snapshot._byte_starts == same._byte_starts
            assert snapshot._line_starts == same._line_starts
            assert snapshot.dump_indices == same.dump_indices


def test_an_edit_of_much_text_touches_one_piece_of_it() -> None:
    snapshot = Snapshot.of(LOG + b"some line of a log\n" * 20_000)
    texts = [piece.text for piece in snapshot.pieces if not piece.is_dump]
    assert max(map(len, texts)) <= 2 * document.TEXT_SIZE + 20
    for new in (b"x", b"\n", b"a line\nand a line\n"):
        before = snapshot
        snapshot, edit = snapshot.replace(200_000, 200_005, new)
        assert edit is None
        assert sum(one is not two for one, two in zip(before.pieces, snapshot.pieces, strict=True)) == 1


@given(st.lists(st.sampled_from([LOG, b"a\n", "é𝄞\n".encode(), b"\r\n", VERTEX, b"\r"]), max_size=5))
def test_positions_are_those_of_the_whole_text(parts: list[bytes]) -> None:
    text = b"".join(parts)
    snapshot, whole = Snapshot.of(text), LineIndex(text)
    assert snapshot.position(len(snapshot), Encoding.UTF16).line == len(whole.starts) - 1
    for offset in range(0, len(text) + 1, 7):
        position = whole.position(offset, Encoding.UTF16)
        assert snapshot.position(offset, Encoding.UTF16) == position
        assert snapshot.offset(*position, Encoding.UTF16) == whole.offset(*position, Encoding.UTF16)


def test_an_edit_keeps_the_pieces_it_does_not_touch() -> None:
    snapshot = Snapshot.of(LOG)
    place = LOG.index(b"load_const")
    after, edit = snapshot.replace(place, place + 4, b"LOAD")
    assert edit is not None
    assert [old is new for old, new in zip(snapshot.pieces, after.pieces, strict=True)] == [
        True, False, True, True, True,
    ]  # fmt: skip


def test_a_dump_is_found_at_its_offsets() -> None:
    snapshot = Snapshot.of(LOG)
    dump = snapshot.dump_at(LOG.index(b"name: two"))
    assert dump is not None
    assert (dump.number, dump.piece.text) == (1, FRAGMENT)
    assert snapshot.dump_at(3) is None
    assert [dump.number for dump in snapshot.dumps_in_lines(0, 3)] == [0]


@pytest.mark.parametrize("text", [b"", b"\0\xff\xfe", b"\n", b"shader: MESA_SHADER_VERTEX"])
def test_odd_texts(text: bytes) -> None:
    snapshot = Snapshot.of(text)
    assert_like_a_fresh_one(snapshot, text)
    assert snapshot.offset(99, 99, Encoding.UTF16) == len(text)
    emptied, _ = snapshot.replace(0, len(text), b"")
    assert_like_a_fresh_one(emptied, b"")


def test_a_real_log_is_cut_as_the_dumps_are(corpus: Path) -> None:
    text = (corpus / "logs" / "every_pass_small.log").read_bytes()
    snapshot = Snapshot.of(text)
    assert [dump.piece.text for dump in snapshot.dumps()] == dump_texts(text)
    assert snapshot.text == text
