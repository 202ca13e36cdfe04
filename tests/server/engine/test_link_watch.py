"""Links that change are told of once."""

from __future__ import annotations

import asyncio

import pytest

from nirls.server.engine import link_watch
from nirls.server.engine.link_watch import LinkWatch
from nirls.server.engine.linking import Linker
from nirls.server.engine.positions import Encoding
from nirls.server.engine.workspace import TextChange, Workspace

VERTEX = "shader: MESA_SHADER_VERTEX\nimpl main {\n    block b0:\n}\n"
FRAGMENT = VERTEX.replace("VERTEX", "FRAGMENT")
URI = "file:///a.log"


def test_only_other_links_are_told() -> None:
    workspace, told = Workspace(), []
    watch = LinkWatch(workspace, Linker(workspace), told.append)
    document = workspace.open(URI, VERTEX + FRAGMENT, 1)
    watch.compare()
    watch.compare()
    assert told == [[URI]]
    document.change([TextChange(None, VERTEX + FRAGMENT.replace("b0", "b1"))], 2, Encoding.UTF16)
    watch.compare()
    assert told == [[URI]]
    document.change([TextChange(None, FRAGMENT + VERTEX)], 3, Encoding.UTF16)
    watch.compare()
    assert told == [[URI], [URI]]


async def test_it_looks_when_typing_pauses_and_somebody_listens(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(link_watch, "PAUSE", 0.01)
    workspace, told = Workspace(), []
    watch = LinkWatch(workspace, Linker(workspace), told.append)
    workspace.open(URI, VERTEX + FRAGMENT, 1)
    watch.schedule()
    await asyncio.sleep(0.1)
    assert told == []
    watch.is_on = True
    for _ in range(3):
        watch.schedule()
    async with asyncio.timeout(90):
        while not told:
            await asyncio.sleep(0.01)
    assert told == [[URI]]
