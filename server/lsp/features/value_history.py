"""Requests about the history of a shader in a log.

`nirls/valueHistory`: what passes did to a value; `nirls/blame`: the pass that changed each instruction last;
`nirls/touchingPasses`: the passes that changed lines with a value or a name.
"""

from __future__ import annotations

from typing import Any

from lsprotocol import types

from nirls.ir.model.values import Def
from nirls.server.engine.documents.workspace import Document
from nirls.server.ide.history.value_history import is_value, plain_blame, plain_history
from nirls.server.lsp.answers.cursor import cursor_at
from nirls.server.lsp.answers.shader_histories import requested_history
from nirls.server.lsp.nirls_server import NirlsServer

VALUE_HISTORY = "nirls/valueHistory"
BLAME = "nirls/blame"
TOUCHING_PASSES = "nirls/touchingPasses"


def register(server: NirlsServer) -> None:
    @server.on_document(VALUE_HISTORY, reads_text=True)
    async def value_history(document: Document, params: Any) -> dict[str, Any] | None:
        """Return what passes did to a value, matched by structure; null if the dump has no such value.

        Parameters: `textDocument`, a `position` on a value, or the `dump` number from 0, the `value` such as
        `%12`, and optionally its `function`; `workDoneToken`. Result: see
        `nirls.server.ide.history.value_history.plain_history`.
        """
        found = await requested_history(server, document, params)
        if found is None:
            return None
        dump, history = found
        name = getattr(params, "value", None) or _value_at(server, params)
        index = None if name is None else history.index_of(dump, str(name), getattr(params, "function", None))
        if index is None:
            return None

        return plain_history(history.follow(dump, index), document.snapshot.first_line)

    @server.on_document(BLAME, reads_text=True)
    async def blame(document: Document, params: Any) -> dict[str, Any] | None:
        """Return the pass that changed each instruction of a dump last, and the one that made it.

        Parameters: `textDocument`, and a `position` in the dump or its number `dump` from 0; `last` for the
        last snapshot of its shader instead; `workDoneToken`. Result: the number of the `dump`, its first
        line, and its `lines`, see `nirls.server.ide.history.value_history.plain_blame`; null
        outside of dumps.
        """
        found = await requested_history(server, document, params)
        if found is None:
            return None

        dump, history = found
        if getattr(params, "last", False):
            dump = history.last
        first_line = document.snapshot.first_line(dump)
        return {
            "dump": dump,
            "firstLine": first_line,
            "lines": plain_blame(history.blame(dump), first_line),
        }

    @server.on_document(TOUCHING_PASSES, otherwise={"dumps": []}, reads_text=True)
    async def touching_passes(document: Document, params: Any) -> dict[str, list[int]]:
        """Return the passes of a shader that changed lines with a value or a name.

        Parameters: `textDocument`, the number of a `dump` of the shader from 0 (or a `position` in it), and
        `what`: a value of that dump such as `%12`, which is followed, or a name such as `VAR1`;
        `workDoneToken`. Result: the `dumps` that these passes printed.
        """
        found = await requested_history(server, document, params)
        if found is None:
            return {"dumps": []}

        dump, history = found
        what = str(params.what)
        if is_value(what):
            index = history.index_of(dump, what)
            steps = [] if index is None else history.touching_value(dump, index)
        else:
            steps = history.touching(what) if what else []
        return {"dumps": [step.dump for step in steps if step.dump is not None]}


def _value_at(server: NirlsServer, params: Any) -> str | None:
    """Return the value at the position of a request, or the one that the line there defines."""
    place = types.Position(int(params.position.line), int(params.position.character))
    cursor = cursor_at(server, str(params.textDocument.uri), place)
    found = None if cursor is None else cursor.entity()
    if found is not None and isinstance(found[1], Def):
        return f"%{found[1].index}"
    if cursor is None:
        return None
    line = place.line - cursor.dump.first_line
    for instr in cursor.state.shader.instrs():
        if instr.span is not None and instr.span.line == line and instr.def_ is not None:
            return f"%{instr.def_.index}"
    return None
