"""The client of a fuzzing session, and the server that it starts."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any, Final

from tools.lsp_client import LspClient, Message

SERVE: Final = [sys.executable, "-P", "-m", "nirls.server", "serve"]
LIMIT: Final = 180.0
"""Seconds that one answer may take; a machine that does much else is slow."""


def start(folder: Path, encoding: str, *, pulls: bool) -> LspClient:
    """Start a server for a client with a position encoding, which pulls diagnostics or has them published.

    Raises RuntimeError if the server does not answer `initialize`.
    """
    client = LspClient(SERVE, folder)
    code_actions: Message = {
        "codeActionLiteralSupport": {"codeActionKind": {"valueSet": ["quickfix"]}},
        "dataSupport": True,
        "resolveSupport": {"properties": ["edit"]},
    }
    text_document: Message = {
        "hover": {"contentFormat": ["markdown"]},
        "publishDiagnostics": {},
        "codeAction": code_actions,
    }
    workspace: Message = {"workspaceFolders": True, "workspaceEdit": {"documentChanges": True}}
    if pulls:
        text_document["diagnostic"] = {}
        workspace["diagnostics"] = {"refreshSupport": True}
    general: Message = {"positionEncodings": [encoding]}
    try:
        answer = client.start({"general": general, "textDocument": text_document, "workspace": workspace})
        agreed = answer["positionEncoding"]
        if agreed != encoding:
            raise RuntimeError(f"{encoding} was offered, and {agreed} chosen")
    except (OSError, RuntimeError):
        client.__exit__()
        raise
    return client


def answer(client: LspClient, method: str, params: object) -> Any:
    """The result of a request. Raises RefusedError, and RuntimeError without a response."""
    return client.request(method, params, LIMIT)
