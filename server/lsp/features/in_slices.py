"""Iteration over the dumps of a document in time slices, with other messages handled in between.

A debug log can have tens of megabytes; work on all of it takes seconds and must not delay a keystroke.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from typing import Final

from nirls.server.engine.document import PlacedDump
from nirls.server.engine.workspace import Document
from nirls.server.lsp.large_dumps import LARGE

SLICE: Final = 0.005
"""Length of a slice in seconds. Editors have several such requests at a time, each with its own slices."""


async def dumps_in_slices(
    document: Document, prepare: Callable[[PlacedDump], object]
) -> AsyncIterator[PlacedDump]:
    """Yield the dumps of a document in order; `prepare` runs before for a large one, in a thread.

    For handlers that read the text, which are cancelled when it changes.
    """
    slice_end = time.perf_counter() + SLICE
    for dump in document.snapshot.dumps():
        if len(dump.piece.text) > LARGE:
            await asyncio.to_thread(prepare, dump)
        yield dump
        if time.perf_counter() > slice_end:
            await asyncio.sleep(0)
            slice_end = time.perf_counter() + SLICE
