"""Typing and saving: the findings stay, and fixes on save hold for the text that was typed last."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from lsprotocol import types

if TYPE_CHECKING:
    from tests.end_to_end.conftest import Editor

FIX_ALL = "source.fixAll.nirls"


def codes(found: list[types.Diagnostic]) -> list[str]:
    return sorted(str(one.code) for one in found)


async def fixed_on_save(editor: Editor) -> types.CodeAction | None:
    """What an editor gets that applies fixes before it writes the file."""
    everything = types.Range(types.Position(0, 0), types.Position(10**6, 0))
    context = types.CodeActionContext(
        diagnostics=[], only=[FIX_ALL], trigger_kind=types.CodeActionTriggerKind.Automatic
    )
    params = types.CodeActionParams(editor.document, everything, context)
    actions = await editor.client.text_document_code_action_async(params)
    if not actions:
        return None
    (action,) = actions
    return await editor.client.code_action_resolve_async(action)


def told_of_fixes(editor: Editor) -> list[str]:
    """The messages about fixes."""
    return [one.message for one in editor.client.messages if "fixes" in one.message]


def edits_of(action: types.CodeAction) -> list[types.TextEdit]:
    (change,) = action.edit.document_changes
    return list(change.edits)


async def test_the_number_of_problems_stays_while_typing(editor: Editor, tinted: str) -> None:
    editor.open(tinted)
    before = codes(await editor.diagnostics(lambda found: len(found) == 3))
    assert before == ["dead-output"] + ["propagatable-output"] * 2
    end = "                 // succs: b1"
    for line in ("    // a note", "    32 %999 = fadd %59"):
        editor.type(end, f"\n{end}")
        for count in range(len(line)):
            editor.type(f"{line[:count]}\n{end}", f"{line[: count + 1]}\n{end}")
            # What is being written may be an error, and takes no other finding away.
            assert [code for code in codes(await editor.diagnostics()) if code in before] == before
        if "//" in line:
            await editor.diagnostics(lambda found: codes(found) == before)


async def test_save_right_after_typing_fixes_the_typed_text(editor: Editor, tinted: str) -> None:
    editor.open(tinted)
    await editor.diagnostics(lambda found: len(found) == 3)
    store = next(line for line in editor.text.splitlines() if "@store_output (%253" in line)
    started = time.monotonic()
    editor.type(store, f"// typed\n{store}")
    asked = fixed_on_save(editor)
    assert time.monotonic() - started < 0.3
    action = await asked
    assert action is not None
    editor.apply(edits_of(action))
    assert "// typed\n" in editor.text
    assert "@store_output (%253" not in editor.text
    assert "@store_output (%254" not in editor.text
    found = await editor.diagnostics(lambda found: not codes(found))
    assert found == []


async def test_save_of_a_broken_text_says_that_it_did_nothing(editor: Editor, tinted: str) -> None:
    editor.open(tinted)
    await editor.diagnostics(lambda found: len(found) == 3)
    editor.type("impl main {", "impl main {\n    32 %0 = (((")
    action = await fixed_on_save(editor)
    assert action is None or action.edit is None
    assert told_of_fixes(editor) == ["nirls applied no fixes: none holds for the present text"]


async def test_save_of_a_broken_text_is_silent_once_no_fix_is_shown(editor: Editor, tinted: str) -> None:
    editor.open(tinted)
    await editor.diagnostics(lambda found: len(found) == 3)
    editor.type("impl main {", "impl main {\n    32 %0 = (((")
    editor.save()
    await editor.diagnostics(lambda found: codes(found) and "dead-output" not in codes(found))
    action = await fixed_on_save(editor)
    assert action is None or action.edit is None
    assert told_of_fixes(editor) == []
