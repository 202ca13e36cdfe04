"""Requests about the history of a shader in a log.

`nirls/valueHistory`: what passes did to a value; `nirls/blame`: the pass that changed each instruction last;
`nirls/touchingPasses`: the passes that changed lines with a value or a name.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from nirls.ir.model.values import Def
from nirls.server.engine.documents.text_document import Document
from nirls.server.ide.history.value_history import is_value, plain_blame, plain_history
from nirls.server.lsp.answers.cursor import cursor_at
from nirls.server.lsp.answers.shader_histories import requested_history
from nirls.server.lsp.nirls_server import NirlsServer
from nirls.server.lsp.own_messages import DumpRequest

VALUE_HISTORY = "nirls/valueHistory"
BLAME = "nirls/blame"
TOUCHING_PASSES = "nirls/touchingPasses"


@dataclass(frozen=True, slots=True, kw_only=True)
class ValueHistoryRequest(DumpRequest):
    """Parameters: a dump and the name of a value in it, or a position on a value."""

    value: str | None = None
    function: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class BlameRequest(DumpRequest):
    """Parameters: a dump, and `last` for the last snapshot of its shader instead."""

    last: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class TouchingPassesRequest(DumpRequest):
    """Parameters: a dump, and the value or name that passes have changed."""

    what: str


def register(server: NirlsServer) -> None:
    @server.on_document(VALUE_HISTORY, takes=ValueHistoryRequest, reads_text=True)
    async def value_history(document: Document, params: ValueHistoryRequest) -> dict[str, Any] | None:
        """Return what passes did to a value, matched by structure; null if the dump has no such value.

        Parameters: `textDocument`, a `position` on a value, or the `dump` number from 0, the `value` such as
        `%12`, and optionally its `function`; `workDoneToken`. Result: see
        `nirls.server.ide.history.value_history.plain_history`.
        """
        found = await requested_history(server, document, params)
        if found is None:
            return None
        dump, history = found
        name = params.value or _value_at(server, params)
        index = None if name is None else history.index_of(dump, name, params.function)
        if index is None:
            return None

        return plain_history(history.follow(dump, index), document.snapshot.first_line)

    @server.on_document(BLAME, takes=BlameRequest, reads_text=True)
    async def blame(document: Document, params: BlameRequest) -> dict[str, Any] | None:
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
        if params.last:
            dump = history.last
        first_line = document.snapshot.first_line(dump)
        return {
            "dump": dump,
            "firstLine": first_line,
            "lines": plain_blame(history.blame(dump), first_line),
        }

    @server.on_document(
        TOUCHING_PASSES, otherwise={"dumps": []}, takes=TouchingPassesRequest, reads_text=True
    )
    async def touching_passes(document: Document, params: TouchingPassesRequest) -> dict[str, list[int]]:
        """Return the passes of a shader that changed lines with a value or a name.

        Parameters: `textDocument`, the number of a `dump` of the shader from 0 (or a `position` in it), and
        `what`: a value of that dump such as `%12`, which is followed, or a name such as `VAR1`;
        `workDoneToken`. Result: the `dumps` that these passes printed.
        """
        found = await requested_history(server, document, params)
        if found is None:
            return {"dumps": []}

        dump, history = found
        what = params.what
        if is_value(what):
            index = history.index_of(dump, what)
            steps = [] if index is None else history.touching_value(dump, index)
        else:
            steps = history.touching(what) if what else []
        return {"dumps": [step.dump for step in steps if step.dump is not None]}


def _value_at(server: NirlsServer, params: DumpRequest) -> str | None:
    """Return the value at the position of a request, or the one that the line there defines."""
    place = params.position
    cursor = None if place is None else cursor_at(server, params.text_document.uri, place)
    found = None if cursor is None else cursor.entity()
    if found is not None and isinstance(found[1], Def):
        return f"%{found[1].index}"
    if cursor is None or place is None:
        return None
    line = place.line - cursor.dump.first_line
    for instr in cursor.state.shader.instrs():
        if instr.span is not None and instr.span.line == line and instr.def_ is not None:
            return f"%{instr.def_.index}"
    return None
