"""Time and memory of `nirls serve`, on a log of many dumps or on one pair of stages."""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from tools.bench.session import BenchSession, in_the_middle, opened, peak_memory
from tools.bench.timing import since
from tools.lsp_client import LspClient, Message
from tools.synthetic import fragment_dump, log_of_lines, vertex_dump

NIRLS = str(Path(sys.executable).with_name("nirls"))
DUMP_IN_LOG = 500
DEAD = "dead-output"
_EVERYTHING = 600.0

TARGETS = {
    "startup to initialize answer, ms": "1500",
    "open to first diagnostics, ms": "500",
    "keystroke to diagnostics, ms": "30",
    "hover, ms": "10",
    "completion, ms": "10",
    "symbols, ms": "10",
    "save to pass findings, ms": "250",
    "peak memory, MB": "300",
}
"""For dumps of 500 instructions, in a log of any length."""


def log_figures(lines: int, runs: int) -> dict[str, float]:
    """The figures of a log of so many lines."""
    return _figures(log_of_lines(lines, DUMP_IN_LOG), runs)


def pair_figures(instructions: int, runs: int) -> dict[str, float]:
    """The figures of a vertex and a fragment shader of so many instructions each."""
    return _figures(f"{vertex_dump(instructions)}\nnir_opt_dce\n{fragment_dump(instructions)}", runs)


def _figures(text: str, runs: int) -> dict[str, float]:
    lines = text.split("\n")
    typing = in_the_middle(text, "fadd")
    line = typing.line
    with opened([NIRLS, "serve"], "debug.log", text, typing, _settled) as (session, figures):
        client, started = session.client, time.perf_counter()
        client.wait_for_diagnostics(session.uri, lambda found: DEAD in _codes(found))
        figures["and to the first pass findings, ms"] = since(started)
        client.request(
            "workspace/executeCommand",
            {"command": "nirls.runPasses", "arguments": [session.uri]},
            timeout=_EVERYTHING,
        )
        figures["and to all findings, ms"] = since(started)
        figures["keystroke to diagnostics, ms"] = statistics.median(
            [session.keystroke() for _ in range(2 * runs + 1)][1:]
        )
        place = {"line": line, "character": typing.character + 1}
        screen = {"start": {"line": line, "character": 0}, "end": {"line": line + 60, "character": 0}}
        figures["hover, ms"] = session.time_of("textDocument/hover", position=place)
        figures["completion, ms"] = session.time_of("textDocument/completion", position=place)
        figures["semantic tokens range, ms"] = session.time_of(
            "textDocument/semanticTokens/range", range=screen
        )
        figures["symbols, ms"] = session.time_of("textDocument/documentSymbol")
        store = _Store(session, lines)
        figures["save to pass findings, ms"] = statistics.median(store.save() for _ in range(runs))
        figures["peak memory, MB"] = peak_memory(client.process.pid)
        client.stop()
    return figures


def _settled(client: LspClient) -> None:
    """Ask for something, twice: the answer comes when the server and its worker have what they need."""
    nowhere = {"textDocument": {"uri": "file:///nowhere"}, "position": {"line": 0, "character": 0}}
    client.request("textDocument/hover", nowhere)
    time.sleep(1.0)
    client.request("textDocument/hover", nowhere)


class _Store:
    """The store of the first dump that nobody reads."""

    def __init__(self, session: BenchSession, lines: Sequence[str]) -> None:
        self._session = session
        self._line = next(number for number, line in enumerate(lines) if "VAR31" in line)
        self._slot_at = lines[self._line].index("VAR31")

    def save(self) -> float:
        """Make the store live, save, make it dead again, save, and wait for the finding to come back.

        Each time the text is one the server has not seen, so that nothing is known of it.
        """
        self._rename("VAR31", "VAR0")
        self._session.keystroke()
        self._save()
        client, uri = self._session.client, self._session.uri
        client.wait_for_diagnostics(uri, lambda found: not self._is_dead(found), timeout=_EVERYTHING)
        self._rename("VAR0", "VAR31")
        self._session.keystroke()
        started = time.perf_counter()
        self._save()
        client.wait_for_diagnostics(uri, self._is_dead, timeout=_EVERYTHING)
        return since(started)

    def _is_dead(self, found: Sequence[Message]) -> bool:
        return any(one.get("code") == DEAD and one["range"]["start"]["line"] == self._line for one in found)

    def _save(self) -> None:
        self._session.client.notify("textDocument/didSave", {"textDocument": {"uri": self._session.uri}})

    def _rename(self, old: str, new: str) -> None:
        self._session.change(self._line, self._slot_at, self._slot_at + len(old), new)


def _codes(found: Sequence[Message]) -> set[object]:
    return {one.get("code") for one in found}
