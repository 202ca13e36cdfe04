"""The first documents of a client, looked at before the language server is imported.

That import takes over half a second, most of it for lsprotocol's classes, of which the first diagnostics
need none. So what an editor has opened by now is checked as the server would do it, from the same modules,
and told; then the server gets the same messages, with the texts' states made already. Requests for
diagnostics that are answered here it does not get.
"""

from __future__ import annotations

import json
import logging
from typing import Any, Final

from nirls.server.engine.engine import Engine
from nirls.server.engine.engines import Engines
from nirls.server.engine.linking import Linker
from nirls.server.engine.positions import Encoding
from nirls.server.engine.quick_check import check_text, check_what_is_quick
from nirls.server.engine.workspace import Workspace
from nirls.server.lsp.client import Client
from nirls.server.lsp.client_settings import check_settings_of
from nirls.server.lsp.features.diagnostic_json import diagnostics_of
from nirls.server.lsp.frames import Frame, frame_at, send
from nirls.server.lsp.front_desk import Met
from nirls.server.lsp.inbox import Inbox
from nirls.server.lsp.plain_json import value_at

_log = logging.getLogger(__name__)

_PATIENCE: Final = 2.0
"""Seconds to wait for the rest of a message that has begun."""

_SMALL_DUMP: Final = b"""shader: MESA_SHADER_FRAGMENT
impl main {
    block b0:  // preds:
    32    %0 = load_const (0x00000000 = 0.000000)
    32    %1 = fadd %0, %0
                // succs: b1
    block b1:
}
"""

_CHANGES_WHAT_IS_KNOWN: Final = (
    "textDocument/didChange",
    "textDocument/didClose",
    "workspace/didChangeConfiguration",
    "shutdown",
    "exit",
)
"""From the first of these on, all is the server's."""


class FirstLook:
    """What is known of the client's documents so far: enough for their diagnostics."""

    def __init__(self, params: object, met: Met, sink: int) -> None:
        encoding = Encoding(value_at(met.answer, "capabilities", "positionEncoding"))
        self.client = Client.of(value_at(params, "capabilities"), encoding)
        self.documents = Workspace()
        engine = Engine(self.documents, check_settings_of(value_at(params, "initializationOptions")))
        self._engines = Engines(engine, self.documents, Linker(self.documents))
        self._sink = sink

    @property
    def has_documents(self) -> bool:
        """Whether any is open."""
        return bool(self.documents.documents)

    def get_ready(self) -> None:
        """Import what reads a text and checks it, and build its tables."""
        check_text(self._engines.main, self.documents.store.state(_SMALL_DUMP))

    def hear(self, message: object) -> bool:
        """Do what a message asks for; True if it was a request that is answered now."""
        method, params = value_at(message, "method"), value_at(message, "params")
        if method == "textDocument/didOpen":
            self._open(params["textDocument"])
        if method == "textDocument/diagnostic":
            return self._answer(value_at(message, "id"), value_at(params, "textDocument", "uri"))
        return False

    def _open(self, item: dict[str, Any]) -> None:
        document = self.documents.open(item["uri"], item["text"], item["version"])
        check_what_is_quick(self._engines.of(document), document)
        if not self.client.pulls_diagnostics:
            uri, found = json.dumps(document.uri), diagnostics_of(self, document)
            self._send(
                '"method":"textDocument/publishDiagnostics",'
                f'"params":{{"uri":{uri},"version":{document.snapshot.version},"diagnostics":{found}}}'
            )

    def _answer(self, number: object, uri: object) -> bool:
        document = self.documents.get(uri) if isinstance(uri, str) else None
        if document is None or not isinstance(number, int | str) or not self.client.pulls_diagnostics:
            return False
        found = diagnostics_of(self, document)
        self._send(f'"id":{json.dumps(number)},"result":{{"kind":"full","items":{found}}}')
        return True

    def _send(self, members: str) -> None:
        send(self._sink, f'{{"jsonrpc":"2.0",{members}}}'.encode())


def look(inbox: Inbox, met: Met, sink: int) -> Workspace:
    """Tell the client what there is to tell by now. The result has the states of the texts."""
    looked: FirstLook | None = None
    position = 0
    is_ready = False
    try:
        while True:
            frame = _complete_frame(inbox, position)
            if frame is None:
                if looked is None or is_ready or looked.has_documents:
                    break
                # What the first document needs; it may come in the meantime.
                looked.get_ready()
                is_ready = True
                continue
            message = json.loads(inbox.held()[frame.body : frame.end])
            if looked is None:
                looked = FirstLook(value_at(message, "params"), met, sink)
            elif value_at(message, "method") in _CHANGES_WHAT_IS_KNOWN:
                break
            elif looked.hear(message):
                inbox.drop(frame.start, frame.end)
                continue
            position = frame.end
    except (ValueError, TypeError, KeyError):
        # The server has words for what is wrong with a message.
        _log.debug("the first look ended early", exc_info=True)
    return Workspace() if looked is None else looked.documents


def _complete_frame(inbox: Inbox, position: int) -> Frame | None:
    """The message at a position, if it has come or is about to."""
    data = inbox.held()
    if len(data) <= position:
        return None
    frame = frame_at(data, position)
    if frame is None or len(data) < frame.end:
        wanted = len(data) + 1 if frame is None else frame.end
        data = inbox.held(wanted, _PATIENCE)
        frame = frame_at(data, position)
    return frame if frame is not None and len(data) >= frame.end else None
