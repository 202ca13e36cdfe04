"""All requests of an editor about one text, answered by a server in this process."""

from __future__ import annotations

import asyncio
import json
import logging
import random
import traceback
from collections.abc import Iterator, Mapping
from functools import cache
from types import SimpleNamespace
from typing import Any

from lsprotocol import types
from pygls.exceptions import JsonRpcException

from nirls.server.engine.documents.positions import Encoding
from nirls.server.engine.documents.text_document import Document, to_text
from nirls.server.engine.settings.client_settings import ClientSettings, FolderSettings
from nirls.server.engine.worker.process import InlineWorker
from nirls.server.lsp.client import Client
from nirls.server.lsp.language_server import make_server
from nirls.server.lsp.nirls_server import NirlsServer
from tools.fuzz.notes import Notes, Wrong

URI = "untitled:fuzzed"
_PLACES = 4
_FOLLOWED = 3

AT_PLACE = (
    *("hover", "definition", "implementation", "references", "documentHighlight", "completion"),
    *("signatureHelp", "prepareRename", "rename", "prepareCallHierarchy", "selectionRange", "codeAction"),
)
OF_ALL = (
    *("documentSymbol", "foldingRange", "semanticTokens/full", "semanticTokens/full/delta", "documentLink"),
    *("semanticTokens/range", "formatting", "rangeFormatting", "inlayHint", "codeLens"),
)
_FOLLOW_UPS = {
    "textDocument/completion": "completionItem/resolve",
    "textDocument/codeAction": "codeAction/resolve",
    "textDocument/inlayHint": "inlayHint/resolve",
    "textDocument/codeLens": "codeLens/resolve",
}
OWN = (
    "nirls/linkStatus",
    "nirls/packing",
    "nirls/timeline",
    "nirls/preview",
    "nirls/graph",
    "nirls/snapshotDiff",
)
_NAMES = ("%77", "%0", "b77", "name", "", "é 𝄞", "x" * 300)
_KINDS_OF_GRAPHS = ("cfg", "values", "dominators", "post-dominators", "varyings", "nothing")


def request_params(method: str, uri: str, places: list[dict[str, int]], rng: random.Random) -> dict[str, Any]:
    """Parameters as an editor would send them, with what all these requests might want; others ignore it."""
    first, second = sorted(
        (rng.choice(places), rng.choice(places)), key=lambda at: (at["line"], at["character"])
    )
    return {
        "textDocument": {"uri": uri},
        "position": first,
        "positions": places,
        "range": {"start": first, "end": second},
        "context": {"includeDeclaration": True, "triggerKind": 1, "diagnostics": [], "isRetrigger": False},
        "options": {"tabSize": 4, "insertSpaces": True},
        "newName": rng.choice(_NAMES),
        "query": rng.choice(("", "m", "ain", "é")),
        "previousResultId": "1",
        "previousResultIds": [],
        "kind": rng.choice(_KINDS_OF_GRAPHS),
        "whole": rng.random() < 0.5,
        "number": rng.randrange(3),
        "before": 0,
        "after": rng.randrange(3),
        "passes": [],
    }


class _Log(logging.Handler):
    """Handlers let no exception out, they log it."""

    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self.records: list[logging.LogRecord] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.records.append(record)


class NoOutput:
    """Drops the messages of the server."""

    def write(self, data: bytes) -> None:
        pass

    def close(self) -> None:
        pass


@cache
def _server() -> tuple[NirlsServer, _Log]:
    server = make_server()
    server.analyzer.finder = server.analyzer.maker = InlineWorker()
    server.protocol.set_writer(NoOutput())
    log = _Log()
    logging.getLogger("nirls").addHandler(log)
    return server, log


def ask_everything(text: bytes, notes: Notes, rng: random.Random) -> None:
    """Send every request about a text, at some places of it."""
    server, log = _server()
    server.client = Client(
        encoding=rng.choice(tuple(Encoding)),
        snippets=rng.random() < 0.5,
        document_changes=True,
        markdown=rng.random() < 0.8,
        signature_label_offsets=True,
    )
    server.analyzers.use_settings(FolderSettings(ClientSettings.of({"inlayHints": {"convergence": True}})))
    server.documents.close(URI)
    log.records.clear()
    with notes.step("open"):
        server.documents.open(URI, text.decode("utf-8", "replace"), 1)
    document = server.document(URI)
    if document is None:
        return
    with notes.step("check"):
        _check(server, document)
    try:
        asyncio.run(_ask(server, document, notes, rng))
    finally:
        server.documents.close(URI)
    for record in log.records:
        trace = "".join(traceback.format_exception(*record.exc_info)) if record.exc_info else ""
        notes.wrong.append(Wrong("request", f"{record.getMessage()}: {_last_line(trace)}"[:500], trace))


def _last_line(trace: str) -> str:
    return trace.strip().rpartition("\n")[2]


def _check(server: NirlsServer, document: Document) -> None:
    pipelines = server.linker.pipelines_of(document)
    for dump in document.snapshot.dumps()[:3]:
        state = document.state(dump.piece)
        server.analyzer.check_text(state)
        server.analyzer.run_passes((state.text,))
    for linked in pipelines[:1]:
        server.analyzer.run_passes(linked.texts())
    server.analyzer.place_findings(document, pipelines)


async def _ask(server: NirlsServer, document: Document, notes: Notes, rng: random.Random) -> None:
    lines = to_text(document.snapshot.text).split("\n")
    places = [_place(lines, rng) for _ in range(_PLACES)]
    places.append({"line": len(lines) + 5, "character": 10**6})
    asked = [f"textDocument/{name}" for name in AT_PLACE for _ in range(2)]
    asked += [f"textDocument/{name}" for name in OF_ALL]
    for method in (*asked, *OWN, "workspace/symbol"):
        result = await _answer(server, method, request_params(method, URI, places, rng), notes)
        _look_at(method, result, document, notes)
        await _follow_up(server, method, result, notes, rng)


async def _follow_up(server: NirlsServer, method: str, result: Any, notes: Notes, rng: random.Random) -> None:
    items = result.get("items") if isinstance(result, dict) else result
    if not isinstance(items, list) or not items:
        return
    chosen = rng.sample(items, min(_FOLLOWED, len(items)))
    if method in _FOLLOW_UPS:
        for item in chosen:
            await _answer(server, _FOLLOW_UPS[method], item, notes)
    elif method == "textDocument/prepareCallHierarchy":
        for item in chosen:
            for direction in ("incomingCalls", "outgoingCalls"):
                await _answer(server, f"callHierarchy/{direction}", {"item": item}, notes)


async def _answer(server: NirlsServer, method: str, params: dict[str, Any], notes: Notes) -> Any:
    """The answer as plain JSON values; None for a refusal."""
    with notes.step(method, JsonRpcException):
        return await answer(server, method, params)
    return None


async def answer(server: NirlsServer, method: str, params: dict[str, Any]) -> Any:
    """Call the handler of a request; return its result as plain JSON values. Raises JsonRpcException."""
    result = server.protocol.fm.features[method](_structured(server, method, params))
    if asyncio.iscoroutine(result):
        result = await result
    if isinstance(result, str):
        return json.loads(result)
    return json.loads(json.dumps(result, default=server.protocol.plain))


def _structured(server: NirlsServer, method: str, params: dict[str, Any]) -> object:
    if method.startswith("nirls/"):
        return _as_object(params)
    kind: Any = types.METHOD_TO_TYPES[method][2]
    return server.protocol.structured(params, kind)


def _as_object(value: Any) -> Any:
    if isinstance(value, dict):
        return SimpleNamespace(**{key: _as_object(item) for key, item in value.items()})
    return [_as_object(item) for item in value] if isinstance(value, list) else value


def _place(lines: list[str], rng: random.Random) -> dict[str, int]:
    line = rng.randrange(len(lines))
    return {"line": line, "character": rng.randrange(len(lines[line]) + 2)}


def _look_at(method: str, result: Any, document: Document, notes: Notes) -> None:
    """Ranges that come back lie in the document and are not turned around."""
    if method == "textDocument/selectionRange":
        return  # around a place that is outside of the text there is only that place
    last = document.snapshot.position(len(document.snapshot), Encoding.UTF8).line
    for range_ in _ranges(result):
        start, end = ((at["line"], at["character"]) for at in (range_["start"], range_["end"]))
        notes.expect((0, 0) <= start <= end and end[0] <= last, method, f"range {start} to {end}")


def _ranges(result: Any) -> Iterator[Mapping[str, Any]]:
    pending = [result]
    while pending:
        value = pending.pop()
        if isinstance(value, dict):
            if isinstance(value.get("start"), dict) and isinstance(value.get("end"), dict):
                yield value
            pending += value.values()
        elif isinstance(value, list):
            pending += value
