"""The chain of control shader passes as one code action on a patch's shaders."""

from __future__ import annotations

from lsprotocol import types

from nirls.ir.model.shader import Shader
from nirls.ir.text.dumps import split_dumps
from nirls.ir.text.parse import parse_dump
from nirls.verification.random_shaders.patches import random_patch_texts
from nirls.verification.verdict import Equivalent
from nirls.verification.verify_shaders import verify_shaders

from .conftest import Editor

PATCH = "\n".join(random_patch_texts(0))
CODE = "skippable-patch-work"


def shaders(text: str) -> list[Shader]:
    data = text.encode()
    return [parse_dump(data[piece.start : piece.end]) for piece in split_dumps(data)]


async def test_one_action_optimizes_the_whole_patch(editor: Editor) -> None:
    editor.open(PATCH)
    found = await editor.diagnostics(lambda items: any(item.code == CODE for item in items))
    target = next(item for item in found if item.code == CODE)
    assert "culled patches skip" in target.message
    actions = await editor.client.text_document_code_action_async(
        types.CodeActionParams(
            editor.document,
            target.range,
            types.CodeActionContext([target], only=[types.CodeActionKind.QuickFix]),
        )
    )
    assert actions
    action = next(
        one
        for one in actions
        if one.title.startswith("Optimize the control shader, only for patches of 6 control points")
    )
    assert isinstance(action, types.CodeAction)
    resolved = await editor.client.code_action_resolve_async(action)
    (change,) = resolved.edit.document_changes
    editor.apply(change.edits)
    before, after = shaders(PATCH), shaders(editor.text)
    assert isinstance(verify_shaders(before, after), Equivalent)
    assert "@load_per_vertex_input" not in after[1].source.decode()
    editor.save()
    left = await editor.diagnostics(lambda items: not any(item.code == CODE for item in items))
    assert not [item for item in left if item.severity == types.DiagnosticSeverity.Error]
