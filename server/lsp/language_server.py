"""Composition and start of the language server."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import Final, NoReturn

from nirls.server.engine.checks.check_scheduler import CheckScheduler
from nirls.server.engine.worker.job import Budget
from nirls.server.engine.worker.process import Worker, WorkerProcess
from nirls.server.lsp.connection import serve_port, serve_streams
from nirls.server.lsp.feature_table import FEATURES
from nirls.server.lsp.features import configuration, diagnostics, lifecycle, project_files
from nirls.server.lsp.log_records import Records, log_to, wait_until_written
from nirls.server.lsp.nirls_server import NirlsServer

_SWITCH_INTERVAL: Final = 0.001
"""Interpreter switch interval in seconds. A request waits for several switches while a worker thread runs;
Python's default of 5 ms adds up."""


def make_server(
    pass_budget: Budget | None = None, new_worker: Callable[[Budget], Worker] = WorkerProcess
) -> NirlsServer:
    """Create a server with all features and no client.

    `pass_budget` limits each step in a worker process; `new_worker` makes another kind of worker for tests.
    """
    server = NirlsServer(pass_budget, new_worker)
    server.announcer = diagnostics.Announcer(server)
    server.scheduler = CheckScheduler(server.documents, server.linker, server.analyzers, server.announcer)
    server.project_files = project_files.ProjectFiles(server)
    lifecycle.register(server)
    configuration.register(server)
    for feature in FEATURES:
        server.declare(feature)
    return server


def serve_stdio(*, pass_budget: Budget | None = None) -> NoReturn:
    """Serve one client over standard input and output until `exit` or end of file, then end the process."""
    server = make_server(pass_budget)
    log = _set_up_interpreter()
    # The worker imports the passes while the client sends its first messages.
    with suppress(OSError):  # reported with the first job
        server.finder.start()
    serve_streams(server)
    server.shutdown()
    wait_until_written(log)
    # Worker threads may still be running a pass; do not wait for them.
    os._exit(0 if server.protocol.is_shut_down else 1)


def serve_tcp(host: str, port: int) -> None:
    """Serve one client over TCP. Raises ValueError for a host other than the local one."""
    if host not in ("127.0.0.1", "::1", "localhost"):
        raise ValueError(f"nirls serves this machine only, not {host}")
    server = make_server()
    _set_up_interpreter()
    try:
        serve_port(server, host, port)
    finally:
        server.shutdown()


def _set_up_interpreter() -> Records:
    sys.setswitchinterval(_SWITCH_INTERVAL)
    return log_to(sys.stderr)
