"""Snapshots of logs with prefixes: positions, and edits of what stands behind them."""

import pytest

from nirls.server.engine.documents.document import Snapshot
from nirls.server.engine.documents.positions import Encoding, Position, Range

DUMP = b"""shader: MESA_SHADER_FRAGMENT
name: GLSL3
decl_function main () (entrypoint)

impl main {
    block b0:   // preds:
    32     %0 = load_const (0x00000000)
                // succs: b1
    block b1:
}
"""
PREFIX = b"MESA: info: "
UTF8 = Encoding.UTF8


def behind(text: bytes) -> bytes:
    return b"".join(PREFIX + line for line in text.splitlines(keepends=True))


LOG = b"start\n" + behind(DUMP) + behind(b"NIR after opt:\n") + behind(DUMP.replace(b"%0", b"%1"))
LINE = 7  # of the first load_const


def test_dumps_are_without_prefixes_and_positions_behind_them() -> None:
    snapshot = Snapshot.of(LOG)
    first, second = snapshot.dumps()
    assert (first.piece.text, second.piece.text) == (DUMP, DUMP.replace(b"%0", b"%1"))
    assert snapshot.text == LOG
    place = DUMP.index(b"%0")
    column = len(PREFIX) + 11
    assert first.range(place, place + 2, UTF8) == Range(Position(LINE, column), Position(LINE, column + 2))
    assert snapshot.offset(LINE, column, UTF8) - first.start == place
    assert snapshot.position(first.start + place, UTF8) == Position(LINE, column)


def test_an_edit_of_new_lines_gets_prefixes() -> None:
    (first, _) = Snapshot.of(LOG).dumps()
    place = DUMP.index(b"    32 ")
    range_, text = first.edit(place, place, "    32 %5 = undefined\n", UTF8)
    assert range_ == Range(Position(LINE, 0), Position(LINE, 0))
    assert text == "MESA: info:     32 %5 = undefined\n"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b"%0 = load", b"%7 = load"),  # behind the prefix
        (b"info:     32     %0", b"infos:     32     %0"),  # within it
        (b"    block b1:\n", b"    block b1:\nMESA: info: // more\n"),
        (b"load_const (0x00000000)\n", b"load_const (0x00000000)"),
        (b"MESA: info: shader: MESA_SHADER_FRAGMENT\n", b""),
    ],
)
def test_an_edit_gives_what_opening_the_text_gives(old: bytes, new: bytes) -> None:
    start = LOG.index(old)
    edited, _ = Snapshot.of(LOG).replace(start, start + len(old), new)
    again = Snapshot.of(LOG.replace(old, new, 1))
    assert edited.text == again.text == LOG.replace(old, new, 1)
    assert [dump.piece.text for dump in edited.dumps()] == [dump.piece.text for dump in again.dumps()]
    for dump, same in zip(edited.dumps(), again.dumps(), strict=True):
        assert dump.range(0, len(dump.piece.text), UTF8) == same.range(0, len(same.piece.text), UTF8)


def test_typing_behind_a_prefix_is_an_edit_of_the_dump() -> None:
    snapshot = Snapshot.of(LOG)
    offset = snapshot.raw_offset(LINE, len(PREFIX) + 12, UTF8)
    after, edit = snapshot.replace(offset, offset + 1, b"42")
    assert edit is not None
    assert edit.before is snapshot.dumps()[0].piece
    assert edit.after.text == DUMP.replace(b"%0", b"%42")
    assert after.dumps()[1].piece is snapshot.dumps()[1].piece
