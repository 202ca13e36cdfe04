"""The moves of a fuzzing session, without a server."""

from __future__ import annotations

import random
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tools.fuzz import moves
from tools.fuzz.edited_text import EditedText
from tools.fuzz.moves import FuzzSession


class Session(FuzzSession):
    """A session whose client writes down what it sends."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.sent: list[tuple[str, Any]] = []
        client = SimpleNamespace(notify=lambda method, params: self.sent.append((method, params)))
        monkeypatch.setattr(moves, "start", lambda *_, **__: client)
        super().__init__(0, folder)


@pytest.fixture
def session(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Session:
    return Session(tmp_path, monkeypatch)


def only_open(session: Session, name: str, text: str) -> str:
    uri = (session.folder / name).as_uri()
    session.open[uri], session.versions[uri], session.earlier[uri] = EditedText(text, "utf-8"), 1, []
    return uri


def test_undo_goes_back_to_earlier_texts(session: Session) -> None:
    uri = only_open(session, "b.log", "a\nb\n")
    for seed in range(10):
        session._edit(random.Random(seed))
    texts = set(session.earlier[uri])
    session._undo(random.Random(1))
    assert session.open[uri].text in texts


def test_revert_takes_the_saved_text(session: Session) -> None:
    uri = only_open(session, "b.log", "saved\r\n")
    session._save(random.Random(0))
    for seed in range(5):
        session._edit(random.Random(seed))
    session._revert(random.Random(0))
    assert session.open[uri].text == "saved\r\n"
    assert session.sent[-1][0] == "textDocument/didChange"


def test_files_change_outside_and_open_documents_follow(session: Session) -> None:
    kinds = set()
    for seed in range(60):
        session._change_outside(random.Random(seed))
        kinds.update(change["type"] for change in session.sent[-1][1]["changes"])
    assert kinds == {1, 2, 3}
    path = session.folder / "b.log"
    path.write_bytes(b"old\n")
    uri = only_open(session, "b.log", "old\n")
    session.sent.clear()
    for seed in range(200):
        session._change_outside(random.Random(seed))
        if path.exists():
            assert session.open[uri].text.encode() == path.read_bytes()
        else:
            break
    assert {method for method, _ in session.sent} == {
        "workspace/didChangeWatchedFiles",
        "textDocument/didChange",
    }
