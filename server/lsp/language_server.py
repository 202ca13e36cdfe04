"""How the language server is put together and started."""

from __future__ import annotations

import asyncio
import gc
import json
import logging
import os
import socket
import sys
from functools import partial
from ipaddress import ip_address
from typing import BinaryIO, Final, NoReturn

from pygls.io_ import StdoutWriter

from nirls.server.engine.checker import Checker
from nirls.server.engine.dump_state import DumpStore
from nirls.server.engine.worker.budget import Budget
from nirls.server.engine.worker.process import WorkerProcess
from nirls.server.lsp.features import (
    call_hierarchy,
    code_actions,
    code_lenses,
    commands,
    completion,
    configuration,
    diagnostics,
    document_links,
    folders,
    folding,
    formatting,
    graphs,
    hover,
    inlay_hints,
    lifecycle,
    link_status,
    navigation,
    packing,
    pass_failures,
    previews,
    project_files,
    rename,
    renumbering,
    selection,
    semantic_tokens,
    signature_help,
    symbols,
    timeline,
    workspace_symbols,
)
from nirls.server.lsp.front_desk import Met
from nirls.server.lsp.inbox import Inbox
from nirls.server.lsp.incoming import Incoming
from nirls.server.lsp.nirls_server import NirlsServer

_log = logging.getLogger(__name__)

# Between two switches of threads a request waits; the interpreter's own 5 ms add up along a message's way.
_SWITCH_INTERVAL = 0.001

_CHUNK = 1 << 16

# The IR of a dump is some ten thousand objects in cycles: collecting after each 700 of them, as the
# interpreter does by itself, takes longer than making them.
_OBJECTS_BETWEEN_COLLECTIONS = 20_000

_FEATURES = (
    lifecycle,
    diagnostics,
    hover,
    navigation,
    symbols,
    folding,
    selection,
    semantic_tokens,
    code_actions,
    commands,
    configuration,
    link_status,
    completion,
    signature_help,
    rename,
    renumbering,
    formatting,
    inlay_hints,
    call_hierarchy,
    document_links,
    workspace_symbols,
    folders,
    code_lenses,
    packing,
    pass_failures,
    timeline,
    previews,
    graphs,
    project_files,
)


def make_server(
    pass_budget: Budget | None = None,
    finder: WorkerProcess | None = None,
    store: DumpStore | None = None,
) -> NirlsServer:
    """A server with all features, connected to nobody.

    The budget is that of its workers; `finder` is one of them that runs already, and `store` has what is
    known of texts.
    """
    server = NirlsServer(pass_budget, finder, store)
    server.announcer = diagnostics.Announcer(server)
    server.checker = Checker(server.documents, server.linker, server.engines, server.announcer)
    for feature in _FEATURES:
        feature.register(server)
    return server


def serve_stdio(
    stdin: BinaryIO | None = None,
    stdout: BinaryIO | None = None,
    *,
    met: Met | None = None,
    inbox: Inbox | None = None,
    pass_budget: Budget | None = None,
    finder: WorkerProcess | None = None,
    store: DumpStore | None = None,
) -> NoReturn:
    """Serve one client over standard input and output until it says exit or hangs up.

    `met` is what has been said before, `inbox` reads the standard input already.
    """
    source, sink = stdin or sys.stdin.buffer, stdout or sys.stdout.buffer
    server = make_server(pass_budget, finder, store)
    server.protocol.answered = met or Met()
    _set_up_interpreter()
    server.protocol.set_writer(_Sink(sink))
    try:
        asyncio.run(_serve(server, inbox or Inbox(source.fileno())))
    except (BrokenPipeError, KeyboardInterrupt, SystemExit):
        pass
    finally:
        server.stop_work()
    # Worker threads may be deep in a pass; nobody waits for them any more.
    os._exit(0 if server.protocol.is_shut_down else 1)


def serve_tcp(host: str, port: int) -> None:
    """Serve one client over TCP. Raises ValueError for a host other than this machine."""
    if host not in ("127.0.0.1", "::1", "localhost"):
        raise ValueError(f"nirls serves this machine only, not {host}")
    server = make_server()
    _set_up_interpreter()
    try:
        asyncio.run(_serve_one_connection(server, host, port))
    except KeyboardInterrupt:
        pass
    finally:
        server.stop_work()


class _Sink(StdoutWriter):
    """Standard output. What is to be told after the client said exit, it does not hear."""

    def __init__(self, sink: BinaryIO) -> None:
        super().__init__(sink)
        self._file = sink

    def write(self, data: bytes) -> None:
        if not self._file.closed:
            super().write(data)


def _set_up_interpreter() -> None:
    sys.setswitchinterval(_SWITCH_INTERVAL)
    gc.freeze()
    gc.set_threshold(_OBJECTS_BETWEEN_COLLECTIONS, 10, 10)
    gc.enable()


def _hear(server: NirlsServer, body: bytes) -> None:
    """Do what a message asks for; what is none is logged."""
    try:
        server.protocol.handle_message(server.protocol.structure_message(json.loads(body)))
    except Exception:
        _log.exception("a message could not be handled")


async def _serve(server: NirlsServer, inbox: Inbox) -> None:
    # A thread reads, always: a client that writes to a server which is busy, or writes itself, must not wait.
    incoming, over, loop = Incoming(partial(_hear, server)), asyncio.Event(), asyncio.get_running_loop()

    def take(data: bytes) -> None:
        if data:
            incoming.feed(data)
        else:
            over.set()

    inbox.forward(lambda data: loop.call_soon_threadsafe(take, data))
    await over.wait()


_HEADER: Final = b"content-"
"""How every client begins, in lower case. A browser that a web page has connect begins otherwise."""


async def _serve_one_connection(server: NirlsServer, host: str, port: int) -> None:
    over = asyncio.Event()

    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        data = await _begun(reader)
        if data is None or server.protocol.writer is not None:
            writer.close()  # one client at a time
            return
        server.protocol.set_writer(writer)
        incoming = Incoming(partial(_hear, server))
        try:
            while data:
                incoming.feed(data)
                data = await reader.read(_CHUNK)
        except (SystemExit, ConnectionError):
            pass
        finally:
            over.set()

    listener = await asyncio.start_server(connected, await _loopback_addresses(host, port), port)
    _log.info("serving on %s", ", ".join(str(each.getsockname()) for each in listener.sockets))
    async with listener:
        await over.wait()


async def _begun(reader: asyncio.StreamReader) -> bytes | None:
    """What a client says first, None if that is no client of a language server."""
    data = b""
    while len(data) < len(_HEADER):
        try:
            more = await reader.read(_CHUNK)
        except ConnectionError:
            return None
        data += more
        if not more or not _HEADER.startswith(data[: len(_HEADER)].lower()):
            return None
    return data


async def _loopback_addresses(host: str, port: int) -> list[str]:
    """The addresses of a name of this machine. Raises ValueError if it leads elsewhere."""
    found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    addresses = sorted({str(address[0]) for *_, address in found})
    if not all(ip_address(address).is_loopback for address in addresses):
        raise ValueError(f"{host} is {', '.join(addresses)} here, which is not this machine only")
    return addresses
