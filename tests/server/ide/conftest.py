"""Texts with a marked cursor: `$0` says where the cursor is."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from nirls.server.engine.documents.dump_state import DumpState, DumpStore

CURSOR = b"$0"

Marked = Callable[[bytes], tuple[DumpState, int]]


@pytest.fixture
def marked() -> Marked:
    """Makes of a dump with one `$0` the state of the dump without it, and the offset it was at."""

    def make(text: bytes) -> tuple[DumpState, int]:
        assert text.count(CURSOR) == 1
        return DumpStore().state(text.replace(CURSOR, b"")), text.index(CURSOR)

    return make
