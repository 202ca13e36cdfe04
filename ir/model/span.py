"""Source range of a piece of IR in its dump."""

from __future__ import annotations

from typing import NamedTuple


class Span(NamedTuple):
    """Half-open byte range of a piece of text, relative to the first byte of its dump, and its line.

    `line` counts from 0 within the dump. Positions of the document and of LSP are made from this in
    one place only, `nirls.server.engine.positions`.
    """

    start: int
    end: int
    line: int
