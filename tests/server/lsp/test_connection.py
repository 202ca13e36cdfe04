"""Bounds of a connection; whole processes: test_wire.py."""

from __future__ import annotations

import asyncio
import contextlib
import io
import socket

import pytest

from nirls.server.lsp import connection
from nirls.server.lsp.connection import _StandardOutput
from nirls.server.lsp.language_server import make_server


class _Transport:
    def __init__(self, unread: int) -> None:
        self.unread = unread
        self.is_aborted = False

    def get_write_buffer_size(self) -> int:
        return self.unread

    def abort(self) -> None:
        self.is_aborted = True


class _Stream:
    def __init__(self, unread: int) -> None:
        self.transport = _Transport(unread)
        self.written = b""

    def write(self, data: bytes) -> None:
        self.written += data


def test_a_client_that_does_not_read_is_disconnected() -> None:
    reads, sleeps = _Stream(0), _Stream(connection._LARGEST_BACKLOG + 1)
    for stream in (reads, sleeps):
        connection._BoundedWriter(stream).write(b"x")  # type: ignore[arg-type]
    assert (reads.written, reads.transport.is_aborted) == (b"x", False)
    assert (sleeps.written, sleeps.transport.is_aborted) == (b"", True)


@pytest.mark.parametrize(("is_shut_down", "status"), [(True, None), (False, 1)])
def test_closed_output_ends_the_process_unless_it_ends_already(
    monkeypatch: pytest.MonkeyPatch, is_shut_down: bool, status: int | None
) -> None:
    exits: list[int] = []
    monkeypatch.setattr("os._exit", exits.append)
    output = io.BytesIO()
    writer = _StandardOutput(output, lambda: is_shut_down)
    output.close()
    writer.write(b"late")
    assert exits == ([] if status is None else [status])


async def test_an_idle_connection_does_not_keep_the_server_alive() -> None:
    """Only from Python 3.12 on, closing a listener may wait for its connections."""
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    server = make_server()
    task = asyncio.create_task(connection._serve_one_connection(server, "127.0.0.1", port))
    for _ in range(100):
        await asyncio.sleep(0.01)
        with contextlib.suppress(OSError):
            _, idle = await asyncio.open_connection("127.0.0.1", port)
            break
    _, client = await asyncio.open_connection("127.0.0.1", port)
    client.write(b"Content-Length: 2\r\n\r\n{}")
    client.write_eof()
    await asyncio.wait_for(task, 20)
    idle.close()
    client.close()
    server.shutdown()
