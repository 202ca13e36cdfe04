"""The server as a whole, without a client."""

from __future__ import annotations

import subprocess
import sys

import pytest
from lsprotocol import types

from nirls.server.lsp.language_server import make_server, serve_tcp
from nirls.server.lsp.nirls_server import guarded


def test_all_features_are_there() -> None:
    server = make_server()
    assert {
        types.TEXT_DOCUMENT_HOVER,
        types.TEXT_DOCUMENT_DEFINITION,
        types.TEXT_DOCUMENT_REFERENCES,
        types.TEXT_DOCUMENT_DOCUMENT_HIGHLIGHT,
        types.TEXT_DOCUMENT_DOCUMENT_SYMBOL,
        types.TEXT_DOCUMENT_FOLDING_RANGE,
        types.TEXT_DOCUMENT_SELECTION_RANGE,
        types.TEXT_DOCUMENT_SEMANTIC_TOKENS_FULL,
        types.TEXT_DOCUMENT_SEMANTIC_TOKENS_FULL_DELTA,
        types.TEXT_DOCUMENT_SEMANTIC_TOKENS_RANGE,
        types.TEXT_DOCUMENT_CODE_ACTION,
        types.CODE_ACTION_RESOLVE,
        types.TEXT_DOCUMENT_CODE_LENS,
        types.TEXT_DOCUMENT_COMPLETION,
        types.COMPLETION_ITEM_RESOLVE,
        types.TEXT_DOCUMENT_SIGNATURE_HELP,
        types.TEXT_DOCUMENT_IMPLEMENTATION,
        types.TEXT_DOCUMENT_PREPARE_RENAME,
        types.TEXT_DOCUMENT_RENAME,
        types.TEXT_DOCUMENT_FORMATTING,
        types.TEXT_DOCUMENT_RANGE_FORMATTING,
        types.TEXT_DOCUMENT_INLAY_HINT,
        types.INLAY_HINT_RESOLVE,
        types.TEXT_DOCUMENT_DOCUMENT_LINK,
        types.TEXT_DOCUMENT_PREPARE_CALL_HIERARCHY,
        types.CALL_HIERARCHY_INCOMING_CALLS,
        types.CALL_HIERARCHY_OUTGOING_CALLS,
        types.TEXT_DOCUMENT_WILL_SAVE,
        types.WORKSPACE_SYMBOL,
        types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS,
        "nirls/linkStatus",
    } <= set(server.protocol.fm.features)
    assert {"nirls.runPasses", "nirls.applyPass", "nirls.renumber"} <= set(server.protocol.fm.commands)


@pytest.mark.parametrize("host", ["0.0.0.0", "", "example.org", "192.168.0.1"])
def test_only_this_machine_is_served(host: str) -> None:
    with pytest.raises(ValueError, match="this machine only"):
        serve_tcp(host, 1)


async def test_no_exception_leaves_a_handler(caplog: pytest.LogCaptureFixture) -> None:
    def fail(number: int) -> int:
        return 1 // number

    async def fail_later(number: int) -> int:
        return 1 // number

    assert guarded(fail, "instead")(0) == "instead"
    assert guarded(fail)(1) == 1
    assert await guarded(fail_later, [])(0) == []
    assert await guarded(fail_later)(1) == 1
    assert caplog.text.count("ZeroDivisionError") == 2


@pytest.fixture(scope="module")
def imported() -> set[str]:
    """The modules that a server has imported before the first document."""
    code = (
        "import sys; from nirls.server.lsp.language_server import make_server; "
        "make_server(); print(*sys.modules)"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    return set(ran.stdout.split())


@pytest.mark.parametrize(
    "module",
    [
        "numpy",
        "typer",
        "rich",
        "nirls.ir.analysis.divergence",
        "nirls.verification.evaluate",
        "nirls.server.ide.hover",
    ],
)
def test_a_server_without_documents_imports_nothing_heavy(imported: set[str], module: str) -> None:
    assert "nirls.server.engine.checks.check_scheduler" in imported
    assert module not in imported
