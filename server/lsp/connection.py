"""Connection to the client: standard input and output, or one TCP connection. pygls reads the messages."""

from __future__ import annotations

import asyncio
import logging
import os
import socket
import sys
from collections.abc import Callable, Coroutine
from contextlib import suppress
from ipaddress import ip_address
from threading import Event
from typing import TYPE_CHECKING, BinaryIO, Final

from pygls.io_ import StdinAsyncReader, StdoutWriter, run_async

from nirls.server.lsp.nirls_server import NirlsServer
from nirls.server.lsp.watchdog import EventLoopWatchdog

if TYPE_CHECKING:  # pygls defines it for type checkers only
    from pygls.io_ import AsyncReader

_log = logging.getLogger(__name__)

_HEADER: Final = b"content-"
"""Start of the first line of every LSP client, in lower case. A web page can make a browser post an LSP
message to a local port, but the first line is then an HTTP request line."""

_LARGEST_BACKLOG: Final = 64 << 20
"""Bytes that a TCP client may leave unread before it is disconnected."""


def serve_streams(server: NirlsServer) -> None:
    """Serve one client over standard input and output until `exit` or end of file."""
    server.protocol.set_writer(_StandardOutput(sys.stdout.buffer, lambda: server.protocol.is_shut_down))
    with suppress(KeyboardInterrupt, SystemExit):
        _run(_serve(server, StdinAsyncReader(sys.stdin.buffer, server.thread_pool)))


def serve_port(server: NirlsServer, host: str, port: int) -> None:
    """Serve the first LSP client that connects. Raises ValueError for a host other than the local one."""
    with suppress(KeyboardInterrupt):
        _run(_serve_one_connection(server, host, port))


def _run(work: Coroutine[None, None, None]) -> None:
    watchdog = EventLoopWatchdog()
    try:
        with asyncio.Runner(loop_factory=watchdog.new_event_loop) as runner:
            runner.run(work)
    finally:
        watchdog.stop()


async def _serve(server: NirlsServer, reader: AsyncReader) -> None:
    # The event would end pygls' loop; here, the end of the input and `exit` do.
    await run_async(Event(), reader, server.protocol, error_handler=server.report_server_error)


class _StandardOutput(StdoutWriter):
    """Ends the process when standard output is closed before `shutdown`, because nothing can be answered."""

    def __init__(self, stdout: BinaryIO, is_shut_down: Callable[[], bool]) -> None:
        super().__init__(stdout)
        self._is_shut_down = is_shut_down

    def write(self, data: bytes) -> None:
        try:
            super().write(data)
        except (BrokenPipeError, ValueError) as error:  # ValueError: the file object is closed
            if self._is_shut_down():
                return  # a notification of a thread that ends after `exit`
            _log.error("the client has closed its end: %s", error)
            os._exit(1)


class _BoundedWriter:
    """Disconnects a TCP client that does not read."""

    def __init__(self, stream: asyncio.StreamWriter) -> None:
        self._stream = stream

    def write(self, data: bytes) -> None:
        if self._stream.transport.get_write_buffer_size() > _LARGEST_BACKLOG:
            _log.error("the client leaves %d MB unread; disconnected", _LARGEST_BACKLOG >> 20)
            self._stream.transport.abort()
            return
        self._stream.write(data)

    def close(self) -> None:
        self._stream.close()


class _ReaderAfterFirstLine:
    """A stream whose first line has been read already."""

    def __init__(self, stream: asyncio.StreamReader, first: bytes) -> None:
        self._stream = stream
        self._first = first

    async def readline(self) -> bytes:
        line, self._first = self._first or await self._stream.readline(), b""
        return line

    async def readexactly(self, n: int) -> bytes:
        return await self._stream.readexactly(n)


async def _serve_one_connection(server: NirlsServer, host: str, port: int) -> None:
    over = asyncio.Event()

    async def connected(stream: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            first = await stream.readline()
        except (ConnectionError, ValueError):  # ValueError: longer than any header
            first = b""
        if not first.lower().startswith(_HEADER) or server.protocol.writer is not None:
            writer.close()  # not an LSP client, or a second client
            return
        server.protocol.set_writer(_BoundedWriter(writer))
        try:
            await _serve(server, _ReaderAfterFirstLine(stream, first))
        except (SystemExit, ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            over.set()

    listener = await asyncio.start_server(connected, await _loopback_addresses(host, port), port)
    _log.info("serving on %s", ", ".join(str(each.getsockname()) for each in listener.sockets))
    try:
        await over.wait()
    finally:
        # Not `async with`: from Python 3.12 on, that waits until every other client has disconnected.
        listener.close()


async def _loopback_addresses(host: str, port: int) -> list[str]:
    """Resolve a host name to loopback addresses. Raises ValueError for any other address."""
    found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    addresses = sorted({str(address[0]) for *_, address in found})
    if not all(ip_address(address).is_loopback for address in addresses):
        raise ValueError(f"{host} is {', '.join(addresses)} here, which is not this machine only")
    return addresses
