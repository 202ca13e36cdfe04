"""Writing in a dump: completion, signatures, renaming, numbers, columns."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from lsprotocol import types
from pygls.exceptions import JsonRpcException

if TYPE_CHECKING:
    from tests.end_to_end.conftest import Editor

DUMP = """\
shader: MESA_SHADER_FRAGMENT
name: größe 𝄞
decl_function main () (entrypoint)

impl main {
    block b0:   // preds:
    32     %0 = load_const (0x3f800000 = 1.000000)
    32     %7 = fadd %0 (1.000000), %0 (1.000000)  // 𝄞 é %7
    HERE
                // succs: b1
    block b1:
}
"""
OPTIONS = types.FormattingOptions(4, True)


async def completions(editor: Editor, line: str, dump: str = DUMP) -> list[types.CompletionItem]:
    editor.open(dump.replace("HERE", line))
    place = editor.at(line, len(line))
    params = types.CompletionParams(editor.document, place)
    found = await editor.client.text_document_completion_async(params)
    return [] if found is None else list(found.items)


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
async def test_completion_replaces_what_is_typed(editor: Editor, newline: str) -> None:
    items = await completions(editor, "32     %9 = @load_ub", DUMP.replace("\n", newline))
    item = items[0]
    assert item.label == "@load_ubo"
    assert item.insert_text_format == types.InsertTextFormat.Snippet
    assert editor.of(item.text_edit.range) == "@load_ub"
    assert item.documentation is None
    resolved = await editor.client.completion_item_resolve_async(item)
    assert "```nir" in resolved.documentation.value


async def test_values_in_scope_behind_letters_beyond_ascii(editor: Editor) -> None:
    items = await completions(editor, "32     %9 = fadd %7, %")
    assert [item.label for item in items] == ["%7", "%0"]
    assert items[0].detail == "32 fadd %0 (1.000000), %0 (1.000000)  // 𝄞 é %7"


async def test_nothing_to_complete_outside_of_dumps(editor: Editor) -> None:
    editor.open("just a log\n" + DUMP)
    params = types.CompletionParams(editor.document, types.Position(0, 4))
    assert await editor.client.text_document_completion_async(params) is None
    params = types.CompletionParams(editor.document, types.Position(10**6, 0))
    behind = await editor.client.text_document_completion_async(params)
    assert [item.label for item in behind.items] == ["decl_var", "decl_function", "impl"]
    params = types.CompletionParams(types.TextDocumentIdentifier("file:///other.nir"), types.Position(0, 0))
    assert await editor.client.text_document_completion_async(params) is None


async def test_signature_help(editor: Editor) -> None:
    line = "32     %9 = ffma %0, "
    editor.open(DUMP.replace("HERE", line))
    params = types.SignatureHelpParams(editor.document, editor.at(line, len(line)))
    found = await editor.client.text_document_signature_help_async(params)
    assert found.signatures[0].label == "ffma(float, float, float) -> float"
    assert found.active_parameter == 1
    params = types.SignatureHelpParams(editor.document, editor.at("shader"))
    assert await editor.client.text_document_signature_help_async(params) is None


async def test_rename(editor: Editor) -> None:
    editor.open("a log line\n" + DUMP + DUMP)
    place = editor.at("%0 =", 1)
    prepared = await editor.client.text_document_prepare_rename_async(
        types.PrepareRenameParams(editor.document, place)
    )
    assert (editor.of(prepared.range), prepared.placeholder) == ("%0", "%0")
    edit = await editor.client.text_document_rename_async(types.RenameParams(editor.document, place, "%123"))
    (change,) = edit.document_changes
    assert change.text_document.version == editor.version
    expected = DUMP.replace("    32     %0 =", "    32   %123 =").replace("%0", "%123")
    editor.apply(change.edits)
    assert editor.text == "a log line\n" + expected + DUMP


async def test_why_a_name_cannot_be_had(editor: Editor) -> None:
    editor.open(DUMP)
    place = editor.at("%0 =", 1)
    with pytest.raises(JsonRpcException, match="%7 is taken in main"):
        await editor.client.text_document_rename_async(types.RenameParams(editor.document, place, "%7"))
    opcode = editor.at("fadd", 1)
    params = types.PrepareRenameParams(editor.document, opcode)
    assert await editor.client.text_document_prepare_rename_async(params) is None
    with pytest.raises(JsonRpcException, match="no value, block, register, variable or function"):
        await editor.client.text_document_rename_async(
            types.RenameParams(editor.document, editor.at("preds"), "x")
        )


async def test_formatting(editor: Editor) -> None:
    neat = DUMP.replace("    HERE\n", "")
    messy = re.sub(r"(?m)^ +", "", neat).replace("fadd %0", "fadd    %0")
    editor.open("log   line\n" + messy)
    params = types.DocumentFormattingParams(editor.document, OPTIONS)
    editor.apply(await editor.client.text_document_formatting_async(params))
    assert editor.text == "log   line\n" + neat
    assert not await editor.client.text_document_formatting_async(params)


async def test_formatting_some_lines(editor: Editor) -> None:
    neat = DUMP.replace("    HERE\n", "")
    editor.open(re.sub(r"(?m)^ +", "", neat))
    start = editor.at("32     %0")
    range_ = types.Range(start, types.Position(start.line + 1, 0))
    params = types.DocumentRangeFormattingParams(editor.document, range_, OPTIONS)
    edits = await editor.client.text_document_range_formatting_async(params)
    assert {edit.range.start.line for edit in edits} == {start.line}
    editor.apply(edits)
    assert "\n    32     %0 = load_const (0x3f800000 = 1.000000)\n32     %7" in editor.text


async def test_renumbering(editor: Editor) -> None:
    edits: list[types.WorkspaceEdit] = []

    @editor.client.feature(types.WORKSPACE_APPLY_EDIT)
    def apply(params: types.ApplyWorkspaceEditParams) -> types.ApplyWorkspaceEditResult:
        edits.append(params.edit)
        return types.ApplyWorkspaceEditResult(applied=True)

    neat = DUMP.replace("    HERE\n", "")
    editor.open(neat + neat)
    command = types.ExecuteCommandParams("nirls.renumber", arguments=[editor.uri, 1])
    assert await editor.client.workspace_execute_command_async(command) is True
    editor.apply(edits[0].document_changes[0].edits)
    assert editor.text == neat + neat.replace("%7", "%1")
    assert await editor.client.workspace_execute_command_async(command) is False
    editor.type("%7 =", "%0 =")
    with pytest.raises(
        JsonRpcException, match="Dump 1 cannot be renumbered: main defines the value number 0"
    ):
        await editor.client.workspace_execute_command_async(
            types.ExecuteCommandParams("nirls.renumber", arguments=[editor.uri])
        )


async def test_a_pass_is_applied_on_command(editor: Editor, tinted: str) -> None:
    edits: list[types.WorkspaceEdit] = []

    @editor.client.feature(types.WORKSPACE_APPLY_EDIT)
    def apply(params: types.ApplyWorkspaceEditParams) -> types.ApplyWorkspaceEditResult:
        edits.append(params.edit)
        return types.ApplyWorkspaceEditResult(applied=True)

    editor.open(tinted)
    await editor.diagnostics(lambda found: any(item.code == "dead-output" for item in found))
    command = types.ExecuteCommandParams("nirls.applyPass", arguments=[editor.uri, 0, "opt_varyings_dead_io"])
    assert await editor.client.workspace_execute_command_async(command) is True
    editor.apply(edits[0].document_changes[0].edits)
    assert len(editor.text) < len(tinted)
