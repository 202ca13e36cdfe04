"""Failed passes: one message per pass, the traceback in the log, and a command for a bug report."""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from dataclasses import dataclass

from lsprotocol import types

from nirls.server.engine.checks.bug_report import write_bug_report
from nirls.server.engine.checks.pass_failures import PassFailure
from nirls.server.lsp.nirls_server import NirlsServer

_log = logging.getLogger(__name__)

WRITE_BUG_REPORT = "nirls.writeBugReport"

MOST_LOGGED = 5
"""Most log entries for one message: a pass may fail on every dump of a log."""


@dataclass(frozen=True, slots=True)
class WriteBugReport:
    """Argument: a pass, the last one that failed without one."""

    pass_name: str | None = None


def register(server: NirlsServer) -> None:
    @server.command_handler(WRITE_BUG_REPORT, WriteBugReport)
    async def write_report(asked: WriteBugReport) -> str | None:
        """Write a report on the last failure, or the last of the pass given; returns the path."""
        name = asked.pass_name or None
        failure = server.analyzer.failures.latest(name)
        if failure is None:
            nothing = f"{name} has not failed" if name else "No pass has failed"
            server.say(f"{nothing} in this session.")
            return None

        try:
            path = await asyncio.to_thread(write_bug_report, failure, server.pass_budget)
        except OSError as error:
            server.say(f"The report could not be written: {error}", types.MessageType.Error)
            return None
        server.say(f"A report on {failure.pass_name} was written: {path}")
        return str(path)


def listen(server: NirlsServer) -> None:
    """Report failures to the client from now on. Call on the event loop."""
    loop = asyncio.get_running_loop()
    reported: set[str] = set()
    logged: Counter[str] = Counter()

    def log(failure: PassFailure) -> None:
        logged[failure.message] += 1
        if logged[failure.message] > MOST_LOGGED:
            return
        # The traceback is logged once: the same message has the same origin.
        text = f"{failure.message}\n{failure.trace}" if logged[failure.message] == 1 else failure.message
        _log.warning("%s", text.rstrip())
        server.window_log_message(types.LogMessageParams(types.MessageType.Error, text.rstrip()))

    def report(failure: PassFailure) -> None:
        log(failure)
        if failure.pass_name in reported:
            return
        reported.add(failure.pass_name)
        message = (
            f"{failure.message}. The pass is disabled for this dump until its text changes."
            f" The command {WRITE_BUG_REPORT} writes a report."
        )
        server.say(message, types.MessageType.Warning)

    def report_on_loop(failure: PassFailure) -> None:
        loop.call_soon_threadsafe(report, failure)

    # Passes fail in threads.
    server.analyzer.failures.listener = report_on_loop
