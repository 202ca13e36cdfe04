"""Progress of one request, sent to the `workDoneToken` that the client gave with it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from nirls.server.lsp.nirls_server import NirlsServer
from nirls.server.lsp.own_messages import ProgressToken

Report = Callable[[int, int], None]
"""Called with the number of things done and their total."""


@contextmanager
def request_progress(
    server: NirlsServer, token: ProgressToken, title: str, unit: str, *, few: int = 0
) -> Iterator[Report]:
    """Yield a function that reports progress; without a token, or for at most `few` things, it does nothing.

    The progress begins with the first report, and ends with the context.
    """
    has_begun = False

    def send(value: dict[str, Any]) -> None:
        server.protocol.notify_plain("$/progress", {"token": token, "value": value})

    def report(done: int, total: int) -> None:
        nonlocal has_begun
        if token is None or total <= few:
            return
        if not has_begun:
            has_begun = True
            send({"kind": "begin", "title": title, "percentage": 0})
        message = f"{done} of {total} {unit}"
        send({"kind": "report", "percentage": 100 * done // total, "message": message})

    try:
        yield report
    finally:
        if has_begun:
            send({"kind": "end"})
