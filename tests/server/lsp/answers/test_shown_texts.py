"""Texts that are written to files for the client to show."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from nirls.server.lsp.answers.shown_texts import show_text
from tests.server.lsp.features.session import EVERYTHING

if TYPE_CHECKING:
    from tests.server.lsp.features.session import Session


@pytest.fixture(autouse=True)
def _temporary_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))


async def test_the_client_is_asked_to_show_the_file(session: Session) -> None:
    session.server.client = replace(EVERYTHING, shows_documents=True)
    session.replies["window/showDocument"] = {"success": True}
    path = Path(show_text(session.server, "blame.txt", "1 nir_😀\n"))
    assert path.name == "blame.txt"
    assert path.read_bytes() == "1 nir_😀\n".encode()
    (asked,) = session.told
    assert asked["method"] == "window/showDocument"
    assert asked["params"] == {"uri": path.as_uri(), "takeFocus": True}


async def test_a_line_is_in_view(session: Session) -> None:
    session.server.client = replace(EVERYTHING, shows_documents=True)
    session.replies["window/showDocument"] = {"success": True}
    show_text(session.server, "values.txt", "1\n2\n", 1)
    place = {"line": 1, "character": 0}
    assert session.told[0]["params"]["selection"] == {"start": place, "end": place}


async def test_a_client_that_cannot_show_files_gets_the_path(session: Session) -> None:
    path = show_text(session.server, "blame.txt", "")
    (message,) = session.told
    assert message["method"] == "window/showMessage"
    assert message["params"]["message"] == f"Written: {path}"


async def test_an_earlier_text_of_the_same_name_is_kept(session: Session) -> None:
    first = show_text(session.server, "blame.txt", "first")
    second = show_text(session.server, "blame.txt", "second")
    assert [Path(one).read_text() for one in (first, second)] == ["first", "second"]
