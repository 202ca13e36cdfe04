"""Memory of the server and its workers over many edits of a log."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from pathlib import Path
from statistics import median

import psutil

from tools.fuzz.sessions import start
from tools.lsp_client import LspClient
from tools.synthetic import log_of_lines

_LINES = 3_000
_DUMP = 100
_PLACES = 150
_SAMPLES = 40
_MOST_GROWTH = 0.1
_MOST_MEGABYTES = 16.0


@dataclass(frozen=True, slots=True)
class Growth:
    """Megabytes of the server with its workers after so many edits: at the start, then at equal distances.

    The start is where caches fill, so it is left out of what is compared.
    """

    edits: int
    megabytes: tuple[float, ...]

    @property
    def second_quarter(self) -> float:
        return median(self.megabytes[len(self.megabytes) // 4 : len(self.megabytes) // 2])

    @property
    def last_quarter(self) -> float:
        return median(self.megabytes[3 * len(self.megabytes) // 4 :])

    @property
    def is_flat(self) -> bool:
        """Whether the last quarter of the edits needs as much memory as the second."""
        growth = self.last_quarter - self.second_quarter
        return growth <= max(_MOST_GROWTH * self.second_quarter, _MOST_MEGABYTES)

    def __str__(self) -> str:
        return (
            f"{self.megabytes[0]:.0f} MB at the start, {self.second_quarter:.0f} MB in the second quarter of "
            f"{self.edits} edits, {self.last_quarter:.0f} MB in the last: "
            f"{'flat' if self.is_flat else 'it grows'}"
        )


def memory_over_edits(edits: int) -> Growth:
    """Edit a log so many times, in all its dumps, with what an editor asks after an edit, and measure."""
    text = log_of_lines(_LINES, _DUMP)
    lines = text.split("\n")
    found = [(number, line.index("fadd")) for number, line in enumerate(lines) if " fadd " in line]
    # So few that the cache of lines, which is bounded but large, is full before the first quarter is over.
    places = found[:: len(found) // _PLACES]
    with tempfile.TemporaryDirectory(prefix="nirls-fuzz-") as name:
        client = start(Path(name), "utf-16", pulls=True)
        try:
            uri = client.open(Path(name) / "debug.log", text)
            _run_passes(client, uri)
            measured = [_megabytes(client)]
            for edit in range(edits):
                line, column = places[edit * 7919 % len(places)]
                _edit(client, uri, edit, line, column)
                if edit % 250 == 249:
                    _run_passes(client, uri)
                if edit % max(1, edits // _SAMPLES) == 0:
                    measured.append(_megabytes(client))
            return Growth(edits, tuple(measured))
        finally:
            client.process.kill()
            client.process.wait()


def _edit(client: LspClient, uri: str, edit: int, line: int, column: int) -> None:
    """Write another opcode over one; every text is a new one, so nothing is served from a cache for ever."""
    opcode = ("fadd", "fmul", "fmax", "fsub")[edit // 3 % 4]
    range_ = {"start": {"line": line, "character": column}, "end": {"line": line, "character": column + 4}}
    client.notify(
        "textDocument/didChange",
        {
            "textDocument": {"uri": uri, "version": edit + 2},
            "contentChanges": [{"range": range_, "text": opcode}],
        },
    )
    document = {"textDocument": {"uri": uri}}
    client.request("textDocument/diagnostic", document)
    if edit % 10 == 0:
        client.request("textDocument/hover", {**document, "position": {"line": line, "character": column}})
        client.request("textDocument/documentSymbol", document)
        client.request("textDocument/semanticTokens/full", document)


def _run_passes(client: LspClient, uri: str) -> None:
    client.request("workspace/executeCommand", {"command": "nirls.runPasses", "arguments": [uri]}, 600)


def _megabytes(client: LspClient) -> float:
    process = psutil.Process(client.process.pid)
    total = 0
    for one in (process, *process.children(recursive=True)):
        try:
            total += one.memory_info().rss
        except psutil.NoSuchProcess:  # a worker that was replaced just now
            continue
    return total / (1 << 20)
