"""How long a hover in a small document waits behind each request about a large one."""

from __future__ import annotations

import statistics
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tools.bench.nirls_session import NIRLS
from tools.bench.session import since
from tools.lsp_client import LspClient, Message, RefusedError
from tools.synthetic import fragment_dump, log_of_lines, vertex_dump

WAIT = "hover elsewhere waits at most, ms"
TOOK = "the request, ms"
BLOCK = 30_000
"""Instructions in one block."""
LOG = 94_000
"""Lines of the log."""
TARGETS = {"hover": 300.0, "first hover": 1000.0, WAIT: 100.0}

_TIMEOUT = 600.0
_PAUSE = 0.005
_HINTS = {"inlayHints": {"convergence": True, "varyings": True, "constants": True}}


class _Client(LspClient):
    """A client that has all inlay hints on."""

    def respond(self, method: str, params: Any) -> Any:
        return [_HINTS] * len(params["items"]) if method == "workspace/configuration" else None


def block_text(size: int = BLOCK) -> str:
    """One dump with one block of so many instructions."""
    return vertex_dump(size)


def log_text(size: int = LOG) -> str:
    """A log of so many lines."""
    return log_of_lines(size, 500)


def waits(text: str) -> dict[str, tuple[float, float]]:
    """For each request: its time, and the longest wait of a hover elsewhere meanwhile, in milliseconds."""
    with tempfile.TemporaryDirectory() as folder:
        client = _Client([NIRLS, "serve"], Path(folder).resolve(), is_quiet=True)
        try:
            client.start()
            return _waits(client, text)
        finally:
            client.process.kill()
            client.process.wait()


def _waits(client: LspClient, text: str) -> dict[str, tuple[float, float]]:
    small = client.open(client.folder / "small.nir", fragment_dump(20))
    elsewhere = {"textDocument": {"uri": small}, "position": {"line": 8, "character": 16}}
    for _ in range(5):
        client.request("textDocument/hover", elsewhere)
    large = client.folder / "large.log"
    found: dict[str, tuple[float, float]] = {}

    def measure(name: str, method: str, params: Message, times: int = 1) -> None:
        measured = [_one(client, method, params, elsewhere) for _ in range(times)]
        found[name] = statistics.median(took for took, _ in measured), max(wait for _, wait in measured)

    client.open(large, text)
    client.wait_until_told(large.as_uri())
    for name, method, params, times in _requests(large.as_uri(), text):
        measure(name, method, params, times)
    return found


def _one(client: LspClient, method: str, params: Message, elsewhere: Message) -> tuple[float, float]:
    """The time of a request, and the longest of the hovers that are asked one after the other meanwhile."""
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
    longest = 0.0
    while not took:
        time.sleep(_PAUSE)
        started = time.perf_counter()
        client.request("textDocument/hover", elsewhere)
        longest = max(longest, since(started))
    thread.join()
    return took[0], longest


def _requests(uri: str, text: str) -> Iterator[tuple[str, str, Message, int]]:
    """(name, method, parameters, number of times) of each request, in the order of an editor."""
    lines = text.split("\n")
    line = next(number for number in range(len(lines) // 2, len(lines)) if "= fadd" in lines[number])
    place = {"line": line, "character": lines[line].index("fadd")}
    value = {"line": line, "character": lines[line].rindex("%") + 1}
    whole = {"start": {"line": 0, "character": 0}, "end": {"line": len(lines), "character": 0}}
    screen = {"start": {"line": line, "character": 0}, "end": {"line": line + 60, "character": 0}}
    document = {"textDocument": {"uri": uri}}
    options = {"tabSize": 4, "insertSpaces": True}
    at = {**document, "position": place}
    yield "first hover", "textDocument/hover", at, 1
    yield "hover", "textDocument/hover", at, 3
    for name in ("semanticTokens/full", "documentSymbol", "foldingRange", "documentLink", "codeLens"):
        yield name, f"textDocument/{name}", document, 1
    yield "semanticTokens/range", "textDocument/semanticTokens/range", {**document, "range": screen}, 1
    yield "inlayHint", "textDocument/inlayHint", {**document, "range": whole}, 1
    context = {"includeDeclaration": True, "triggerKind": 1, "diagnostics": []}
    for name in ("definition", "documentHighlight", "references", "prepareRename", "completion"):
        yield name, f"textDocument/{name}", {**document, "position": value, "context": context}, 1
    yield "rename", "textDocument/rename", {**document, "position": value, "newName": "%999999"}, 1
    yield (
        "codeAction",
        "textDocument/codeAction",
        {**document, "range": screen, "context": context},
        1,
    )
    yield "formatting", "textDocument/formatting", {**document, "options": options}, 1
    yield "nirls/timeline", "nirls/timeline", document, 1
    yield "nirls/snapshotDiff", "nirls/snapshotDiff", {**document, "before": 0, "after": 0}, 1
    for kind in ("cfg", "values"):
        yield f"nirls/graph {kind}", "nirls/graph", {**at, "kind": kind, "whole": kind == "cfg"}, 1
    yield "nirls/linkStatus", "nirls/linkStatus", document, 1
    yield "nirls/packing", "nirls/packing", at, 1
    yield "nirls/preview", "nirls/preview", {**at, "passes": ["opt_dce"]}, 1
    yield "workspace/symbol", "workspace/symbol", {"query": "m"}, 1
