"""A log that is not read blocks nobody."""

from __future__ import annotations

import logging
import os
import time

from nirls.server.lsp import error_stream
from nirls.server.lsp.error_stream import log_to


def test_a_stream_that_is_not_read_does_not_block() -> None:
    reading, writing = os.pipe()
    log = logging.getLogger("nirls.test_error_stream")
    root = logging.getLogger()
    before = list(root.handlers)
    records = log_to(os.fdopen(writing, "w"))
    try:
        began = time.monotonic()
        for number in range(3 * error_stream._MOST_WAITING):
            log.warning("warning %d: %s", number, "x" * 100)
        assert time.monotonic() - began < 20
        assert os.read(reading, 1 << 16).decode().startswith("WARNING: warning 0: ")
        while not records.empty():
            os.read(reading, 1 << 16)
    finally:
        root.handlers[:] = before
