"""Sessions of an editor with the real server, for a bounded time; `make fuzz` holds more and longer ones."""

from __future__ import annotations

import random

import pytest

from nirls.server.engine.positions import Encoding, Position, Range
from nirls.server.engine.workspace import TextChange, Workspace, to_text
from tools.fuzz.edited_text import EditedText
from tools.fuzz.sessions import fuzz_sessions, replay

PIECES = ("a", "\n", "\r\n", "\r", "é", "𝄞", "shader: MESA_SHADER_VERTEX\n", "impl main {\n", "}\n", "  %1")


@pytest.mark.parametrize("first", [0, 3])
def test_after_any_edits_the_server_says_what_a_new_one_says(first: int) -> None:
    """Two sessions, of a client that pulls and one that is told, in different encodings."""
    tally = fuzz_sessions(first, 1, None, moves=8)
    assert [f"seed {one.seed}: {one.wrong}" for one in tally.failures] == []
    assert tally.tried == 1


def test_a_wrong_view_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """A client that believes in other text than the server has."""

    def forgets(self: EditedText, changes: list[dict[str, object]]) -> None:
        self.text += "shader: MESA_SHADER_VERTEX\nimpl main {\n    block b0:\n}\n"

    monkeypatch.setattr(EditedText, "change", forgets)
    monkeypatch.setattr("tools.fuzz.sessions._SETTLED_WITHIN", 1.0)
    assert any("differ" in wrong.detail for wrong in replay(2, 8))


@pytest.mark.parametrize("encoding", list(Encoding))
def test_the_simple_text_and_the_servers_agree(encoding: Encoding) -> None:
    rng = random.Random(encoding.value)
    for _ in range(300):
        text = "".join(rng.choices(PIECES, k=rng.randrange(12)))
        ours = EditedText(text, encoding.value)
        document = Workspace().open("untitled:a", text, 1)
        start, end = sorted(rng.randrange(len(text) + 1) for _ in range(2))
        range_ = {"start": ours.position(start), "end": ours.position(end)}
        new = rng.choice(PIECES)
        ours.change([{"range": range_, "text": new}])
        places = (Position(**range_["start"]), Position(**range_["end"]))
        document.change([TextChange(Range(*places), new)], 2, encoding)
        assert to_text(document.snapshot.text) == ours.text
