"""Iteration over the dumps of a document in time slices, with other messages handled in between.

A debug log can have tens of megabytes; work on all of it takes seconds and must not delay a keystroke.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from typing import Final

from nirls.server.engine.document import PlacedDump
from nirls.server.engine.workspace import Document
from nirls.server.lsp.nirls_server import NirlsServer

SLICE: Final = 0.005
"""Length of a slice in seconds. Editors have several such requests at a time, each with its own slices."""


async def dumps_in_slices(server: NirlsServer, document: Document) -> AsyncIterator[PlacedDump]:
    """Yield the dumps of a document in order. Raises JsonRpcContentModified if the text changes."""
    snapshot = document.snapshot
    slice_end = time.perf_counter() + SLICE
    for dump in snapshot.dumps():
        yield dump
        if time.perf_counter() > slice_end:
            await asyncio.sleep(0)
            server.require_text(document, snapshot)
            slice_end = time.perf_counter() + SLICE
