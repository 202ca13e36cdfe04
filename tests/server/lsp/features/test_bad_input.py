"""Whatever a document holds, no request fails: what goes wrong in a handler would be in the log."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator
from typing import Any

import pytest
from lsprotocol import types
from pygls.exceptions import JsonRpcException

from nirls.server.engine.documents.positions import Encoding
from nirls.server.engine.settings.client_settings import ClientSettings, FolderSettings
from nirls.server.engine.worker.process import InlineWorker
from nirls.server.lsp.client import Client
from nirls.server.lsp.language_server import make_server
from nirls.server.lsp.nirls_server import NirlsServer

URI = "untitled:bad"
HEAD = "shader: MESA_SHADER_FRAGMENT\nname: größe 𝄞\ndecl_function main () (entrypoint)\n\nimpl main {\n"
BODY = (
    "    block b0:   // preds:\n    32     %0 = load_const (0x00000001)\n"
    "    32     %1 = @load_input (%0) (base=0, component=0, io location=VARYING_SLOT_VAR0 slots=1)  // 𝄞 é\n"
    "    32     %2 = deref_var &größe (shader_in vec4)\n    call nobody %1\n    32 %3 = phi b0: %1, b7: %9\n"
)
SMALL = HEAD + BODY + "                // succs: b1\n    block b1:\n}\n"
CLASSIC = (
    "shader: MESA_SHADER_VERTEX\ndecl_function main (0 params)\n\nimpl main {\n"
    "\tblock block_0:\n\t/* preds: */\n\tvec1 32 ssa_0 = load_const (0x00000000 = 0.000000)\n"
    "\tintrinsic store_output (ssa_0, ssa_0) (base=0, wrmask=x /*1*/, component=0, "
    "io location=32 slots=1 /*160*/)\n\t/* succs: block_1 */\n\tblock block_1:\n}\n"
)
BAD = {
    "empty": "",
    "spaces": " \n\t\n",
    "small": SMALL,
    "between dumps": CLASSIC + "a line of a log\n" + SMALL,
    "binary": "".join(map(chr, range(256))) * 20 + "\x00shader: MESA_SHADER_VERTEX\n\x00\x01",
    "half a surrogate pair": HEAD + "\ud83d" + BODY + "}\n",
    "cut in a header": SMALL[:40],
    "cut in a line": SMALL[: SMALL.index("@load_input") + 5],
    "dialects mixed in one dump": HEAD + BODY + CLASSIC[CLASSIC.index("\tblock") :],
    "windows line ends": SMALL.replace("\n", "\r\n"),
    "old mac line ends": SMALL.replace("\n", "\r"),
    "a long line": HEAD + BODY + "    32 %2 = vec16 " + ", ".join(["%0.x"] * 3_000) + "\n}\n",
    "one long word": HEAD + "    " + "x" * 100_000 + "\n}\n",
    "numbers defined again and again": HEAD + BODY * 50 + "}\n",
    "a number without end": HEAD + BODY.replace("%0", "%" + "9" * 5000) + "}\n",
    "a condition without end": HEAD + BODY + "    if %" + "9" * 5000 + " {\n    block b1:\n    }\n}\n",
    "only braces": HEAD + "}\n" * 1000 + "{\n" * 1000,
    "no instruction": HEAD + "}\n",
    "nothing but a shader line": "shader: MESA_SHADER_FRAGMENT",
}


@pytest.fixture
def server() -> Iterator[NirlsServer]:
    made = make_server(new_worker=InlineWorker)
    made.client = Client(
        encoding=Encoding.UTF16,
        snippets=True,
        document_changes=True,
        markdown=True,
        signature_label_offsets=True,
    )
    made.analyzers.use_settings(FolderSettings(ClientSettings.of({"inlayHints": {"convergence": True}})))
    yield made
    made.shutdown()


async def ask(server: NirlsServer, method: str, params: object) -> Any:
    found = server.protocol.fm.features[method](params)
    return server.protocol.plain(await found if asyncio.iscoroutine(found) else found)


async def rename(server: NirlsServer, params: types.RenameParams) -> None:
    """A rename is made, or refused with a sentence."""
    try:
        edit = await ask(server, types.TEXT_DOCUMENT_RENAME, params)
    except JsonRpcException as error:
        refused = error.message
    else:
        refused = ""
        assert edit["documentChanges"][0]["edits"]
    assert not refused or refused.endswith(".")


async def ask_at(server: NirlsServer, place: types.Position) -> None:
    """The requests about a place, each followed up."""
    document = types.TextDocumentIdentifier(URI)
    completions = await ask(server, types.TEXT_DOCUMENT_COMPLETION, types.CompletionParams(document, place))
    for item in (completions or {}).get("items", ())[:3]:
        resolved = types.CompletionItem(item["label"], data=item.get("data"))
        assert await ask(server, types.COMPLETION_ITEM_RESOLVE, resolved)
    await ask(server, types.TEXT_DOCUMENT_SIGNATURE_HELP, types.SignatureHelpParams(document, place))
    await ask(server, types.TEXT_DOCUMENT_IMPLEMENTATION, types.ImplementationParams(document, place))
    await ask(server, types.TEXT_DOCUMENT_DEFINITION, types.DefinitionParams(document, place))
    await ask(server, types.TEXT_DOCUMENT_DOCUMENT_HIGHLIGHT, types.DocumentHighlightParams(document, place))
    if await ask(server, types.TEXT_DOCUMENT_PREPARE_RENAME, types.PrepareRenameParams(document, place)):
        for name in ("%77", "b77", "name", ""):
            await rename(server, types.RenameParams(document, place, name))
    items = await ask(
        server, types.TEXT_DOCUMENT_PREPARE_CALL_HIERARCHY, types.CallHierarchyPrepareParams(document, place)
    )
    for plain in items or ():
        item = server.protocol.structured(plain, types.CallHierarchyItem)
        incoming = types.CallHierarchyIncomingCallsParams(item)
        assert await ask(server, types.CALL_HIERARCHY_INCOMING_CALLS, incoming) is not None
        outgoing = types.CallHierarchyOutgoingCallsParams(item)
        assert await ask(server, types.CALL_HIERARCHY_OUTGOING_CALLS, outgoing) is not None


async def ask_about_all(server: NirlsServer) -> None:
    """The requests about a whole document, each followed up."""
    document = types.TextDocumentIdentifier(URI)
    whole = types.Range(types.Position(0, 0), types.Position(10**6, 0))
    options = types.FormattingOptions(4, True)
    hints = await ask(server, types.TEXT_DOCUMENT_INLAY_HINT, types.InlayHintParams(document, whole))
    for hint in hints[:20]:
        assert await ask(server, types.INLAY_HINT_RESOLVE, server.protocol.structured(hint, types.InlayHint))
    assert await ask(server, types.TEXT_DOCUMENT_DOCUMENT_LINK, types.DocumentLinkParams(document)) == []
    formatting = types.DocumentFormattingParams(document, options)
    assert await ask(server, types.TEXT_DOCUMENT_FORMATTING, formatting) is not None
    of_range = types.DocumentRangeFormattingParams(document, whole, options)
    assert await ask(server, types.TEXT_DOCUMENT_RANGE_FORMATTING, of_range) is not None
    await ask(server, types.WORKSPACE_SYMBOL, types.WorkspaceSymbolParams("m"))


@pytest.mark.sweep
@pytest.mark.parametrize("name", BAD)
async def test_every_request_is_answered(
    server: NirlsServer, name: str, caplog: pytest.LogCaptureFixture
) -> None:
    server.documents.open(URI, BAD[name], 1)
    began = time.monotonic()
    lines = BAD[name].count("\n")
    for line in {0, 1, 2, *range(5, 12), lines - 1, lines, 10**6}:
        for character in (0, 7, 12, 22, 10**6):
            await ask_at(server, types.Position(max(line, 0), character))
    await ask_about_all(server)
    assert not [record for record in caplog.records if record.levelname == "ERROR"], caplog.text
    # Far above what any of it takes: this is about time that grows with the square of a length.
    assert time.monotonic() - began < 120
