"""Messages in a stream, and bounds of a connection; whole processes: test_wire.py."""

from __future__ import annotations

import asyncio
import contextlib
import io
import os
import socket
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from typing import Any

import pytest

from nirls.server.lsp import connection
from nirls.server.lsp.connection import MessageReader, StandardInput, _StandardOutput, end_with
from nirls.server.lsp.language_server import make_server
from tests.server.turns import counted_turns


async def _bodies(text: bytes, first: bytes = b"") -> list[bytes]:
    stream = asyncio.StreamReader()
    stream.feed_data(text)
    stream.feed_eof()
    reader = MessageReader(stream, first)
    bodies = []
    while body := await reader.body():
        bodies.append(body)
    return bodies


@pytest.mark.parametrize(
    "header",
    [
        b"Content-Length: 4\r\n\r\n",
        b"content-LENGTH :\t4 \n\n",
        b'rest of a body"}Content-Length: 4\r\n\r\n',
        b"Content-Type: x\r\nContent-Length: 4\r\nContent-Length: 5\r\nContent-Type: y\r\n\r\n",
        b"\r\n\nContent-Length: 0\r\n\r\nContent-Length: 4\r\n\r\n",
        b"Content-Length: 1234567890\r\n\r\nbody\nContent-Length: 4\r\n\r\n",
        b"Content-Length: -1\r\n\r\nContent-Length: 4\r\n\r\n",
    ],
)
async def test_header_lines(header: bytes) -> None:
    assert await _bodies(header + b"body" + header + b"more") == [b"body", b"more"]
    first, _, rest = header.partition(b"\n")
    assert await _bodies(rest + b"body", first + b"\n") == [b"body"]


class _CountingThreads(ThreadPoolExecutor):
    """Counts how often the event loop waits for a thread."""

    waits = 0

    def submit(self, *arguments: Any, **named: Any) -> Future[Any]:
        self.waits += 1
        return super().submit(*arguments, **named)


async def test_messages_that_have_arrived_are_read_without_waiting_for_a_thread_again() -> None:
    text = b"Content-Length: 4\r\n\r\nbody" * 50
    with _CountingThreads(1) as threads:
        stream = StandardInput(io.BytesIO(text), threads)
        for _ in range(50):
            assert await stream.readline() == b"Content-Length: 4\r\n"
            assert await stream.readline() == b"\r\n"
            assert await stream.readexactly(4) == b"body"
        assert threads.waits == 1
        assert await stream.readline() == b""


async def test_a_long_body_takes_one_wait_and_may_end_early(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "_READ_AT_ONCE", 8)
    with _CountingThreads(1) as threads:
        stream = StandardInput(io.BytesIO(b"0123\n" + b"x" * 1000 + b"rest"), threads)
        assert await stream.readline() == b"0123\n"
        assert await stream.readexactly(1000) == b"x" * 1000
        assert threads.waits == 2
        assert await stream.readexactly(9) == b"rest"
        assert await stream.readline() == b""


class _DoneAtOnce(Executor):
    """An executor whose jobs are done when they are submitted, as jobs of a quick thread can be."""

    def submit(self, job: Callable[..., Any], /, *arguments: Any, **named: Any) -> Future[Any]:
        done: Future[Any] = Future()
        done.set_result(job(*arguments, **named))
        return done


async def test_one_message_is_handled_a_turn() -> None:
    stream = StandardInput(io.BytesIO(b"bodybody"), _DoneAtOnce())
    async with counted_turns() as turns:
        await stream.readexactly(1)
        before = turns()
        for _ in range(7):
            await stream.readexactly(1)
        assert turns() - before >= 6


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


@pytest.mark.skipif(sys.platform == "win32", reason="the parent is watched on POSIX only")
def test_existing_processes() -> None:
    assert connection._exists(os.getpid())
    assert connection._exists(1)
    ended = subprocess.Popen(["true"])
    ended.wait()
    assert not connection._exists(ended.pid)
    assert not connection._exists(2**70)
    end_with(None)
    end_with(ended.pid)
    end_with(-1)


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
