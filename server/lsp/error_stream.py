"""The log on standard error, written by a thread: a client that does not read it blocks no message."""

from __future__ import annotations

import logging
import queue
import time
from contextlib import suppress
from logging.handlers import QueueHandler, QueueListener
from typing import Final, TextIO

Records = queue.Queue[logging.LogRecord]

_MOST_WAITING: Final = 1000
"""Records that wait to be written; further ones are dropped."""


class _DroppingHandler(QueueHandler):
    """Takes records as long as there is room for them."""

    def enqueue(self, record: logging.LogRecord) -> None:
        with suppress(queue.Full):
            self.queue.put_nowait(record)


def wait_until_written(records: Records, seconds: float = 0.5) -> None:
    """Wait for the log to be written before the process ends, but not for a client that does not read it."""
    deadline = time.monotonic() + seconds
    while not records.empty() and time.monotonic() < deadline:
        time.sleep(0.005)


def log_to(stream: TextIO) -> Records:
    """Write the records of all loggers to a stream from now on; return those that wait."""
    writer = logging.StreamHandler(stream)
    writer.setFormatter(logging.Formatter("%(levelname)s: %(message)s"))
    records: Records = queue.Queue(_MOST_WAITING)
    logging.getLogger().addHandler(_DroppingHandler(records))
    QueueListener(records, writer).start()  # its thread is a daemon: it does not keep the process alive
    return records
