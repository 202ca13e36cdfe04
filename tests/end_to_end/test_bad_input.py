"""Whatever a document holds, the server answers, and keeps answering."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest
from lsprotocol import types

from nirls.server.lsp.features.symbols import MOST_PARTS

if TYPE_CHECKING:
    from tests.end_to_end.conftest import Editor

HEAD = "shader: MESA_SHADER_FRAGMENT\nname: größe 𝄞\ndecl_function main () (entrypoint)\n\nimpl main {\n"
BODY = (
    "    block b0:   // preds:\n    32     %0 = load_const (0x00000001)\n"
    "    32     %1 = fadd %0, %0  // 𝄞 é\n"
)
SMALL = HEAD + BODY + "                // succs: b1\n    block b1:\n}\n"
CLASSIC = (
    "shader: MESA_SHADER_VERTEX\ndecl_function main (0 params)\n\nimpl main {\n"
    "\tblock block_0:\n\t/* preds: */\n"
    "\tvec1 32 con ssa_0 = load_const (0x00000000 = 0.000000)\n\t/* succs: block_1 */\n\tblock block_1:\n}\n"
)
DEPTH = 100_000

BAD = {
    "empty": "",
    "spaces": " \n\t\n",
    "binary": "".join(map(chr, range(256))) * 20 + "\x00shader: MESA_SHADER_VERTEX\n\x00\x01",
    "half a surrogate pair": HEAD + "\ud83d" + BODY + "}\n",
    "cut in a header": SMALL[:40],
    "cut in a line": SMALL[: SMALL.index("fadd") + 2],
    "mixed dialects": SMALL + "between\n" + CLASSIC + SMALL,
    "dialects mixed in one dump": HEAD + BODY + CLASSIC[CLASSIC.index("\tblock") :],
    "windows line ends": SMALL.replace("\n", "\r\n"),
    "old mac line ends": SMALL.replace("\n", "\r"),
    "tabs": SMALL.replace("    ", "\t"),
    "a line of a megabyte": HEAD + BODY + "    32 %2 = vec16 " + ", ".join(["%0.x"] * 180_000) + "\n}\n",
    "a megabyte of one word": HEAD + "    " + "x" * 1_000_000 + "\n}\n",
    "a value number defined again and again": HEAD + BODY * 200 + "}\n",
    "a number without end": HEAD + BODY.replace("%0", "%" + "9" * 5000) + "}\n",
    "only braces": HEAD + "}\n" * 1000 + "{\n" * 1000,
}  # fmt: skip


async def ask_everything(editor: Editor) -> None:
    """Every request of an editor, at the start, in the middle and at the end of the text."""
    client, document = editor.client, editor.document
    places = [types.Position(0, 0), types.Position(6, 13), types.Position(10**6, 10**6)]
    for place in places:
        await client.text_document_hover_async(types.HoverParams(document, place))
        await client.text_document_definition_async(types.DefinitionParams(document, place))
        await client.text_document_references_async(
            types.ReferenceParams(types.ReferenceContext(True), document, place)
        )
        await client.text_document_document_highlight_async(types.DocumentHighlightParams(document, place))
        await client.text_document_code_action_async(
            types.CodeActionParams(document, types.Range(places[0], place), types.CodeActionContext([]))
        )
    await client.text_document_document_symbol_async(types.DocumentSymbolParams(document))
    await client.text_document_folding_range_async(types.FoldingRangeParams(document))
    await client.text_document_selection_range_async(types.SelectionRangeParams(document, places))
    full = await client.text_document_semantic_tokens_full_async(types.SemanticTokensParams(document))
    await client.text_document_semantic_tokens_range_async(
        types.SemanticTokensRangeParams(document, types.Range(places[0], places[2]))
    )
    assert full is not None


@pytest.mark.parametrize("name", BAD)
async def test_bad_input_is_served(editor: Editor, name: str) -> None:
    # Some 10 s of a processor for the longest line, most of them in the client: references to 180,000 uses.
    async with asyncio.timeout(240):
        editor.open(BAD[name])
        await ask_everything(editor)
        await editor.diagnostics()
        editor.client.text_document_did_change(
            types.DidChangeTextDocumentParams(
                types.VersionedTextDocumentIdentifier(uri=editor.uri, version=2),
                [
                    types.TextDocumentContentChangePartial(
                        types.Range(types.Position(3, 2), types.Position(5, 10**7)), "𝄞\r\n\ud83d"
                    )
                ],
            )
        )
        editor.version = 2
        await ask_everything(editor)
        await editor.diagnostics()
    assert not [message for message in editor.client.messages if message.type == types.MessageType.Error]


def _count(symbol: types.DocumentSymbol) -> int:
    return sum(1 + _count(child) for child in symbol.children or ())


async def test_nesting_of_any_depth(editor: Editor) -> None:
    opening = "".join(f"if %0 {{\nblock b{2 * at}:\n" for at in range(DEPTH))
    closing = "".join(f"}} else {{\nblock b{2 * at + 1}:\n}}\n" for at in range(DEPTH))
    # Some 15 s of a processor: parsing and checking, whose cost follows the length of the text.
    async with asyncio.timeout(300):
        editor.open(HEAD + BODY + opening + closing + "}\n")
        place = editor.at("fadd %0", 5)
        hover = await editor.client.text_document_hover_async(types.HoverParams(editor.document, place))
        assert "load_const (0x00000001)" in hover.contents.value
        (dump,) = await editor.client.text_document_document_symbol_async(
            types.DocumentSymbolParams(editor.document)
        )
        assert _count(dump.children[0]) == MOST_PARTS
        (selection,) = await editor.client.text_document_selection_range_async(
            types.SelectionRangeParams(editor.document, [types.Position(DEPTH, 0)])
        )
        assert selection.range.start.line == DEPTH
        # On a slow machine, it is told first that the passes took too long.
        await editor.diagnostics(
            lambda found: {item.code for item in found} >= {"bad-control-flow", "duplicate-block"}
        )


async def test_requests_about_documents_that_are_not_open(editor: Editor) -> None:
    editor.uri = "file:///nowhere/at/all.nir"
    client, document = editor.client, editor.document
    place = types.Position(0, 0)
    assert await client.text_document_hover_async(types.HoverParams(document, place)) is None
    assert not await client.text_document_document_symbol_async(types.DocumentSymbolParams(document))
    editor.save()
    client.text_document_did_close(types.DidCloseTextDocumentParams(document))
    await client.workspace_execute_command_async(
        types.ExecuteCommandParams("nirls.runPasses", arguments=[editor.uri])
    )


async def test_what_can_be_read_of_a_broken_dump_is_served(editor: Editor) -> None:
    editor.open(SMALL.replace("    32     %1 =", "    this is no NIR\n    32     %1 ="))
    found = await editor.diagnostics(bool)
    assert [editor.of(item.range).strip() for item in found] == ["this is no NIR"]
    place = editor.at("fadd %0", 5)
    hover = await editor.client.text_document_hover_async(types.HoverParams(editor.document, place))
    assert "load_const (0x00000001)" in hover.contents.value
