"""Code actions that show what the passes of a log did, in editors without a view for it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.server.lsp.features.session import EVERYTHING, URI
from tests.server.lsp.features.test_value_history import LOG

if TYPE_CHECKING:
    from tests.server.lsp.features.session import Session

SHOWING = replace(EVERYTHING, shows_documents=True)
SECOND = {"line": LOG[: LOG.index("nir_copy_prop")].count("\n") + 6, "character": 8}


async def titles(session: Session) -> list[str]:
    range_ = {"start": SECOND, "end": SECOND}
    found = await session.ask_about("textDocument/codeAction", range=range_, context={"diagnostics": []})
    return [one["title"] for one in found]


@pytest.mark.parametrize(
    ("what", "expected"),
    [
        ("diff", "--- before nir_copy_prop\n+++ after nir_copy_prop\n"),
        ("blame", "1 nir_lower_returns  first      32 %0 = load_const"),
    ],
)
async def test_the_texts_are_written_and_shown(
    session: Session, what: str, expected: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    session.server.client = SHOWING
    session.place(LOG)
    asked = {"command": "nirls.showHistory", "arguments": [URI, 1, what]}
    path = await session.ask("workspace/executeCommand", asked)
    assert Path(path).read_text().startswith(expected)
    assert [one["params"]["uri"] for one in session.told if one["method"] == "window/showDocument"] == [
        Path(path).as_uri()
    ]


@pytest.mark.parametrize("arguments", [[URI, 0, "diff"], [URI, 99, "diff"], ["file:///x", 0, "blame"]])
async def test_what_cannot_be_shown(session: Session, arguments: list[object]) -> None:
    session.place(LOG)
    asked = {"command": "nirls.showHistory", "arguments": arguments}
    assert await session.ask("workspace/executeCommand", asked) is None


async def test_they_are_offered_anywhere_on_a_dump_to_editors_without_the_view(session: Session) -> None:
    session.place(LOG)
    assert "Show what the pass changed" not in await titles(session)
    session.server.client = SHOWING
    assert (await titles(session))[-2:] == ["Show what the pass changed", "Show which pass changed each line"]
    session.server.client = replace(SHOWING, commands=frozenset(("nirls.showTimeline",)))
    assert "Show what the pass changed" not in await titles(session)
