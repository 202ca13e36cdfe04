"""Waits of a hover in a small document behind each request about a large one."""

from __future__ import annotations

import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil

from tools.bench.nirls_session import NIRLS
from tools.bench.timing import since
from tools.lsp_client import LspClient, Message, RefusedError
from tools.synthetic import fragment_dump

_TIMEOUT = 600.0
_PAUSE = 0.005
_HINTS = {"inlayHints": {"convergence": True, "varyings": True, "constants": True}}


class _Client(LspClient):
    """A client that has all inlay hints on."""

    def respond(self, method: str, params: Any) -> Any:
        return [_HINTS] * len(params["items"]) if method == "workspace/configuration" else None


@dataclass(frozen=True, slots=True)
class Wait:
    """Milliseconds: of a request, and of the longest wait of a hover elsewhere meanwhile.

    `processor` is the longest such wait in CPU time of the server, which is the wait on a machine that does
    nothing else.
    """

    took: float
    wait: float
    processor: float


def waits(text: str) -> dict[str, Wait]:
    """Open a text, and send each request about it."""
    with (
        tempfile.TemporaryDirectory() as folder,
        _Client([NIRLS, "serve"], Path(folder).resolve(), is_quiet=True) as client,
    ):
        client.start()
        return _waits(client, text)


def _waits(client: LspClient, text: str) -> dict[str, Wait]:
    small = client.open(client.folder / "small.nir", fragment_dump(20))
    elsewhere = {"textDocument": {"uri": small}, "position": {"line": 8, "character": 16}}
    for _ in range(5):
        client.request("textDocument/hover", elsewhere)
    large = client.folder / "large.log"
    client.open(large, text)
    client.wait_until_told(large.as_uri())
    return {
        name: _one(client, method, params, elsewhere)
        for name, method, params in _requests(large.as_uri(), text)
    }


def _one(client: LspClient, method: str, params: Message, elsewhere: Message) -> Wait:
    """Send a request, and meanwhile one hover elsewhere after the other."""
    server = psutil.Process(client.process.pid)
    took: list[float] = []

    def ask() -> None:
        started = time.perf_counter()
        try:
            client.request(method, params, timeout=_TIMEOUT)
        except RefusedError as error:
            print(f"{method}: {error}", file=sys.stderr)
        took.append(since(started))

    thread = threading.Thread(target=ask)
    thread.start()
    longest = processor = 0.0
    while not took:
        time.sleep(_PAUSE)
        started, used = time.perf_counter(), _cpu_milliseconds(server)
        client.request("textDocument/hover", elsewhere)
        longest = max(longest, since(started))
        processor = max(processor, _cpu_milliseconds(server) - used)
    thread.join()
    return Wait(took[0], longest, processor)


def _cpu_milliseconds(process: psutil.Process) -> float:
    times = process.cpu_times()
    return float(times.user + times.system) * 1000


def _requests(uri: str, text: str) -> Iterator[tuple[str, str, Message]]:
    """(name, method, parameters) of each request, in the order of an editor."""
    lines = text.split("\n")
    line = next(number for number in range(len(lines) // 2, len(lines)) if "= fadd" in lines[number])
    place = {"line": line, "character": lines[line].index("fadd")}
    value = {"line": line, "character": lines[line].rindex("%") + 1}
    whole = {"start": {"line": 0, "character": 0}, "end": {"line": len(lines), "character": 0}}
    screen = {"start": {"line": line, "character": 0}, "end": {"line": line + 60, "character": 0}}
    document = {"textDocument": {"uri": uri}}
    options = {"tabSize": 4, "insertSpaces": True}
    at = {**document, "position": place}
    yield "first hover", "textDocument/hover", at
    yield "hover", "textDocument/hover", at
    for name in ("semanticTokens/full", "documentSymbol", "foldingRange", "documentLink", "codeLens"):
        yield name, f"textDocument/{name}", document
    yield "semanticTokens/range", "textDocument/semanticTokens/range", {**document, "range": screen}
    yield "inlayHint", "textDocument/inlayHint", {**document, "range": whole}
    context = {"includeDeclaration": True, "triggerKind": 1, "diagnostics": []}
    for name in ("definition", "documentHighlight", "references", "prepareRename", "completion"):
        yield name, f"textDocument/{name}", {**document, "position": value, "context": context}
    yield "rename", "textDocument/rename", {**document, "position": value, "newName": "%999999"}
    yield (
        "codeAction",
        "textDocument/codeAction",
        {**document, "range": screen, "context": context},
    )
    yield "formatting", "textDocument/formatting", {**document, "options": options}
    yield "nirls/timeline", "nirls/timeline", document
    yield "nirls/snapshotDiff", "nirls/snapshotDiff", {**document, "before": 0, "after": 0}
    for kind in ("cfg", "values"):
        yield f"nirls/graph {kind}", "nirls/graph", {**at, "kind": kind, "whole": kind == "cfg"}
    yield "nirls/linkStatus", "nirls/linkStatus", document
    yield "nirls/packing", "nirls/packing", at
    yield "nirls/preview", "nirls/preview", {**at, "passes": ["opt_dce"]}
    yield "workspace/symbol", "workspace/symbol", {"query": "m"}
