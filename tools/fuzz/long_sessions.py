"""Long sessions of an editor, each of its own kind, for measurements of memory."""

from __future__ import annotations

import contextlib
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Final

from tools.fuzz.client import answer
from tools.fuzz.moves import METHODS
from tools.fuzz.requests import request_params
from tools.lsp_client import LspClient, RefusedError
from tools.synthetic import fragment_dump, log_of_lines, vertex_dump

_LINES: Final = 3_000
_DUMP: Final = 100
_PASSES_EVERY: Final = 250


@dataclass(frozen=True, slots=True)
class LongSession:
    """A kind of session. `hold` does one step after the other, without end.

    `share` is how many steps count as much as one edit.
    """

    name: str
    hold: Callable[[LspClient, Path], Iterator[None]]
    share: float


class _Log:
    """The client's copy of an open log."""

    def __init__(self, client: LspClient, folder: Path) -> None:
        self.client = client
        self.lines = log_of_lines(_LINES, _DUMP).split("\n")
        self.places = [
            (number, line.index("fadd")) for number, line in enumerate(self.lines) if " fadd " in line
        ]
        self.uri = client.open(folder / "debug.log", "\n".join(self.lines))
        self.version = 1
        self.document = {"textDocument": {"uri": self.uri}}
        self.run_passes()

    def place(self, step: int) -> tuple[int, int]:
        """Some place of an opcode; all places come in turn."""
        return self.places[step * 7919 % len(self.places)]

    def change(self, start: tuple[int, int], end: tuple[int, int], text: str) -> None:
        """Replace text and ask for findings, as an editor does after each key."""
        self.version += 1
        places = {
            name: {"line": line, "character": column}
            for name, (line, column) in (("start", start), ("end", end))
        }
        changed = {"uri": self.uri, "version": self.version}
        self.client.notify(
            "textDocument/didChange",
            {"textDocument": changed, "contentChanges": [{"range": places, "text": text}]},
        )
        self.client.request("textDocument/diagnostic", self.document)

    def write_opcode(self, step: int) -> None:
        """Write an opcode over another; one of five is unknown."""
        line, column = self.place(step)
        opcode = f"f{step:03x}"[:4] if step % 5 == 0 else ("fadd", "fmul", "fmax", "fsub")[step // 3 % 4]
        self.change((line, column), (line, column + 4), opcode)

    def run_passes(self) -> None:
        """As when the document is saved."""
        arguments = {"command": "nirls.runPasses", "arguments": [self.uri]}
        self.client.request("workspace/executeCommand", arguments, 600)

    def take_a_fix(self, step: int) -> None:
        """Ask for the edits of a quick fix of a pass, which another worker makes."""
        for finding in self.client.request("textDocument/diagnostic", self.document)["items"]:
            context = {"diagnostics": [], "only": ["quickfix"]}
            params = {**self.document, "range": finding["range"], "context": context}
            actions = self.client.request("textDocument/codeAction", params) or []
            of_passes = [action for action in actions if "pass" in action.get("data", ())]
            if of_passes:
                answer(self.client, "codeAction/resolve", of_passes[step % len(of_passes)])
                return


def _edits(client: LspClient, folder: Path) -> Iterator[None]:
    """A key at a time, in all dumps of a log, with what an editor asks after it."""
    log = _Log(client, folder)
    for step in count():
        log.write_opcode(step)
        if step % 10 == 0:
            line, column = log.place(step)
            client.request(
                "textDocument/hover", {**log.document, "position": {"line": line, "character": column}}
            )
            client.request("textDocument/documentSymbol", log.document)
            client.request("textDocument/semanticTokens/full", log.document)
        if step % _PASSES_EVERY == 0:
            log.run_passes()
            log.take_a_fix(step)
        yield


def _large_edits(client: LspClient, folder: Path) -> Iterator[None]:
    """A third of a log is replaced at once, by other dumps each time."""
    log = _Log(client, folder)
    size = len(log.lines) // 3
    for step in count():
        first = step % 3 * size
        new = "\n".join(vertex_dump(_DUMP, step * 50 + number) for number in range(size // (_DUMP + 10)))
        lines = new.split("\n")
        lines += [""] * (size - len(lines))
        log.change((first, 0), (first + size, 0), "\n".join([*lines[:size], ""]))
        client.request("textDocument/documentSymbol", log.document)
        if step % 10 == 9:
            log.run_passes()
        yield


def _documents(client: LspClient, folder: Path) -> Iterator[None]:
    """One document after the other, each with a file beside it that it is linked with."""
    for step in count():
        path = folder / f"shader{step}.vert.nir"
        beside = path.with_name(f"shader{step}.frag.nir")
        beside.write_text(fragment_dump(_DUMP, step), encoding="utf-8")
        uri = client.open(path, vertex_dump(_DUMP, step))
        document = {"textDocument": {"uri": uri}}
        client.request("textDocument/diagnostic", document)
        client.request("textDocument/semanticTokens/full", document)
        client.request("workspace/executeCommand", {"command": "nirls.runPasses", "arguments": [uri]}, 600)
        client.notify("textDocument/didClose", document)
        beside.unlink()
        yield


def _requests(client: LspClient, folder: Path) -> Iterator[None]:
    """Requests of all kinds, with an edit before each."""
    log = _Log(client, folder)
    rng = random.Random(0)
    for step in count():
        log.write_opcode(step)
        line, column = log.place(step)
        places = [{"line": line, "character": column}, {"line": line + 3, "character": 5}]
        method = METHODS[step % len(METHODS)]
        with contextlib.suppress(RefusedError):
            answer(client, method, request_params(method, log.uri, places, rng))
        if step % 25 == 0:
            log.run_passes()
        yield


SESSIONS: Final = (
    LongSession("keys", _edits, 1.0),
    LongSession("large edits", _large_edits, 0.05),
    LongSession("documents opened and closed", _documents, 0.2),
    LongSession("edits with requests of all kinds", _requests, 0.2),
)
