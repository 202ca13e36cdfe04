"""Looking around: hints, links, symbols, calls, the way of a varying."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from lsprotocol import types

if TYPE_CHECKING:
    from tests.end_to_end.conftest import Editor

CLASSIC = """\
shader: MESA_SHADER_FRAGMENT
decl_function main (0 params)

impl main {
	block block_0:
	/* preds: */
	vec1 32 ssa_0 = load_const (0x3f000000 = 0.500000)
	vec1 32 ssa_1 = fadd ssa_0, ssa_0
	/* succs: block_1 */
	block block_1:
}
"""
CALLS = """\
shader: MESA_SHADER_FRAGMENT
decl_function leaf (32 x)

impl leaf {
    block b0:
    block b1:
}

decl_function main () (entrypoint)

impl main {
    block b0:
    32  %0 = undefined
    call leaf %0
    block b1:
}
"""
WHOLE = types.Range(types.Position(0, 0), types.Position(100_000, 0))


async def hints(editor: Editor) -> list[types.InlayHint]:
    params = types.InlayHintParams(editor.document, WHOLE)
    return list(await editor.client.text_document_inlay_hint_async(params) or [])


def text_of(hint: types.InlayHint) -> str:
    return hint.label if isinstance(hint.label, str) else "".join(part.value for part in hint.label)


async def test_constants_and_convergence(editor: Editor) -> None:
    editor.open("𝄞 log\n" + CLASSIC)
    assert [text_of(hint) for hint in await hints(editor)] == ["(0.500000)", "(0.500000)"]
    await use_settings(editor, {"inlayHints": {"constants": False, "convergence": True}})
    found = await hints(editor)
    assert [text_of(hint) for hint in found] == ["con", "con"]
    assert found[1].position == editor.at("vec1 32 ssa_1")
    resolved = await editor.client.inlay_hint_resolve_async(found[1])
    assert "convergent" in resolved.tooltip.value


async def use_settings(editor: Editor, section: dict[str, Any]) -> None:
    editor.client.set_configuration(section, section="nirls")
    editor.client.workspace_did_change_configuration(types.DidChangeConfigurationParams(None))
    # The server asks for its section now; this answer comes behind that one.
    await editor.client.workspace_symbol_async(types.WorkspaceSymbolParams(""))
    await editor.client.workspace_symbol_async(types.WorkspaceSymbolParams(""))


async def test_varyings_from_stage_to_stage(editor: Editor, tinted: str) -> None:
    editor.open(tinted)
    found = [hint for hint in await hints(editor) if "←" in text_of(hint)]
    assert found
    (part,) = found[0].label
    assert "@store_output" in editor.of(part.location.range)
    resolved = await editor.client.inlay_hint_resolve_async(found[0])
    assert "@store_output" in resolved.tooltip.value

    load = editor.at("@load_interpolated_input", 3)
    client, document = editor.client, editor.document
    (store,) = await client.text_document_definition_async(types.DefinitionParams(document, load))
    assert "@store_output" in editor.of(store.range)
    assert await client.text_document_implementation_async(types.ImplementationParams(document, load)) is None
    back = await client.text_document_implementation_async(
        types.ImplementationParams(document, store.range.start)
    )
    read_by = await client.text_document_references_async(
        types.ReferenceParams(types.ReferenceContext(False), document, store.range.start)
    )
    assert list(back) == list(read_by)
    assert [place.range.start.line for place in back] == [load.line]
    lit = await client.text_document_document_highlight_async(types.DocumentHighlightParams(document, load))
    assert [editor.of(one.range)[:20].split("@")[-1][:4] for one in lit] == ["load", "stor"]
    assert lit[1].range == store.range


async def test_call_hierarchy(editor: Editor) -> None:
    editor.open(CLASSIC + CALLS)
    client = editor.client
    params = types.CallHierarchyPrepareParams(editor.document, editor.at("call leaf", 6))
    (leaf,) = await client.text_document_prepare_call_hierarchy_async(params)
    assert (leaf.name, leaf.detail) == ("leaf", "log.nir, dump 2")
    (call,) = await client.call_hierarchy_incoming_calls_async(types.CallHierarchyIncomingCallsParams(leaf))
    assert call.from_.name == "main"
    assert [editor.of(range_) for range_ in call.from_ranges] == ["call leaf %0"]
    (out,) = await client.call_hierarchy_outgoing_calls_async(
        types.CallHierarchyOutgoingCallsParams(call.from_)
    )
    assert out.to.name == "leaf"
    editor.type(CALLS, "")
    gone = types.CallHierarchyIncomingCallsParams(leaf)
    assert await client.call_hierarchy_incoming_calls_async(gone) is None


async def test_links_to_sources(editor: Editor, tmp_path: Path) -> None:
    source = tmp_path / "shaders" / "größe.frag"
    source.parent.mkdir()
    source.write_text("void main() {}\n")
    (tmp_path.parent / "outside.frag").write_text("")
    text = CALLS.replace("undefined\n", "undefined  // 𝄞 shaders/größe.frag:12:3\n").replace(
        "call leaf %0", "call leaf %0  // ../outside.frag:1 missing.frag:1"
    )
    editor.open(text, (tmp_path / "a.nir").as_uri())
    params = types.DocumentLinkParams(editor.document)
    assert not await editor.client.text_document_document_link_async(params)
    folder = types.WorkspaceFolder(tmp_path.as_uri(), "here")
    change = types.WorkspaceFoldersChangeEvent(added=[folder], removed=[])
    editor.client.workspace_did_change_workspace_folders(types.DidChangeWorkspaceFoldersParams(change))
    (link,) = await editor.client.text_document_document_link_async(params)
    assert editor.of(link.range) == "shaders/größe.frag:12:3"
    assert link.target == f"{source.as_uri()}#L12,3"


async def test_workspace_symbols(editor: Editor, tmp_path: Path) -> None:
    (tmp_path / "closed.nir").write_text(CLASSIC.replace("decl_function", "name: TERRAIN\ndecl_function", 1))
    folder = types.WorkspaceFolder(tmp_path.as_uri(), "here")
    change = types.WorkspaceFoldersChangeEvent(added=[folder], removed=[])
    editor.client.workspace_did_change_workspace_folders(types.DidChangeWorkspaceFoldersParams(change))
    editor.open(CALLS)

    async def names(query: str) -> list[tuple[str, str]]:
        found = await editor.client.workspace_symbol_async(types.WorkspaceSymbolParams(query))
        return [(one.name, one.container_name) for one in found]

    assert await names("leaf") == [("leaf", "log.nir, FS")]
    assert await names("terr") == [("FS TERRAIN", "closed.nir")]
    assert await names("main") == [("main", "log.nir, FS"), ("main", "closed.nir, FS TERRAIN")]
    assert await names("zzz") == []
