"""Workspace symbols over the protocol."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from nirls.server.lsp.features.workspace_symbols import MOST_SYMBOLS
from tests.server.lsp.features.dumps import CALLING, FRAGMENT, STORING
from tests.server.lsp.features.session import SURROUNDINGS, URI

if TYPE_CHECKING:
    from tests.server.lsp.features.session import Session


async def found(session: Session, query: str) -> list[tuple[str, str]]:
    """The name of each symbol and who holds it."""
    answer = await session.ask("workspace/symbol", {"query": query})
    return [(one["name"], one["containerName"]) for one in answer]


@pytest.mark.parametrize("around", SURROUNDINGS)
async def test_functions(session: Session, around: str) -> None:
    session.place(SURROUNDINGS[around](CALLING))
    answer = await session.ask("workspace/symbol", {"query": "helper"})
    assert answer
    assert {session.text_of(one["location"]["range"]).strip().rstrip(" {") for one in answer} <= {
        "helper",
        "impl helper",
    }


async def test_unsaved_text_comes_ahead_of_the_file(session: Session, tmp_path: Path) -> None:
    path = tmp_path / "a.nir"
    path.write_text(FRAGMENT.replace("main", "on_disk"))
    (tmp_path / "b.nir").write_text(STORING.replace("main", "other"))
    session.server.files.add_folders([tmp_path.as_uri()])
    assert [name for name, _ in await found(session, "on_disk")] == ["on_disk"]
    session.place(FRAGMENT.replace("main", "typed"), path.as_uri())
    assert await found(session, "on_disk") == []
    assert [name for name, _ in await found(session, "typed")] == ["typed"]
    session.notify("textDocument/didClose", {"textDocument": {"uri": path.as_uri()}})
    assert await found(session, "typed") == []
    assert [name for name, _ in await found(session, "on_disk")] == ["on_disk"]


async def test_files_that_come_and_go(session: Session, tmp_path: Path) -> None:
    session.server.files.add_folders([tmp_path.as_uri()])
    assert await found(session, "main") == []
    path = tmp_path / "a.nir"
    path.write_text(FRAGMENT)
    changed = {"changes": [{"uri": path.as_uri(), "type": 1}]}
    session.notify("workspace/didChangeWatchedFiles", changed)
    assert [name for name, _ in await found(session, "main")] == ["main"]
    moved = tmp_path / "moved.nir"
    path.rename(moved)
    # Even a client that does not tell sees no file that is gone.
    assert await found(session, "main") == []
    session.notify("workspace/didChangeWatchedFiles", {"changes": [{"uri": moved.as_uri(), "type": 1}]})
    assert [who for _, who in await found(session, "main")] == ["moved.nir, FS x"]


async def test_two_roots(session: Session, tmp_path: Path) -> None:
    for name in ("one", "other"):
        (tmp_path / name).mkdir()
        (tmp_path / name / f"{name}.nir").write_text(FRAGMENT)
    session.server.files.add_folders([(tmp_path / name).as_uri() for name in ("one", "other")])
    assert [who for _, who in await found(session, "main")] == ["one.nir, FS x", "other.nir, FS x"]


async def test_too_many(session: Session) -> None:
    session.place(FRAGMENT * (MOST_SYMBOLS + 20))
    assert len(await found(session, "main")) == MOST_SYMBOLS


@pytest.mark.parametrize("query", ["", " ", "😀", "\x00", "m" * 10_000, "MAIN", "mn"])
async def test_odd_queries(session: Session, query: str) -> None:
    session.place(FRAGMENT)
    names = {name for name, _ in await found(session, query)}
    assert query.strip() in ("😀", "\x00", "m" * 10_000) or "main" in names, URI


async def test_the_dumps_behind_a_pass_are_found_by_its_name(session: Session) -> None:
    session.place(f"nir_lower_io\n{FRAGMENT}nir_opt_cse\n{FRAGMENT}nir_opt_cse\n{FRAGMENT}")
    found = await session.ask("workspace/symbol", {"query": "nir_opt_cse"})
    assert [one["name"] for one in found] == ["FS: nir_opt_cse (dump 2)", "FS: nir_opt_cse (dump 3)"]
