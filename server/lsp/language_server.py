"""Composition and start of the language server."""

from __future__ import annotations

import asyncio
import gc
import logging
import os
import socket
import sys
from contextlib import suppress
from importlib import import_module
from ipaddress import ip_address
from threading import Event
from typing import BinaryIO, Final, NoReturn

from pygls.io_ import run_async

from nirls.server.engine.checker import Checker
from nirls.server.engine.worker.job import Budget
from nirls.server.lsp.features import diagnostics
from nirls.server.lsp.nirls_server import NirlsServer

_log = logging.getLogger(__name__)

_SWITCH_INTERVAL: Final = 0.001
"""Interpreter switch interval in seconds. A request waits for several switches while a worker thread runs;
Python's default of 5 ms adds up."""

_OBJECTS_BETWEEN_COLLECTIONS: Final = 20_000
"""Generation 0 threshold of the garbage collector. The IR of a dump is about 10,000 objects in cycles; with
Python's default of 700, collection takes longer than creating them."""

_FEATURES: Final = (
    "lifecycle",
    "diagnostics",
    "hover",
    "navigation",
    "symbols",
    "folding",
    "selection",
    "semantic_tokens",
    "code_actions",
    "commands",
    "configuration",
    "link_status",
    "completion",
    "signature_help",
    "rename",
    "renumbering",
    "formatting",
    "inlay_hints",
    "call_hierarchy",
    "document_links",
    "workspace_symbols",
    "folders",
    "code_lenses",
    "packing",
    "pass_failures",
    "timeline",
    "verification",
    "previews",
    "graphs",
    "project_files",
)
"""Modules of `nirls.server.lsp.features` with a `register(server)` function."""


def make_server(pass_budget: Budget | None = None) -> NirlsServer:
    """Create a server with all features and no client. `pass_budget` limits each step in a worker process."""
    server = NirlsServer(pass_budget)
    server.announcer = diagnostics.Announcer(server)
    server.checker = Checker(server.documents, server.linker, server.engines, server.announcer)
    for name in _FEATURES:
        import_module(f"nirls.server.lsp.features.{name}").register(server)
    return server


def serve_stdio(
    stdin: BinaryIO | None = None, stdout: BinaryIO | None = None, *, pass_budget: Budget | None = None
) -> NoReturn:
    """Serve one client over standard input and output until `exit` or end of file, then end the process."""
    server = make_server(pass_budget)
    _set_up_interpreter()
    # The worker imports the passes while the client sends its first messages.
    with suppress(OSError):  # reported with the first job
        server.finder.start()
    server.start_io(stdin, stdout)
    # Worker threads may still be running a pass; do not wait for them.
    os._exit(0 if server.protocol.is_shut_down else 1)


def serve_tcp(host: str, port: int) -> None:
    """Serve one client over TCP. Raises ValueError for a host other than the local one."""
    if host not in ("127.0.0.1", "::1", "localhost"):
        raise ValueError(f"nirls serves this machine only, not {host}")
    server = make_server()
    _set_up_interpreter()
    try:
        asyncio.run(_serve_one_connection(server, host, port))
    except KeyboardInterrupt:
        pass
    finally:
        server.shutdown()


def _set_up_interpreter() -> None:
    sys.setswitchinterval(_SWITCH_INTERVAL)
    gc.freeze()
    gc.set_threshold(_OBJECTS_BETWEEN_COLLECTIONS, 10, 10)
    gc.enable()


_HEADER: Final = b"content-"
"""Start of the first line of every LSP client, in lower case. A web page can make a browser post an LSP
message to a local port, but the first line is then an HTTP request line."""


class _Reader:
    """A stream reader that returns an already consumed first line again."""

    def __init__(self, first: bytes, rest: asyncio.StreamReader) -> None:
        self._first = first
        self._rest = rest

    async def readline(self) -> bytes:
        first, self._first = self._first, b""
        return first or await self._rest.readline()

    async def readexactly(self, size: int) -> bytes:
        return await self._rest.readexactly(size)


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
        server.protocol.set_writer(writer)
        try:
            reader = _Reader(first, stream)
            await run_async(Event(), reader, server.protocol, _log, server.report_server_error)
        except (SystemExit, ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            over.set()

    listener = await asyncio.start_server(connected, await _loopback_addresses(host, port), port)
    _log.info("serving on %s", ", ".join(str(each.getsockname()) for each in listener.sockets))
    async with listener:
        await over.wait()


async def _loopback_addresses(host: str, port: int) -> list[str]:
    """Resolve a host name to loopback addresses. Raises ValueError for any other address."""
    found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    addresses = sorted({str(address[0]) for *_, address in found})
    if not all(ip_address(address).is_loopback for address in addresses):
        raise ValueError(f"{host} is {', '.join(addresses)} here, which is not this machine only")
    return addresses
