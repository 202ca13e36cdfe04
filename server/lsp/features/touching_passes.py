"""The request `nirls/touchingPasses`: the passes that changed lines with a value or a name."""

from __future__ import annotations

from typing import Any

from nirls.server.lsp.features.shader_histories import requested_history
from nirls.server.lsp.nirls_server import NirlsServer

TOUCHING_PASSES = "nirls/touchingPasses"


def register(server: NirlsServer) -> None:
    """Declare the handler."""

    @server.handler(TOUCHING_PASSES, otherwise={"dumps": []}, reads_text=True)
    async def touching_passes(params: Any) -> dict[str, list[int]]:
        """Return the passes of a shader that changed lines with a value or a name.

        Parameters: `textDocument`, the number of a `dump` of the shader from 0 (or a `position` in it), and
        `what`: a value of that dump such as `%12`, which is followed, or a name such as `VAR1`;
        `workDoneToken`. Result: the `dumps` that these passes printed.
        """
        found = await requested_history(server, params)
        if found is None:
            return {"dumps": []}
        from nirls.server.ide.value_history import is_value

        _, dump, history = found
        what = str(params.what)
        if is_value(what):
            index = history.index_of(dump, what)
            steps = [] if index is None else history.touching_value(dump, index)
        else:
            steps = history.touching(what) if what else []
        return {"dumps": [step.dump for step in steps if step.dump is not None]}
