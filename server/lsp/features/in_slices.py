"""Work on every dump of a document, in slices between which other messages are answered.

A debug log can have tens of megabytes: what takes seconds for all of it must not keep a keystroke waiting.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from typing import Final

from nirls.server.engine.document import PlacedDump
from nirls.server.engine.workspace import Document
from nirls.server.lsp.nirls_server import NirlsServer

SLICE: Final = 0.02
"""Seconds of work after which others have their turn."""


async def dumps_in_slices(server: NirlsServer, document: Document) -> AsyncIterator[PlacedDump]:
    """The dumps of a document in order. Raises JsonRpcContentModified once it has another text."""
    snapshot = document.snapshot
    slice_end = time.perf_counter() + SLICE
    for dump in snapshot.dumps():
        yield dump
        if time.perf_counter() > slice_end:
            await asyncio.sleep(0)
            server.require_text(document, snapshot)
            slice_end = time.perf_counter() + SLICE
