"""Transport of LSP messages: standard input and output, or one TCP connection."""

from __future__ import annotations

import asyncio
import functools
import logging
import os
import re
import socket
import sys
import threading
import time
from collections.abc import Awaitable, Callable, Coroutine
from concurrent.futures import Executor
from contextlib import suppress
from io import BufferedIOBase
from ipaddress import ip_address
from typing import BinaryIO, Final, Protocol, cast

from lsprotocol import types
from pygls.io_ import StdoutWriter

from nirls.server.lsp.message_order import MessageOrder
from nirls.server.lsp.nirls_server import NirlsServer
from nirls.server.lsp.watchdog import EventLoopWatchdog, LongTurn

_log = logging.getLogger(__name__)

_LENGTH = re.compile(rb"content-length[ \t]*:[ \t]*([0-9]{1,9})[ \t]*\r?\n", re.IGNORECASE)
_HEADER: Final = b"content-"
"""Start of the first line of every LSP client, in lower case. A web page can make a browser post an LSP
message to a local port, but the first line is then an HTTP request line."""

_LARGEST_BACKLOG: Final = 64 << 20
"""Bytes that a TCP client may leave unread before it is disconnected."""

_READ_AT_ONCE: Final = 1 << 16

_PARENT_POLL_SECONDS: Final = 3.0


class ByteStream(Protocol):
    """An asynchronous stream of bytes."""

    def readline(self) -> Awaitable[bytes]: ...

    def readexactly(self, n: int, /) -> Awaitable[bytes]: ...


class MessageReader:
    """The messages in a stream.

    Header names may be in any case, and blanks around values are optional. A header that cannot be taken (a
    length that is no number, or of more than nine digits) is skipped with its body: the next
    `Content-Length` is found even at the end of a line.
    """

    def __init__(self, stream: ByteStream, first: bytes = b"") -> None:
        self._stream = stream
        self._first = first

    async def body(self) -> bytes:
        """Return the next message without its header; nothing at the end of the stream."""
        length = 0
        while line := await self._line():
            if length and not line.strip():
                return await self._stream.readexactly(length)
            found = None if length else _LENGTH.search(line)
            if found is not None and found.end() == len(line):
                length = int(found[1])
                if found.start():
                    _log.error("skipped %d bytes that belong to no message", found.start())
        return b""

    async def _line(self) -> bytes:
        line, self._first = self._first or await self._stream.readline(), b""
        return line


class StandardInput:
    """Standard input, read in threads, as much at a time as there is.

    A busy event loop takes long to notice that a thread is done, so a message must not need one for each of
    its lines.
    """

    def __init__(self, stdin: BinaryIO, threads: Executor) -> None:
        self._stdin = cast(BufferedIOBase, stdin)
        self._threads = threads
        self._unread = bytearray()

    async def readline(self) -> bytes:
        """Return the next line with its end; without one at the end of the file."""
        searched = 0
        while (end := self._unread.find(b"\n", searched)) < 0:
            searched = len(self._unread)
            read = await self._in_thread(lambda: self._stdin.read1(_READ_AT_ONCE))
            if not read:
                return self._take(searched)
            self._unread += read
        return self._take(end + 1)

    async def readexactly(self, n: int) -> bytes:
        """Return `n` bytes, or fewer at the end of the file."""
        start = self._take(n)
        # A long text is joined in the thread too: a copy of tens of megabytes takes a while.
        missing = n - len(start)
        body = await self._in_thread(lambda: start + self._stdin.read(missing)) if missing else start
        # One message per turn of the event loop: in Python 3.14, awaiting a thread that is done takes none.
        await asyncio.sleep(0)
        return body

    async def _in_thread(self, read: Callable[[], bytes]) -> bytes:
        return await asyncio.get_running_loop().run_in_executor(self._threads, read)

    def _take(self, size: int) -> bytes:
        taken = bytes(self._unread[:size])
        del self._unread[:size]
        return taken


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


def serve_streams(server: NirlsServer) -> None:
    """Serve one client over standard input and output until `exit` or end of file."""
    server.protocol.set_writer(_StandardOutput(sys.stdout.buffer, lambda: server.protocol.is_shut_down))
    reader = MessageReader(StandardInput(sys.stdin.buffer, server.thread_pool))
    with suppress(KeyboardInterrupt, SystemExit):
        _run(server, _serve(server, reader))


def serve_port(server: NirlsServer, host: str, port: int) -> None:
    """Serve the first LSP client that connects. Raises ValueError for a host other than the local one."""
    with suppress(KeyboardInterrupt):
        _run(server, _serve_one_connection(server, host, port))


def _run(server: NirlsServer, work: Coroutine[None, None, None]) -> None:
    watchdog = EventLoopWatchdog()
    watchdog.report = functools.partial(_report_once, server)
    try:
        with asyncio.Runner(loop_factory=watchdog.new_event_loop) as runner:
            runner.run(work)
    finally:
        watchdog.stop()


def _report_once(server: NirlsServer, turn: LongTurn) -> None:
    if not server.was_busy:
        server.was_busy = True
        message = f"nirls: {turn} (the log has the stack)"
        server.window_show_message(types.ShowMessageParams(types.MessageType.Warning, message))


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
            await _serve(server, MessageReader(stream, first))
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


async def _serve(server: NirlsServer, reader: MessageReader) -> None:
    order = MessageOrder(server)
    while body := await reader.body():
        await order.take(body)
    await order.all_handled()


async def _loopback_addresses(host: str, port: int) -> list[str]:
    """Resolve a host name to loopback addresses. Raises ValueError for any other address."""
    found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    addresses = sorted({str(address[0]) for *_, address in found})
    if not all(ip_address(address).is_loopback for address in addresses):
        raise ValueError(f"{host} is {', '.join(addresses)} here, which is not this machine only")
    return addresses


def end_with(process_id: int | None, seconds: float = _PARENT_POLL_SECONDS) -> None:
    """End this process when the process of the client does, even while the event loop is blocked.

    A process that does not exist now is not watched: the client may be in another container.
    """
    # On Windows, os.kill would end the process; there, closed standard input must do.
    if process_id is None or process_id <= 0 or sys.platform == "win32" or not _exists(process_id):
        return

    def watch() -> None:
        while _exists(process_id):
            time.sleep(seconds)
        _log.error("the client's process %d has ended", process_id)
        os._exit(1)

    threading.Thread(target=watch, name="client process", daemon=True).start()


def _exists(process_id: int) -> bool:
    try:
        os.kill(process_id, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except OSError:  # PermissionError: it exists, and belongs to another user
        return True
    return True
