"""Source ranges within a dump."""

from __future__ import annotations

from typing import NamedTuple


class Span(NamedTuple):
    """Half-open byte range, relative to the first byte of the dump, and its line.

    `line` counts from 0 within the dump. `nirls.server.engine.documents.positions` converts it to positions
    of the document.
    """

    start: int
    end: int
    line: int
