"""What is pending is told: in the first code lens and the link status, and the client asks again in time."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING

from nirls.server.lsp.answers.coverage_text import coverage_text
from tests.server.lsp.features.dumps import LOADING, STORING
from tests.server.lsp.features.session import URI

if TYPE_CHECKING:
    from tests.server.lsp.features.session import Session

UNUSED = STORING.replace("VAR0", "VAR1")
SAVED = "findings of the saved text: save to run the passes"


def codes(session: Session, uri: str = URI) -> list[str]:
    """The codes of the findings that were pushed last."""
    pushed = [
        one["params"]["diagnostics"]
        for one in session.told
        if one["method"] == "textDocument/publishDiagnostics" and one["params"]["uri"] == uri
    ]
    return sorted(one["code"] for one in pushed[-1]) if pushed else []


async def replace_all(session: Session, text: str, version: int, uri: str = URI) -> None:
    """Select everything, and type or undo."""
    session.texts[uri] = text
    document = {"uri": uri, "version": version}
    session.notify("textDocument/didChange", {"textDocument": document, "contentChanges": [{"text": text}]})
    for _ in range(200):
        await asyncio.sleep(0.005)
        if not session.server.scheduler.is_running_passes(session.document(uri)):
            break


async def first_lens(session: Session, uri: str = URI) -> str:
    title: str = (await session.ask_about("codeLens", uri))[0]["command"]["title"]
    return title


async def test_findings_are_there_again_after_an_undo(session: Session) -> None:
    text = UNUSED + LOADING
    session.open(text)
    await session.passes_have_run()
    before = codes(session)
    assert "dead-output" in before
    await replace_all(session, "x", 2)
    assert codes(session) == []
    session.told.clear()
    await replace_all(session, text, 3)
    for _ in range(200):
        if codes(session) == before:
            break
        await asyncio.sleep(0.01)
    assert codes(session) == before
    assert coverage_text(session.server, session.document()) == ""


async def test_findings_are_there_again_after_a_revert(session: Session, tmp_path: Path) -> None:
    """The editor takes the text of the file, which this session has never had, without a save."""
    path = tmp_path / "a.nir"
    path.write_text(UNUSED + LOADING)
    uri = path.as_uri()
    session.open("x", uri)
    await session.passes_have_run(uri)
    session.told.clear()
    await replace_all(session, UNUSED + LOADING, 2, uri)
    for _ in range(400):
        if "dead-output" in codes(session, uri):
            break
        await asyncio.sleep(0.01)
    assert "dead-output" in codes(session, uri)
    assert coverage_text(session.server, session.document(uri)) == ""


async def test_a_text_that_was_never_checked_is_pending_until_a_save(session: Session) -> None:
    session.open(UNUSED + LOADING)
    await session.passes_have_run()
    assert not (await first_lens(session)).startswith("Pending")
    assert (await session.ask_about("nirls/linkStatus"))["pending"] is None
    session.told.clear()
    session.change("0x3f800000 = 1.000000", "0x40000000 = 2.000000")
    await asyncio.sleep(0.05)
    assert await first_lens(session) == f"Pending: {SAVED}"
    assert (await session.ask_about("nirls/linkStatus"))["pending"] == SAVED
    assert "nirls/linkStatusChanged" in session.methods_told()
    session.told.clear()
    session.notify("textDocument/didSave", {"textDocument": {"uri": URI}})
    await session.passes_have_run()
    assert (await session.ask_about("nirls/linkStatus"))["pending"] is None
    assert "nirls/linkStatusChanged" in session.methods_told()
