"""`nirls/linkStatus` and its notification over the protocol."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.server.lsp.features.dumps import LOADING, STORING
from tests.server.lsp.features.session import SURROUNDINGS, URI

if TYPE_CHECKING:
    from tests.server.lsp.features.session import Session


async def texts(session: Session, uri: str = URI, **more: object) -> list[str]:
    answer = await session.ask_about("nirls/linkStatus", uri, **more)
    return [dump["text"] for dump in answer["dumps"]]


@pytest.mark.parametrize("around", [one for one in SURROUNDINGS if "copies" not in one])
async def test_a_pair_in_one_document(session: Session, around: str) -> None:
    session.place(SURROUNDINGS[around](STORING) + "\n" + SURROUNDINGS[around](LOADING))
    assert [text.split(" (")[0] for text in await texts(session)] == ["linked with FS", "linked with VS"]
    line = session.at("shader: MESA_SHADER_FRAGMENT")["line"]
    assert len(await texts(session, position={"line": line, "character": 0})) == 1
    answer = await session.ask_about("nirls/linkStatus")
    assert answer["dumps"][1]["firstLine"] == line


@pytest.mark.parametrize("text", ["", "log\n"])
async def test_no_dumps(session: Session, text: str) -> None:
    session.place(text)
    assert await texts(session) == []
    assert await texts(session, "file:///nobody/opened.nir") == []


async def test_why_not(session: Session) -> None:
    session.place(STORING)
    (text,) = await texts(session)
    assert text.startswith("not linked: ")


async def test_a_file_that_is_written_and_one_that_is_removed(session: Session, tmp_path: Path) -> None:
    vertex, fragment = tmp_path / "a.vert.nir", tmp_path / "a.frag.nir"
    uri = vertex.as_uri()
    session.open(STORING, uri)
    assert (await texts(session, uri))[0].startswith("not linked")
    fragment.write_text(LOADING)
    session.notify("workspace/didChangeWatchedFiles", {"changes": [{"uri": fragment.as_uri(), "type": 1}]})
    session.server.link_watch.compare()
    assert "nirls/linkStatusChanged" in session.methods_told()
    assert await texts(session, uri) == ["linked with a.frag.nir (file names)"]
    # What is typed comes ahead of what the disk has.
    session.open(LOADING.replace("MESA_SHADER_FRAGMENT", "MESA_SHADER_COMPUTE"), fragment.as_uri())
    assert (await texts(session, uri))[0].startswith("not linked")
    session.notify("textDocument/didClose", {"textDocument": {"uri": fragment.as_uri()}})
    assert (await texts(session, uri))[0].startswith("linked")
    fragment.unlink()
    assert (await texts(session, uri))[0].startswith("not linked")


async def test_a_file_that_is_removed_while_it_is_open(session: Session, tmp_path: Path) -> None:
    """The editor has its text still."""
    vertex, fragment = tmp_path / "a.vert.nir", tmp_path / "a.frag.nir"
    for path, text in ((vertex, STORING), (fragment, LOADING)):
        path.write_text(text)
        session.open(text, path.as_uri())
    fragment.unlink()
    session.notify("workspace/didChangeWatchedFiles", {"changes": [{"uri": fragment.as_uri(), "type": 3}]})
    assert (await texts(session, vertex.as_uri()))[0] == "linked with a.frag.nir (file names)"
