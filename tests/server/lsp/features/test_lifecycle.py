"""Documents that are opened, changed, saved and closed, in every order that clients have been seen to use."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.server.lsp.features.dumps import FRAGMENT, LOADING, STORING
from tests.server.lsp.features.session import URI

if TYPE_CHECKING:
    from tests.server.lsp.features.session import Session

BROKEN = FRAGMENT.replace("fmul %1", "fmul %77")


def codes(session: Session, uri: str = URI) -> list[str] | None:
    """The findings of the text that were pushed last, None if none ever were."""
    pushed = [
        one["params"]
        for one in session.told
        if one["method"] == "textDocument/publishDiagnostics" and one["params"]["uri"] == uri
    ]
    return [one["code"] for one in pushed[-1]["diagnostics"]] if pushed else None


def versions(session: Session) -> list[int | None]:
    return [
        one["params"].get("version")
        for one in session.told
        if one["method"] == "textDocument/publishDiagnostics"
    ]


def close(session: Session, uri: str = URI) -> None:
    session.notify("textDocument/didClose", {"textDocument": {"uri": uri}})


async def test_a_document_is_opened_changed_and_closed(session: Session) -> None:
    session.open(BROKEN)
    assert codes(session) == ["undefined-value"]
    session.change("%77", "%1")
    assert "undefined-value" not in (codes(session) or [])
    session.change("fmul %1", "fmul %78", version=3)
    close(session)
    assert codes(session) == []
    assert session.server.document(URI) is None


@pytest.mark.parametrize("version", [2, 1, 0, -5, 2**31 - 1])
async def test_any_version_is_taken(session: Session, version: int) -> None:
    """Some clients count from 0 again, or backwards on undo."""
    session.open(BROKEN, version=2)
    session.change("%77", "%1", version=version)
    assert b"%77" not in session.document().snapshot.text
    assert session.document().snapshot.version == version
    assert versions(session)[-1] == version


async def test_a_change_without_a_version(session: Session) -> None:
    """LSP asks for one, and clients that send null have been seen; the text must not be lost."""
    session.open(BROKEN, version=4)
    session.change("%77", "%1", version=None)
    assert b"%77" not in session.document().snapshot.text


async def test_several_changes_in_one_message(session: Session) -> None:
    """Each counts from the text that the one before it left: several cursors, or undo of them."""
    session.open("shader: MESA_SHADER_FRAGMENT\r\nname: 😀x😀x😀\r\nimpl main {\r\n}\r\n")
    changes = [
        {"range": _on_line_1(8, 9), "text": "é"},
        {"range": _on_line_1(11, 12), "text": "𝄞"},
        {"range": _on_line_1(6, 8), "text": ""},
    ]
    document = {"uri": URI, "version": 2}
    session.notify("textDocument/didChange", {"textDocument": document, "contentChanges": changes})
    assert (
        b"name: \xc3\xa9\xf0\x9f\x98\x80\xf0\x9d\x84\x9e\xf0\x9f\x98\x80\r\n"
        in session.document().snapshot.text
    )


def _on_line_1(start: int, end: int) -> dict[str, Any]:
    return {"start": {"line": 1, "character": start}, "end": {"line": 1, "character": end}}


async def test_the_whole_text_at_once(session: Session) -> None:
    session.open(BROKEN)
    document = {"uri": URI, "version": 2}
    for text in ("", FRAGMENT, FRAGMENT * 3, "log\n", BROKEN):
        session.notify(
            "textDocument/didChange", {"textDocument": document, "contentChanges": [{"text": text}]}
        )
        assert session.document().snapshot.text == text.encode()
    assert codes(session) == ["undefined-value"]


async def test_a_range_with_a_length(session: Session) -> None:
    """Of old clients; the range says it."""
    session.open(BROKEN)
    start = session.at("%77")
    end = {"line": start["line"], "character": start["character"] + 3}
    change = {"range": {"start": start, "end": end}, "rangeLength": 3, "text": "%1"}
    session.notify(
        "textDocument/didChange", {"textDocument": {"uri": URI, "version": 2}, "contentChanges": [change]}
    )
    assert session.document().snapshot.text == FRAGMENT.encode()


async def test_a_range_whose_ends_are_the_wrong_way_round(session: Session) -> None:
    session.open(FRAGMENT)
    start, end = session.at("fmul"), session.at("fadd")
    change = {"range": {"start": start, "end": end}, "text": ""}
    session.notify(
        "textDocument/didChange", {"textDocument": {"uri": URI, "version": 2}, "contentChanges": [change]}
    )
    assert session.document().snapshot.text == FRAGMENT.encode()


async def test_messages_about_documents_that_nobody_opened(session: Session) -> None:
    session.texts[URI] = FRAGMENT
    session.change("fmul", "fsub")
    session.notify("textDocument/didSave", {"textDocument": {"uri": URI}})
    session.notify("textDocument/willSave", {"textDocument": {"uri": URI}, "reason": 1})
    close(session)
    assert codes(session) in (None, [])
    assert session.server.document(URI) is None


async def test_opened_twice_and_opened_again(session: Session) -> None:
    session.open(BROKEN)
    session.open(FRAGMENT, version=9)
    await session.passes_have_run()
    assert session.document().snapshot.text == FRAGMENT.encode()
    assert "undefined-value" not in (codes(session) or [])
    close(session)
    close(session)
    session.open(BROKEN, version=1)
    assert codes(session) == ["undefined-value"]
    assert versions(session)[-1] == 1


async def test_renamed_while_it_is_open(session: Session, tmp_path: Path) -> None:
    """To an editor that is closing one document and opening another."""
    old, new = tmp_path / "a.vert.nir", tmp_path / "b.vert.nir"
    partner = tmp_path / "b.frag.nir"
    partner.write_text(LOADING)
    old.write_text(STORING)
    session.open(STORING, old.as_uri())
    await session.passes_have_run(old.as_uri())
    assert session.server.linker.pipelines_of(session.document(old.as_uri())) == []
    old.rename(new)
    close(session, old.as_uri())
    session.open(STORING, new.as_uri())
    changed = [{"uri": old.as_uri(), "type": 3}, {"uri": new.as_uri(), "type": 1}]
    session.notify("workspace/didChangeWatchedFiles", {"changes": changed})
    await session.passes_have_run(new.as_uri())
    assert len(session.server.linker.pipelines_of(session.document(new.as_uri()))) == 1
    assert codes(session, old.as_uri()) == []


async def test_a_partner_that_changes_on_disk(session: Session, tmp_path: Path) -> None:
    vertex, fragment = tmp_path / "a.vert.nir", tmp_path / "a.frag.nir"
    vertex.write_text(STORING)
    fragment.write_text(LOADING)
    uri = vertex.as_uri()
    session.open(STORING, uri)
    await session.passes_have_run(uri)
    assert "dead-output" not in (codes(session, uri) or [])
    fragment.write_text(LOADING.replace("VARYING_SLOT_VAR0", "VARYING_SLOT_VAR3"))
    session.notify("workspace/didChangeWatchedFiles", {"changes": [{"uri": fragment.as_uri(), "type": 2}]})
    await session.passes_have_run(uri)
    assert "dead-output" in (codes(session, uri) or [])
    fragment.unlink()
    session.notify("workspace/didChangeWatchedFiles", {"changes": [{"uri": fragment.as_uri(), "type": 3}]})
    await session.passes_have_run(uri)
    assert "dead-output" not in (codes(session, uri) or [])


async def test_the_findings_of_a_closed_partner_are_taken_back(session: Session) -> None:
    """Of files that are nowhere on disk."""
    one, other = "file:///p/a.vert.nir", "file:///p/a.frag.nir"
    session.open(STORING, one)
    session.open(LOADING.replace("VARYING_SLOT_VAR0", "VARYING_SLOT_VAR3"), other)
    await session.passes_have_run(other)
    await session.passes_have_run(one)
    assert "dead-output" in (codes(session, one) or [])
    close(session, other)
    await session.passes_have_run(one)
    assert "dead-output" not in (codes(session, one) or [])


async def test_a_client_that_pulls_is_not_pushed_to(session: Session) -> None:
    session.server.client = replace(session.server.client, pulls_diagnostics=True)
    session.open(BROKEN)
    await session.passes_have_run()
    close(session)
    assert "textDocument/publishDiagnostics" not in session.methods_told()


async def test_saving_refreshes_the_lenses(session: Session) -> None:
    session.server.client = replace(session.server.client, refreshes_lenses=True)
    session.open(STORING + LOADING)
    session.notify("textDocument/didSave", {"textDocument": {"uri": URI}})
    assert "workspace/codeLens/refresh" in session.methods_told()
    assert json.dumps(session.told)


@pytest.mark.parametrize("is_command", [False, True])
async def test_a_driver_that_is_named_no_longer(session: Session, is_command: bool) -> None:
    """The settings of the driver go when the document is saved, or its passes are run."""
    session.open(f"RADV\n{FRAGMENT}")
    document = session.document()
    assert session.server.driver_of(document).profile.name == "radv"
    session.change("RADV", "log")
    if is_command:
        await session.ask("workspace/executeCommand", {"command": "nirls.runPasses", "arguments": [URI]})
    else:
        session.notify("textDocument/didSave", {"textDocument": {"uri": URI}})
    assert session.server.driver_of(document).profile.name == "generic"
    await session.server.scheduler.passes_have_run(document)
