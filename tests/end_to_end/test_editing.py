"""The way of an engineer through the editor: open, look, navigate, fix."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types

if TYPE_CHECKING:
    from tests.end_to_end.conftest import Editor


async def test_smoke(editor: Editor, pulsar: str) -> None:
    editor.open(pulsar)
    found = await editor.diagnostics()
    print(found)
    h=await editor.client.text_document_hover_async(types.HoverParams(editor.document, editor.at('%106',1)))
    print(h)
    await editor.diagnostics(lambda found: len(found)>0)
    assert 0
