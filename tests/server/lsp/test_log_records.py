"""Where log records go."""

from __future__ import annotations

import asyncio
import logging
import os
import time

from lsprotocol import types

from nirls.server.lsp import log_records
from nirls.server.lsp.language_server import make_server
from nirls.server.lsp.log_records import log_to, show_errors
from nirls.server.lsp.nirls_server import guarded


def test_a_stream_that_is_not_read_does_not_block() -> None:
    reading, writing = os.pipe()
    log = logging.getLogger("nirls.test_log_records")
    root = logging.getLogger()
    before = list(root.handlers)
    records = log_to(os.fdopen(writing, "w"))
    try:
        began = time.monotonic()
        for number in range(3 * log_records._MOST_WAITING):
            log.warning("warning %d: %s", number, "x" * 100)
        assert time.monotonic() - began < 20
        assert os.read(reading, 1 << 16).decode().startswith("WARNING: warning 0: ")
        while not records.empty():
            os.read(reading, 1 << 16)
    finally:
        root.handlers[:] = before


async def test_each_error_is_shown_once_and_five_in_all() -> None:
    server = make_server()
    shown: list[str] = []

    def show(params: types.ShowMessageParams) -> None:
        shown.append(params.message)

    server.window_show_message = show  # type: ignore[method-assign]
    show_errors(server)

    def fail(number: int) -> None:
        raise ZeroDivisionError(number)

    for _ in range(3):
        guarded(fail)(1)
    await asyncio.to_thread(guarded(fail), 2)
    logging.getLogger("nirls.server").error("an error without an exception")
    await asyncio.sleep(0)
    assert len(shown) == 2
    assert "fail failed: ZeroDivisionError: 1" in shown[0]
    assert shown[1].endswith("fail failed: ZeroDivisionError: 2 (the log has the details)")
    for number in range(3, 10):
        guarded(fail)(number)
    await asyncio.sleep(0)
    assert len(shown) == 5
    server.shutdown()
    guarded(fail)(99)
    await asyncio.sleep(0)
    assert len(shown) == 5
