"""CPU time of every command and request on one text."""

from __future__ import annotations

import asyncio
import contextlib
import io
import logging
import os
import random
import resource
import sys
import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final
from unittest.mock import patch

import typer
from pygls.exceptions import JsonRpcException

from nirls.server.cli.app import app
from nirls.server.cli.errors import INTERNAL
from nirls.server.engine.batch import run
from nirls.server.engine.settings.client_settings import ClientSettings, FolderSettings
from nirls.server.engine.worker.process import InlineWorker
from nirls.server.lsp.client import Client
from nirls.server.lsp.language_server import make_server
from nirls.server.lsp.nirls_server import NirlsServer
from tools.fuzz.requests import AT_PLACE, OF_ALL, OWN, NoOutput, answer, request_params

Times = dict[str, float]
"""Seconds of CPU time by command or request."""

URI: Final = "untitled:growth.log"
COMMANDS: Final[dict[str, tuple[str, ...]]] = {
    "check": ("check", "--no-cache", "--jobs", "1", "--format", "text", "FILE"),
    "check --fixes": ("check", "--no-cache", "--jobs", "1", "--format", "json", "--fixes", "FILE"),
    "opt": ("opt", "-p", "opt_varyings,clean_up", "FILE"),
    "pack": ("pack", "FILE"),
    "print": ("print", "--normalize", "FILE"),
    "print --divergence": ("print", "--divergence", "subgroup", "FILE"),
    "preview": ("preview", "FILE"),
    "timeline": ("timeline", "--all", "FILE"),
    "verify": ("verify", "--no-cache", "--jobs", "1", "FILE"),
    "testcase": ("testcase", "--no-verify", "--pass", "nir_opt_dce", "FILE"),
    "stats": ("stats", "FILE", "FILE"),
    "diff": ("diff", "FILE#1", "FILE#2"),
    "report": ("report", "FILE", "-o", "OUT"),
    "tcs": ("tcs", "FILE"),
    "graph cfg": ("graph", "cfg", "FILE#1"),
    "graph values": ("graph", "values", "FILE#1"),
    "graph dominators": ("graph", "dominators", "FILE#1"),
    "graph varyings": ("graph", "varyings", "FILE#1", "FILE#2"),
}
"""Command lines; `reduce` has a time limit of its own, and the other commands read no dumps."""
GRAPHS: Final = ("cfg", "values", "dominators", "varyings")


def command_times(text: str, names: tuple[str, ...] = tuple(COMMANDS)) -> Times:
    """Run the commands on a file with the text. A command that refuses the text counts like the others.

    Raises RuntimeError for an internal error, which takes no time.
    """
    times: Times = {}
    with tempfile.TemporaryDirectory(prefix="nirls-growth-") as folder:
        path = Path(folder) / "growth.log"
        path.write_text(text, encoding="utf-8")
        for name in names:
            words = [
                word.replace("FILE", str(path)).replace("OUT", str(path.with_suffix(".html")))
                for word in COMMANDS[name]
            ]
            with (
                _output_dropped(),
                # To start processes takes as long for every size.
                patch.object(run, "WORTH_A_PROCESS", sys.maxsize),
                _timed(times, name),
            ):
                status = _status(words)
            if status == INTERNAL:
                raise RuntimeError(f"nirls {' '.join(words)} ended with an internal error")
    return times


def _status(words: list[str]) -> object:
    """Run a command and return its exit status."""
    try:
        return app(words, standalone_mode=False)
    except SystemExit as end:
        return end.code
    except typer.Exit as end:
        return end.exit_code


def request_times(text: str, names: tuple[str, ...] | None = None) -> Times:
    """Open the text in a server, and send the requests in the order in which an editor would.

    Each is charged with what the requests before it have not computed yet, and with all work that it starts:
    some answer after a time limit, and leave the rest to the background.
    """
    times: Times = {}
    server = make_server()
    server.analyzer.finder = server.analyzer.maker = server.verifier = InlineWorker()
    server.protocol.set_writer(NoOutput())
    server.client = Client(markdown=True, document_changes=True, snippets=True)
    hints = {"inlayHints": {"convergence": True, "varyings": True, "constants": True}}
    server.analyzers.use_settings(FolderSettings(ClientSettings.of(hints)))
    try:
        asyncio.run(_ask(server, text, times, names))
    finally:
        server.shutdown()
    return times


async def _ask(server: NirlsServer, text: str, times: Times, names: tuple[str, ...] | None) -> None:
    with _timed(times, "open"):
        document = server.documents.open(URI, text, 1)
    with _timed(times, "check text"):
        for dump in document.snapshot.dumps():
            server.analyzer.check_text(document.state(dump.piece))
    with _timed(times, "link"):
        pipelines = server.linker.pipelines_of(document)
    with _timed(times, "place findings"):
        server.analyzer.place_findings(document, pipelines)
    for name, method, params in _requests(text):
        if names is None or name in names:
            with _timed(times, name), contextlib.suppress(JsonRpcException):
                await answer(server, method, params)
                await _background_work()


async def _background_work() -> None:
    """Wait until all other tasks have ended."""
    while others := asyncio.all_tasks() - {asyncio.current_task()}:
        await asyncio.wait(others)


def _requests(text: str) -> Iterator[tuple[str, str, dict[str, Any]]]:
    at = places(text)
    for method in (*OF_ALL, *AT_PLACE):
        params = request_params(f"textDocument/{method}", URI, at, random.Random(0))
        whole = {"start": {"line": 0, "character": 0}, "end": {"line": text.count("\n") + 1, "character": 0}}
        for number, place in enumerate(at if method in AT_PLACE else at[:1]):
            name = method if len(at) == 1 or method in OF_ALL else f"{method} at {number + 1}"
            yield (
                name,
                f"textDocument/{method}",
                {**params, "position": place, "range": whole, "newName": "%9"},
            )
    last = {"before": 0, "after": 1, "number": 0, "passes": []}
    for method in OWN:
        params = {**request_params(method, URI, at, random.Random(0)), **last, "position": at[0]}
        if method != "nirls/graph":
            yield method, method, params
            continue
        for kind in GRAPHS:
            yield f"{method} {kind}", method, {**params, "kind": kind, "whole": True}
    yield "workspace/symbol", "workspace/symbol", {"query": "m"}


def places(text: str) -> list[dict[str, int]]:
    """An opcode, and the first and last value of a line in the middle of the text.

    The line has the most frequent opcode, so that the places in texts of one shape are alike whatever their
    size: a hover on a varying computes what one on an addition does not.
    """
    lines = text.split("\n")
    of_opcodes: defaultdict[str, list[int]] = defaultdict(list)
    for number, line in enumerate(lines):
        if "= " in line and line.count("%") > 1:
            opcode, *_ = line.partition("= ")[2].split(maxsplit=1) or [""]
            of_opcodes[opcode].append(number)
    if not of_opcodes:
        return [{"line": len(lines) // 2, "character": 0}]
    _, numbers = max(sorted(of_opcodes.items()), key=lambda item: len(item[1]))
    middle = numbers[len(numbers) // 2]
    found = lines[middle]
    columns = (found.index("= ") + 3, found.index("%") + 1, found.rindex("%") + 1)
    return [{"line": middle, "character": column} for column in columns]


@contextmanager
def _timed(times: Times, name: str) -> Iterator[None]:
    started = _cpu_seconds()
    try:
        yield
    finally:
        times[name] = _cpu_seconds() - started


def _cpu_seconds() -> float:
    """CPU time of this process, its threads, and child processes that have ended."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used)


@contextmanager
def _output_dropped() -> Iterator[None]:
    """Drop what a command prints, logged warnings included."""
    with (
        Path(os.devnull).open("w", encoding="utf-8") as nothing,
        contextlib.redirect_stdout(nothing),
        contextlib.redirect_stderr(io.StringIO()),
    ):
        logging.disable(logging.CRITICAL)
        try:
            yield
        finally:
            logging.disable(logging.NOTSET)


Measure = Callable[[str], Times]
MEASURES: Final[tuple[Measure, ...]] = (request_times, command_times)
