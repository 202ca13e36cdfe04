"""Answers while an editor asks for everything about a log at once."""

from __future__ import annotations

import sys
from pathlib import Path

from tools.lsp_client import LspClient
from tools.synthetic import log_of_lines

_LINES = 20_000


def test_completion_is_answered_before_the_colours_of_the_whole_log(tmp_path: Path) -> None:
    text = log_of_lines(_LINES, 200)
    lines = text.split("\n")
    place = next(number for number in range(_LINES // 2, _LINES) if "fadd " in lines[number])
    client = LspClient([sys.executable, "-m", "nirls", "serve"], tmp_path, is_quiet=True)
    try:
        client.start()
        uri = client.open(tmp_path / "debug.log", text)
        log = {"textDocument": {"uri": uri}}
        about_all = [
            client._protocol.send_request(f"textDocument/{name}", log)
            for name in ("semanticTokens/full", "documentSymbol", "foldingRange", "codeLens")
        ]
        position = {"line": place, "character": lines[place].index("fadd") + 2}
        found = client.request("textDocument/completion", {**log, "position": position})
        assert "fadd" in [item["label"] for item in found["items"]]
        assert not about_all[0].done()
        assert about_all[0].result(120)["data"]
    finally:
        client.process.kill()
        client.process.wait()
