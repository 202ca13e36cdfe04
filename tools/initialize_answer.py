"""`python -m tools.initialize_answer`: writes server/lsp/initialize_answer.json, the answer to `initialize`.

To be run when features are added or their options change; a test fails until it was.
"""

from __future__ import annotations

import asyncio
import json
import sys
from typing import Any

from nirls.server.lsp.initialize_answer import FILE, variant
from nirls.server.lsp.language_server import make_server

_SAVE: dict[str, dict[str, Any]] = {
    "textDocument": {"synchronization": {"willSave": True, "willSaveWaitUntil": True}}
}
_PULL: dict[str, dict[str, Any]] = {
    "textDocument": {"diagnostic": {}},
    "workspace": {"diagnostics": {"refreshSupport": True}},
}
_PREPARE: dict[str, dict[str, Any]] = {"textDocument": {"rename": {"prepareSupport": True}}}

CLIENTS: tuple[dict[str, Any], ...] = (
    {},
    _PULL,
    _PREPARE,
    {**_PULL, "textDocument": {**_PULL["textDocument"], **_PREPARE["textDocument"]}},
)
"""Capabilities of clients, one for each kind of answer."""


def main() -> int:
    """Write the file."""
    answers = {variant(client): asyncio.run(answer_of_server(_saving(client))) for client in CLIENTS}
    FILE.write_text(json.dumps(answers, indent=1, sort_keys=True) + "\n")
    return 0


def _saving(client: dict[str, Any]) -> dict[str, Any]:
    return {**client, "textDocument": {**client.get("textDocument", {}), **_SAVE["textDocument"]}}


async def answer_of_server(capabilities: dict[str, Any]) -> dict[str, Any]:
    """What the server itself says to a client with these capabilities."""
    server = make_server()
    written: list[bytes] = []

    class Writer:
        def write(self, data: bytes) -> None:
            written.append(data)

        def close(self) -> None:
            pass

    server.protocol.set_writer(Writer())
    params = {"processId": None, "rootUri": None, "capabilities": capabilities}
    message = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params}
    server.protocol.handle_message(server.protocol.structure_message(message))
    while not written:
        await asyncio.sleep(0)
    server.stop_work()
    answer: dict[str, Any] = json.loads(written[0].partition(b"\r\n\r\n")[2])
    return dict(answer["result"])


if __name__ == "__main__":
    sys.exit(main())
