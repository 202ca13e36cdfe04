"""Sessions of a language server with one document, as an editor has them."""

from __future__ import annotations

import statistics
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import psutil

from tools.bench.timing import milliseconds, since
from tools.lsp_client import LspClient, Message

_INCREMENTAL = 2
"""LSP's number for a server that takes edits."""


@dataclass(frozen=True)
class Typing:
    """The place where letters are typed; they become the beginning of a word that the server reports."""

    line: int
    character: int
    word: str


class BenchSession:
    """An open document. A server that cannot take edits (`takes_edits`) gets all of the text each time."""

    def __init__(self, client: LspClient, uri: str, text: str, typing: Typing, takes_edits: bool) -> None:
        self.client, self.uri = client, uri
        self._lines = text.split("\n")
        self._typing = typing
        self._takes_edits = takes_edits
        self._version = 1
        self.typed = ""

    def keystroke(self) -> float:
        """Milliseconds from one more letter of the word until the server says that it does not know it.

        Counted from the call that sends the change.
        """
        character = self._typing.character + len(self.typed)
        letter = chr(ord("a") + len(self.typed) % 26)
        self.typed += letter
        word = f"{self.typed}{self._typing.word}"
        params = self._change(self._typing.line, character, character, letter)
        started = time.perf_counter()
        self.client.notify("textDocument/didChange", params)
        self.client.wait_for_diagnostics(
            self.uri, lambda found: any(word in one["message"] for one in found), timeout=120
        )
        return since(started)

    def change(self, line: int, start: int, end: int, text: str) -> None:
        """Replace characters of a line."""
        self.client.notify("textDocument/didChange", self._change(line, start, end, text))

    def _change(self, line: int, start: int, end: int, text: str) -> Message:
        self._version += 1
        self._lines[line] = self._lines[line][:start] + text + self._lines[line][end:]
        change: Message = {"text": "\n".join(self._lines)}
        if self._takes_edits:
            places = ({"line": line, "character": start}, {"line": line, "character": end})
            change = {"range": dict(zip(("start", "end"), places, strict=True)), "text": text}
        document = {"uri": self.uri, "version": self._version}
        return {"textDocument": document, "contentChanges": [change]}

    def time_of(self, method: str, **parameters: object) -> float:
        """The median time of a request, the first not counted."""
        asked = {"textDocument": {"uri": self.uri}, **parameters}
        self.client.request(method, asked, timeout=120)
        return milliseconds(lambda: self.client.request(method, asked, timeout=120), 5)


def in_the_middle(text: str, word: str) -> Typing:
    """The place of a word near the middle of a text: some servers stop reading at the first error."""
    lines = text.split("\n")
    line = next(number for number in range(len(lines) // 2, len(lines)) if f"{word} " in lines[number])
    return Typing(line, lines[line].index(f"{word} "), word)


@contextmanager
def opened(
    command: Sequence[str],
    name: str,
    text: str,
    typing: Typing,
    settled: Callable[[LspClient], object],
    *,
    is_quiet: bool = False,
) -> Iterator[tuple[BenchSession, dict[str, float]]]:
    """A session, and what its beginning took: the process, the handshake, the first diagnostics.

    The document is opened when the server is `settled`. A second server is asked to open it at once. The
    log of one that `is_quiet` is not shown.
    """
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder).resolve() / name
        path.write_text(text)
        figures = {"start and open to diagnostics, ms": _cold(command, path, text, is_quiet=is_quiet)}
        started = time.perf_counter()
        with LspClient(command, path.parent, is_quiet=is_quiet) as client:
            sync = client.start()["textDocumentSync"]
            figures["startup to initialize answer, ms"] = since(started)
            settled(client)
            started = time.perf_counter()
            uri = client.open(path, text)
            client.wait_until_told(uri)
            figures["open to first diagnostics, ms"] = since(started)
            takes_edits = (sync["change"] if isinstance(sync, dict) else sync) == _INCREMENTAL
            yield BenchSession(client, uri, text, typing, takes_edits), figures


def _cold(command: Sequence[str], path: Path, text: str, *, is_quiet: bool) -> float:
    started = time.perf_counter()
    with LspClient(command, path.parent, is_quiet=is_quiet) as client:
        client.start()
        client.wait_until_told(client.open(path, text))
        return since(started)


def median_of(sessions: Sequence[Mapping[str, float]]) -> dict[str, float]:
    """Each figure's median over sessions."""
    return {what: statistics.median(session[what] for session in sessions) for what in sessions[0]}


def peak_memory(process: int) -> float:
    """Megabytes of a process and those below it, each at its largest; 0 where the system does not say."""
    parent = psutil.Process(process)
    return sum(map(_peak, (parent, *parent.children(recursive=True))))


def _peak(process: psutil.Process) -> float:
    try:
        status = Path(f"/proc/{process.pid}/status").read_text()
    except OSError:
        return 0.0
    line = next((line for line in status.splitlines() if line.startswith("VmHWM:")), "VmHWM: 0")
    return int(line.split()[1]) / 1024
