"""Code actions that show what views show, in editors without them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.server.lsp.features.dumps import LOADING, STORING, THREE_SNAPSHOTS
from tests.server.lsp.features.session import EVERYTHING, URI

if TYPE_CHECKING:
    from tests.server.lsp.features.session import Session

SHOWING = replace(EVERYTHING, shows_documents=True)
SECOND = {"line": THREE_SNAPSHOTS[: THREE_SNAPSHOTS.index("nir_copy_prop")].count("\n") + 6, "character": 8}


async def titles(session: Session) -> list[str]:
    range_ = {"start": SECOND, "end": SECOND}
    found = await session.ask_about("textDocument/codeAction", range=range_, context={"diagnostics": []})
    return [one["title"] for one in found]


@pytest.mark.parametrize(
    ("what", "expected"),
    [
        ("diff", "--- before nir_copy_prop\n+++ after nir_copy_prop\n"),
        ("blame", "1 nir_lower_returns  in first dump  32 %0 = load_const"),
        ("cfg", "digraph"),
        ("values", "digraph"),
    ],
)
async def test_the_texts_are_written_and_shown(
    session: Session, what: str, expected: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    session.server.client = SHOWING
    session.place(THREE_SNAPSHOTS)
    asked = {"command": "nirls.showHistory", "arguments": [URI, 1, what]}
    path = await session.ask("workspace/executeCommand", asked)
    assert Path(path).read_text().startswith(expected)
    assert [one["params"]["uri"] for one in session.told if one["method"] == "window/showDocument"] == [
        Path(path).as_uri()
    ]


@pytest.mark.parametrize(
    "arguments", [[URI, 0, "diff"], [URI, 99, "diff"], ["file:///x", 0, "blame"], [URI, 1, "packing"]]
)
async def test_what_cannot_be_shown(session: Session, arguments: list[object]) -> None:
    session.place(THREE_SNAPSHOTS)
    asked = {"command": "nirls.showHistory", "arguments": arguments}
    assert await session.ask("workspace/executeCommand", asked) is None


async def test_they_are_offered_anywhere_on_a_dump_to_editors_without_the_view(session: Session) -> None:
    session.place(THREE_SNAPSHOTS)
    session.server.client = replace(EVERYTHING, commands=frozenset())
    assert (await titles(session))[-4:] == [
        "Show what the pass changed",
        "Show which pass changed each line",
        "Show the control flow graph as DOT",
        "Show the graph of values as DOT",
    ]
    session.server.client = replace(SHOWING, commands=frozenset(("nirls.showTimeline",)))
    assert "Show what the pass changed" not in await titles(session)


async def test_the_packing_of_a_linked_dump(
    session: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    session.server.client = SHOWING
    session.place(STORING + LOADING)
    first = {"line": 0, "character": 0}
    range_ = {"start": first, "end": first}
    found = await session.ask_about("textDocument/codeAction", range=range_, context={"diagnostics": []})
    assert "Show the packing of varyings" in [one["title"] for one in found]
    asked = {"command": "nirls.showHistory", "arguments": [URI, 0, "packing"]}
    path = await session.ask("workspace/executeCommand", asked)
    assert "VAR0" in Path(path).read_text()
