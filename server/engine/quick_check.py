"""The check of texts that somebody waits for: as much as can be done in a short time."""

from __future__ import annotations

import logging
import time
from collections.abc import Iterator

from nirls.server.engine.dump_state import DumpState
from nirls.server.engine.engine import Engine
from nirls.server.engine.workspace import Document

_log = logging.getLogger(__name__)

AT_ONCE = 0.03
"""Seconds of checking that are done at once, before anything else is answered."""

SMALL_DUMP = 48_000
"""Bytes of a dump that is checked at once; larger ones are left to a thread."""


def check_what_is_quick(engine: Engine, document: Document) -> tuple[bool, float | None]:
    """Check the texts of dumps for a short time, the visible ones first.

    Says whether all are checked, and how many seconds the last took; None if none was left.
    """
    stop_at = time.perf_counter() + AT_ONCE
    cost = None
    for state in unchecked(document):
        if len(state.text) > SMALL_DUMP or time.perf_counter() > stop_at:
            return False, cost
        began = time.thread_time()
        check_text(engine, state)
        document.generation += 1
        cost = time.thread_time() - began
    return True, cost


def unchecked(document: Document) -> Iterator[DumpState]:
    """The texts of dumps that are not checked, by interest."""
    return (document.state(dump.piece) for dump in document.by_interest(unchecked_numbers(document)))


def unchecked_numbers(document: Document) -> list[int]:
    """The numbers of those dumps, ascending."""
    state = document.state
    return [
        number
        for number, piece in enumerate(document.snapshot.dump_pieces())
        if (piece.state or state(piece)).problems is None
    ]


def check_text(engine: Engine, state: DumpState) -> None:
    """Check one; a check that raises has found nothing."""
    try:
        engine.check_text(state)
    except Exception:
        _log.exception("checking a dump failed")
        state.problems = ()
