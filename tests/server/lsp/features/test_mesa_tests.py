"""The code action "Write a unit test for Mesa"."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.server.lsp.features.dumps import THREE_SNAPSHOTS
from tests.server.lsp.features.session import EVERYTHING, URI

if TYPE_CHECKING:
    from tests.server.lsp.features.session import Session


async def ask(session: Session, number: int) -> str | None:
    asked = {"command": "nirls.writeMesaTest", "arguments": [URI, number]}
    path: str | None = await session.ask("workspace/executeCommand", asked)
    return path


async def test_the_test_is_written_and_shown(
    session: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    session.server.client = replace(EVERYTHING, shows_documents=True)
    session.place(THREE_SNAPSHOTS)
    path = await ask(session, 1)
    assert path is not None
    assert "ASSERT_TRUE(nir_copy_prop(b->shader));" in Path(path).read_text()
    assert [one["params"]["uri"] for one in session.told if one["method"] == "window/showDocument"] == [
        Path(path).as_uri()
    ]


@pytest.mark.parametrize("number", [0, 99])
async def test_a_first_snapshot_has_no_test(session: Session, number: int) -> None:
    session.place(THREE_SNAPSHOTS)
    assert await ask(session, number) is None


async def test_what_cannot_be_built_is_told(session: Session) -> None:
    session.place(THREE_SNAPSHOTS.replace("load_const", "load_konst"))
    assert await ask(session, 1) is None


async def test_it_is_offered_in_a_log(session: Session) -> None:
    session.place(THREE_SNAPSHOTS)
    place = {"line": 3, "character": 0}
    range_ = {"start": place, "end": place}
    found = await session.ask_about("textDocument/codeAction", range=range_, context={"diagnostics": []})
    [action] = [one for one in found if one["title"] == "Write a unit test for Mesa"]
    assert (action["kind"], action["command"]["arguments"]) == ("source.mesaTest.nirls", [URI, 0])
