"""The way of an engineer through the editor: open, look, navigate, fix."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types

if TYPE_CHECKING:
    from tests.end_to_end.conftest import Editor


def has_pass_findings(found: list[types.Diagnostic]) -> bool:
    return any(item.code == "dead-output" for item in found)


async def test_opening_shows_what_linking_could_do(editor: Editor, tinted: str) -> None:
    editor.open(tinted)
    found = await editor.diagnostics(has_pass_findings)
    dead = [item for item in found if item.code == "dead-output"]
    assert all("@store_output" in editor.of(item.range) for item in dead)
    assert all(item.source == "nirls" and item.data["fixes"] for item in dead)
    assert all(list(item.tags) == [types.DiagnosticTag.Unnecessary] for item in dead)
    assert all(item.related_information for item in dead)
    assert not [item for item in found if item.severity == types.DiagnosticSeverity.Error]


async def test_a_broken_line_shows_while_typing_and_goes_when_mended(editor: Editor, tinted: str) -> None:
    editor.open(tinted)
    await editor.diagnostics()
    editor.type("ffma %11.x", "ffma %9999.x")
    found = await editor.diagnostics(lambda found: any("9999" in item.message for item in found))
    (undefined,) = [item for item in found if "9999" in item.message]
    assert "%9999" in editor.of(undefined.range)
    assert undefined.severity == types.DiagnosticSeverity.Error
    editor.type("ffma %9999.x", "ffma %11.x")
    await editor.diagnostics(lambda found: not any("9999" in item.message for item in found))


async def test_a_quick_fix_is_made_and_the_finding_is_gone(editor: Editor, tinted: str) -> None:
    editor.open(tinted)
    before = await editor.diagnostics(has_pass_findings)
    target = next(item for item in before if item.code == "dead-output")
    actions = await editor.client.text_document_code_action_async(
        types.CodeActionParams(
            editor.document,
            target.range,
            types.CodeActionContext([target], only=[types.CodeActionKind.QuickFix]),
        )
    )
    assert actions
    one = next(action for action in actions if isinstance(action, types.CodeAction))
    assert one.edit is None
    assert list(one.diagnostics) == [target]
    resolved = await editor.client.code_action_resolve_async(one)
    (change,) = resolved.edit.document_changes
    assert change.text_document.version == editor.version
    editor.apply(change.edits)
    editor.save()
    after = await editor.diagnostics(lambda found: len(found) < len(before))
    assert not [item for item in after if item.severity == types.DiagnosticSeverity.Error]
    # What was fixed is gone for good: the action finds nothing to do any more.
    again = await editor.client.code_action_resolve_async(one)
    assert again.edit is None


async def test_fixing_all_leaves_nothing_to_fix(editor: Editor, tinted: str) -> None:
    editor.open(tinted)
    await editor.diagnostics(has_pass_findings)
    whole = types.Range(types.Position(0, 0), types.Position(10_000, 0))
    (action,) = await editor.client.text_document_code_action_async(
        types.CodeActionParams(
            editor.document, whole, types.CodeActionContext([], only=["source.fixAll.nirls"])
        )
    )
    resolved = await editor.client.code_action_resolve_async(action)
    lines_before = editor.text.count("\n")
    editor.apply(resolved.edit.document_changes[0].edits)
    assert editor.text.count("\n") < lines_before
    editor.save()
    left = await editor.diagnostics(lambda found: not has_pass_findings(found))
    assert not [item for item in left if item.severity == types.DiagnosticSeverity.Error]


async def test_a_pass_can_be_run_on_the_pipeline(editor: Editor, tinted: str) -> None:
    editor.open(tinted)
    await editor.diagnostics(has_pass_findings)
    place = types.Range(editor.at("load_const"), editor.at("load_const"))
    actions = await editor.client.text_document_code_action_async(
        types.CodeActionParams(editor.document, place, types.CodeActionContext([], only=["refactor"]))
    )
    titles = [action.title for action in actions]
    assert "Run opt_varyings_dead_io on pipeline dumps 1-2" in titles
    resolved = await editor.client.code_action_resolve_async(
        actions[titles.index("Run opt_varyings_dead_io on pipeline dumps 1-2")]
    )
    assert resolved.edit.document_changes[0].edits


async def test_passes_run_on_command(editor: Editor, tinted: str) -> None:
    editor.open(tinted)
    await editor.diagnostics(has_pass_findings)
    editor.type("@store_output", "@store_output ")
    await editor.client.workspace_execute_command_async(
        types.ExecuteCommandParams("nirls.runPasses", arguments=[editor.uri])
    )
    assert has_pass_findings(await editor.diagnostics())


async def test_findings_move_with_the_text_above_them(editor: Editor, tinted: str) -> None:
    editor.open(tinted)
    before = [item for item in await editor.diagnostics(has_pass_findings) if item.code == "dead-output"]
    editor.type("impl main {\n", "impl main {\n\n\n")
    after = [item for item in await editor.diagnostics(has_pass_findings) if item.code == "dead-output"]
    assert [item.range.start.line for item in after] == [item.range.start.line + 2 for item in before]


async def test_hover_definition_references_and_highlights(editor: Editor, tinted: str) -> None:
    editor.open(tinted)
    client, place = editor.client, editor.at("ffma %11.x", 6)
    hover = await client.text_document_hover_async(types.HoverParams(editor.document, place))
    assert "4 components of 32 bits" in hover.contents.value
    assert editor.of(hover.range) == "%11"
    (definition,) = await client.text_document_definition_async(
        types.DefinitionParams(editor.document, place)
    )
    assert definition.range.start == editor.at("%11 = @load_deref")
    context = types.ReferenceContext(include_declaration=False)
    references = await client.text_document_references_async(
        types.ReferenceParams(context, editor.document, place)
    )
    assert [editor.of(item.range) for item in references] == ["%11"] * 4
    highlights = await client.text_document_document_highlight_async(
        types.DocumentHighlightParams(editor.document, place)
    )
    assert [item.kind for item in highlights] == [
        types.DocumentHighlightKind.Write,
        *[types.DocumentHighlightKind.Read] * 4,
    ]


async def test_a_slot_leads_into_the_linked_stage(editor: Editor, tinted: str) -> None:
    editor.open(tinted)
    in_fragment = tinted.index("shader: MESA_SHADER_FRAGMENT")
    load = tinted.index("location=VARYING_SLOT_VAR0", in_fragment) + len("location=VARY")
    found = await editor.client.text_document_definition_async(
        types.DefinitionParams(editor.document, editor.position(load))
    )
    stores = [item for item in found if "@store_output" in editor.of(item.range)]
    assert stores
    assert all("VARYING_SLOT_VAR0" in editor.of(item.range) for item in stores)


async def test_symbols_folds_and_selections(editor: Editor, tinted: str) -> None:
    editor.open(tinted)
    client = editor.client
    symbols = await client.text_document_document_symbol_async(types.DocumentSymbolParams(editor.document))
    assert [(symbol.name, symbol.detail) for symbol in symbols] == [
        ("VS", ""),
        ("FS: nir_opt_dce (dump 2)", ""),
    ]
    *variables, main = symbols[0].children
    assert main.name == "main"
    assert variables
    assert {one.kind for one in variables} == {types.SymbolKind.Variable}
    assert [block.name for block in main.children if block.name.startswith("b")] == ["b0", "b1"]
    folds = await client.text_document_folding_range_async(types.FoldingRangeParams(editor.document))
    lines = editor.text.split("\n")
    assert {lines[fold.start_line].split()[0] for fold in folds} >= {"shader:", "impl", "block"}
    (selection,) = await client.text_document_selection_range_async(
        types.SelectionRangeParams(editor.document, [editor.at("ffma %11.x", 6)])
    )
    texts = []
    while selection is not None:
        texts.append(editor.of(selection.range))
        selection = selection.parent
    assert texts[0] == "%11"
    assert texts[1].startswith("32    %105 = ffma")
    assert texts[-1].startswith("shader: MESA_SHADER_VERTEX")


async def test_tokens_of_a_range_of_all_and_of_a_change(editor: Editor, tinted: str) -> None:
    editor.open(tinted)
    client = editor.client
    full = await client.text_document_semantic_tokens_full_async(types.SemanticTokensParams(editor.document))
    editor.type("ffma %11.x", "fma %11.x")
    delta = await client.text_document_semantic_tokens_full_delta_async(
        types.SemanticTokensDeltaParams(editor.document, full.result_id)
    )
    again = await client.text_document_semantic_tokens_full_async(types.SemanticTokensParams(editor.document))
    patched = list(full.data)
    for edit in delta.edits:
        patched[edit.start : edit.start + edit.delete_count] = edit.data or []
    assert patched == list(again.data)
    assert sum(len(edit.data or []) for edit in delta.edits) < 50
    line = editor.at("fma %11.x").line
    part = await client.text_document_semantic_tokens_range_async(
        types.SemanticTokensRangeParams(
            editor.document, types.Range(types.Position(line, 0), types.Position(line + 1, 0))
        )
    )
    assert part.data[0] == line
    assert 5 <= len(part.data) // 5 <= 12


async def test_settings_switch_passes_off(editor: Editor, tinted: str) -> None:
    editor.client.set_configuration({"nirls": {"passes": {"opt_varyings_dead_io": "off"}}})
    editor.client.workspace_did_change_configuration(types.DidChangeConfigurationParams({}))
    editor.open(tinted)
    await editor.client.workspace_execute_command_async(
        types.ExecuteCommandParams("nirls.runPasses", arguments=[editor.uri])
    )
    assert not has_pass_findings(await editor.diagnostics())


async def test_the_profile_quiet_leaves_hints_out(editor: Editor, tinted: str) -> None:
    def use(**section: object) -> None:
        editor.client.set_configuration(section, section="nirls")
        editor.client.workspace_did_change_configuration(types.DidChangeConfigurationParams(None))

    def shown(found: list[types.Diagnostic]) -> list[tuple[str, types.DiagnosticSeverity]]:
        return [(one.code, one.severity) for one in found]

    hint = ("separate-shader", types.DiagnosticSeverity.Hint)
    editor.open(tinted.replace("subgroup_size: 0\n", "subgroup_size: 0\nseparate_shader: true\n"))
    await editor.diagnostics(lambda found: shown(found) == [hint])
    use(profile="quiet")
    await editor.diagnostics(lambda found: not found)
    # What is set by name has precedence, and errors stay.
    use(profile="quiet", severity={"separate-shader": "hint"})
    await editor.diagnostics(lambda found: shown(found) == [hint])
    use(profile="quiet")
    await editor.diagnostics(lambda found: not found)
    editor.type("fmul %33", "fmul %777")
    error = ("undefined-value", types.DiagnosticSeverity.Error)
    await editor.diagnostics(lambda found: shown(found) == [error])


async def test_diagnostics_are_pulled(pulling_editor: Editor, tinted: str) -> None:
    editor = pulling_editor
    editor.open(tinted)
    await editor.client.workspace_execute_command_async(
        types.ExecuteCommandParams("nirls.runPasses", arguments=[editor.uri])
    )
    report = await editor.client.text_document_diagnostic_async(
        types.DocumentDiagnosticParams(editor.document)
    )
    assert has_pass_findings(list(report.items))
    same = await editor.client.text_document_diagnostic_async(
        types.DocumentDiagnosticParams(editor.document, previous_result_id=report.result_id)
    )
    assert same.kind == types.DocumentDiagnosticReportKind.Unchanged
    editor.type("ffma %11.x", "ffma %9999.x")
    changed = await editor.client.text_document_diagnostic_async(
        types.DocumentDiagnosticParams(editor.document, previous_result_id=report.result_id)
    )
    assert any("9999" in item.message for item in changed.items)
    assert editor.uri not in editor.client.diagnostics


async def test_edits_reach_the_files_of_both_stages(editor: Editor, data: object, tmp_path: object) -> None:
    for stage in ("vert", "frag"):
        (tmp_path / f"tinted.{stage}.nir").write_text(  # type: ignore[operator]
            (data / "pipelines" / f"tinted.{stage}.nir").read_text()  # type: ignore[operator]
        )
    vertex = tmp_path / "tinted.vert.nir"  # type: ignore[operator]
    editor.open(vertex.read_text(), vertex.as_uri())
    found = await editor.diagnostics(has_pass_findings)
    related = [item for one in found for item in one.related_information or ()]
    assert {item.location.uri for item in related} >= {(tmp_path / "tinted.frag.nir").as_uri()}  # type: ignore[operator]
