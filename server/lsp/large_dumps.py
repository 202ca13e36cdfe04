"""Work on large dumps and long logs beside the event loop.

The IR of 30,000 instructions takes a second to build, in a thread: Python switches between threads every
millisecond, so other requests are answered meanwhile. A log can have tens of megabytes; work on all of it is
divided into time slices with other messages handled in between.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any, Final, TypeVar

from nirls.server.engine.base.slices import TimeSlices
from nirls.server.engine.documents.document import PlacedDump
from nirls.server.engine.documents.dump_state import DumpState
from nirls.server.engine.documents.workspace import Document

ResultT = TypeVar("ResultT")

LARGE: Final = 100_000
"""Bytes of a dump above which it is parsed in a thread: about 50 ms."""


def large_dumps(document: Document, params: Any) -> Iterator[PlacedDump]:
    """Yield the large dumps at the position, positions or range of a request."""
    for first, last in _lines(params):
        for dump in document.snapshot.dumps_in_lines(first, last):
            if len(dump.piece.text) > LARGE:
                yield dump


def parse(state: DumpState) -> None:
    """Compute what most requests need: the IR, its places in the text, and the convergence of its values."""
    from nirls.server.ide.convergence import Convergence
    from nirls.server.ide.cursor.places import Places

    state.of_shader(Places)
    state.of_shader(Convergence)


def _lines(params: Any) -> Iterator[tuple[int, int]]:
    if hasattr(params, "range"):
        yield params.range.start.line, params.range.end.line
    positions = params.positions if hasattr(params, "positions") else ()
    for position in (*positions, *((params.position,) if hasattr(params, "position") else ())):
        yield position.line, position.line


async def dumps_in_slices(
    document: Document, compute: Callable[[PlacedDump], ResultT]
) -> AsyncIterator[tuple[PlacedDump, ResultT]]:
    """Yield the dumps of a document in order, each with what is computed of it: for a large one in a thread.

    For handlers that read the text, which are cancelled when it changes.
    """
    slices = TimeSlices()
    for dump in document.snapshot.dumps():
        is_large = len(dump.piece.text) > LARGE
        yield dump, await asyncio.to_thread(compute, dump) if is_large else compute(dump)
        await slices.pause_if_over()
