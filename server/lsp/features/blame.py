"""The request `nirls/blame`: the pass that changed each instruction of a snapshot last."""

from __future__ import annotations

from typing import Any

from nirls.server.lsp.features.shader_histories import requested_history
from nirls.server.lsp.nirls_server import NirlsServer

BLAME = "nirls/blame"


def register(server: NirlsServer) -> None:
    """Declare the handler."""

    @server.handler(BLAME, reads_text=True)
    async def blame(params: Any) -> dict[str, Any] | None:
        """Return the pass that changed each instruction of a dump last, and the one that made it.

        Parameters: `textDocument`, and a `position` in the dump or its number `dump` from 0; `last` for the
        last snapshot of its shader instead; `workDoneToken`. Result: the number of the `dump`, its first
        line, and its `lines`, see `nirls.server.ide.value_history.plain_blame`; null outside of dumps.
        """
        found = await requested_history(server, params)
        if found is None:
            return None
        from nirls.server.ide.value_history import plain_blame

        document, dump, history = found
        if getattr(params, "last", False):
            dump = history.last
        first_line = document.snapshot.first_line(dump)
        return {
            "dump": dump,
            "firstLine": first_line,
            "lines": plain_blame(history.blame(dump), first_line),
        }
