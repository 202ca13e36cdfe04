"""The request `nirls/valueHistory`: what the passes of a log did to a value."""

from __future__ import annotations

from typing import Any

from nirls.server.lsp.features.shader_histories import requested_history
from nirls.server.lsp.nirls_server import NirlsServer

VALUE_HISTORY = "nirls/valueHistory"


def register(server: NirlsServer) -> None:
    """Declare the handler."""

    @server.handler(VALUE_HISTORY, reads_text=True)
    async def value_history(params: Any) -> dict[str, Any] | None:
        """Return what passes did to a value, matched by structure; null if the dump has no such value.

        Parameters: `textDocument`, a `position` on a value, or the `dump` number from 0, the `value` such as
        `%12`, and optionally its `function`; `workDoneToken`. Result: see
        `nirls.server.ide.value_history.plain_history`.
        """
        found = await requested_history(server, params)
        if found is None:
            return None
        document, dump, history = found
        name = getattr(params, "value", None) or _value_at(server, params)
        index = None if name is None else history.index_of(dump, str(name), getattr(params, "function", None))
        if index is None:
            return None
        from nirls.server.ide.value_history import plain_history

        return plain_history(history.follow(dump, index), document.snapshot.first_line)


def _value_at(server: NirlsServer, params: Any) -> str | None:
    """Return the value at the position of a request, or the one that the line there defines."""
    from lsprotocol import types

    from nirls.ir.model.values import Def
    from nirls.server.lsp.features.cursor import cursor_at

    place = types.Position(int(params.position.line), int(params.position.character))
    cursor = cursor_at(server, str(params.textDocument.uri), place)
    found = None if cursor is None else cursor.entity()
    if found is not None and isinstance(found[1], Def):
        return f"%{found[1].index}"
    if cursor is None:
        return None
    line = place.line - cursor.dump.first_line
    for impl in cursor.state.shader.impls():
        for instr in impl.instrs():
            if instr.span is not None and instr.span.line == line and instr.def_ is not None:
                return f"%{instr.def_.index}"
    return None
