"""Which dump a position means, and where in it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from lsprotocol import types

from nirls.server.lsp.answers.cursor import cursor_at

if TYPE_CHECKING:
    from tests.server.lsp.features.session import Session

DUMP = "shader: MESA_SHADER_FRAGMENT\nname: 😀 x\nimpl main {\n    block b0:\n}\n"
URI = "untitled:a"


def around(session: Session, text: str, line: int, character: int) -> tuple[int, str] | None:
    """The number of the dump there, and the text of it in front of the cursor's own line end."""
    session.place(text)
    cursor = cursor_at(session.server, URI, types.Position(line, character))
    if cursor is None:
        return None
    text_of_dump = cursor.state.text
    assert text_of_dump == cursor.dump.piece.text
    line_start = text_of_dump.rfind(b"\n", 0, cursor.offset) + 1
    return cursor.dump.number, text_of_dump[line_start : cursor.offset].decode()


@pytest.mark.parametrize(
    ("text", "line", "character", "expected"),
    [
        ("", 0, 0, None),
        ("", 10**6, 10**6, None),
        ("a log without dumps\n", 0, 3, None),
        (DUMP, 0, 0, (0, "")),
        (DUMP, 0, 7, (0, "shader:")),
        (DUMP, 0, 10**6, (0, "shader: MESA_SHADER_FRAGMENT")),
        (DUMP, 1, 8, (0, "name: 😀")),
        # Between the two halves of a character.
        (DUMP, 1, 7, (0, "name: ")),
        (DUMP, 1, 10, (0, "name: 😀 x")),
        (DUMP.replace("\n", "\r\n"), 1, 10**6, (0, "name: 😀 x")),
        (DUMP.replace("\n", "\r\n"), 4, 0, (0, "")),
        ("log\n" + DUMP + "between\n" + DUMP, 0, 1, None),
        ("log\n" + DUMP + "between\n" + DUMP, 2, 8, (0, "name: 😀")),
        ("log\n" + DUMP + "between\n" + DUMP, 6, 2, None),
        ("log\n" + DUMP + "between\n" + DUMP, 8, 8, (1, "name: 😀")),
        # On the last character, and behind it where no line end follows.
        (DUMP.rstrip(), 4, 0, (0, "")),
        (DUMP.rstrip(), 4, 1, (0, "}")),
        (DUMP.rstrip(), 10**6, 0, (0, "}")),
        (DUMP * 50, 49 * 5 + 1, 8, (49, "name: 😀")),
    ],
)
async def test_place(
    session: Session, text: str, line: int, character: int, expected: tuple[int, str] | None
) -> None:
    assert around(session, text, line, character) == expected


async def test_a_closed_document(session: Session) -> None:
    session.open(DUMP)
    session.notify("textDocument/didClose", {"textDocument": {"uri": URI}})
    assert cursor_at(session.server, URI, types.Position(0, 0)) is None
