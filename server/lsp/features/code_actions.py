"""Code actions: quick fixes of findings, `source.fixAll.nirls`, and every pass as a refactoring.

Edits are computed when an action is resolved. An action identifies its fix by dump slot, pass and key, so it
remains valid after edits elsewhere, and has no edit if the fix is no longer offered.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence, Set
from typing import Any

from lsprotocol import types
from pygls.exceptions import JsonRpcContentModified, JsonRpcException

from nirls.ir.finding import Finding, Fix
from nirls.passes import registry
from nirls.passes.declaration import Pass
from nirls.server.engine.document import PlacedDump
from nirls.server.engine.engine import Texts
from nirls.server.engine.fixing import FixError, Members, PlacedEdits, texts_of
from nirls.server.engine.linking import LinkedDump, LinkedPipeline
from nirls.server.engine.workspace import Document
from nirls.server.lsp.features.finding_diagnostics import diagnostic_of
from nirls.server.lsp.features.history_texts import HISTORY, history_actions
from nirls.server.lsp.features.verification import transition_actions
from nirls.server.lsp.features.workspace_edits import text_edits, workspace_edit
from nirls.server.lsp.nirls_server import NirlsServer, guarded

FIX_ALL = "source.fixAll.nirls"
REFACTOR = "refactor.rewrite.nirls"
PREVIEW_PASS = "nirls.previewPass"
"""Client command that previews passes. Arguments: URI, dump number, pass names."""

UNCHECKED = " (unchecked)"
"""Title suffix of a fix that could not be verified."""


def register(server: NirlsServer) -> None:
    """Declare the handlers."""
    kinds = [types.CodeActionKind.QuickFix, FIX_ALL, REFACTOR]
    options = types.CodeActionOptions(code_action_kinds=kinds, resolve_provider=True)

    @server.handler(types.TEXT_DOCUMENT_CODE_ACTION, options, otherwise=[])
    async def actions(params: types.CodeActionParams) -> list[types.CodeAction]:
        document = server.document(params.text_document.uri)
        if document is None or not server.client.code_action_literals:
            return []
        snapshot = document.snapshot
        await server.imports.for_passes()
        server.require_text(document, snapshot)
        found = list(_actions(server, document, params))
        if not server.client.resolves_edits:
            for action in found:
                await _resolve(server, action)
            found = [action for action in found if action.edit is not None or action.command is not None]
        return found

    @server.handler(types.CODE_ACTION_RESOLVE)
    async def resolve(params: types.CodeAction) -> types.CodeAction:
        try:
            edit = await guarded(_edit_of, name=types.CODE_ACTION_RESOLVE)(server, params.data)
        except JsonRpcContentModified:
            # Editors drop this error without a word.
            _say_not_done(server, params, "the text changed while its edits were computed")
            raise
        if edit is None:
            _say_not_done(server, params, _why_there_is_no_edit(server, params.data))
            return params
        params.edit = edit
        _say_what_was_tried(server, params)
        return params


def _say_not_done(server: NirlsServer, action: types.CodeAction, reason: str) -> None:
    message = f"{action.title}: not done, because {reason}"
    server.window_show_message(types.ShowMessageParams(types.MessageType.Info, message))


def _why_there_is_no_edit(server: NirlsServer, data: object) -> str:
    """Return the reason why an action that was offered has no edit."""
    given: dict[str, Any] = data if isinstance(data, dict) else {}
    document = server.document(str(given.get("uri")))
    dump = None if document is None else document.place_of_slot(int(given.get("slot", 0)))
    if document is None or (dump is None and given.get("do") != "fixAll"):
        return "the dump is not there any more"
    if dump is not None and given.get("do") == "fix":
        verdicts = server.engines.of(document).fix_verdicts
        places = _places_of_fix(server, document, dump)
        if any(verdicts.is_refused(texts, str(given["pass"]), str(given["key"])) for texts in places):
            return "the result does not compute the same"
    return "it changes nothing in the present text"


def _actions(
    server: NirlsServer, document: Document, params: types.CodeActionParams
) -> Iterator[types.CodeAction]:
    snapshot, encoding = document.snapshot, server.client.encoding
    start = snapshot.offset(params.range.start.line, params.range.start.character, encoding)
    end = snapshot.offset(params.range.end.line, params.range.end.character, encoding)
    only = params.context.only
    dumps = snapshot.dumps_in_lines(params.range.start.line, params.range.end.line)
    run_by_fixes: set[str] = set()
    run_on_all: set[str] = set()
    if _is_wanted(types.CodeActionKind.QuickFix, only):
        for dump in dumps:
            yield from transition_actions(server, document, dump)
            run_here: set[str] = set()
            part_of: dict[str, Finding] = {}
            for mark, fix, action in _quick_fixes(
                server, document, dump, start - dump.start, end - dump.start
            ):
                if fix.kind == "pass":
                    run_here.add(mark.pass_name)
                declared = registry.find(mark.pass_name)
                if declared is not None and declared.part_of:
                    part_of.setdefault(declared.part_of, mark)
                yield action
            for name, mark in part_of.items():
                if name not in run_here:
                    if dump is dumps[0]:
                        run_on_all.add(name)
                    yield _run_the_whole(server, document, dump, mark, name)
            if dump is dumps[0]:
                run_by_fixes = run_here
    if _is_fix_all_wanted(params.context) and any(
        mark.fixes for marks in document.pass_findings.values() for mark in marks
    ):
        data = {"do": "fixAll", "uri": document.uri}
        yield types.CodeAction("Apply all nirls fixes in this file", FIX_ALL, data=data)
    if _is_wanted(REFACTOR, only) and dumps:
        yield from _refactorings(server, document, dumps[0], run_by_fixes, run_on_all)
        if PREVIEW_PASS in server.client.commands:
            yield from _previews(server, document, dumps[0])
    if _is_wanted(HISTORY, only) and dumps:
        yield from history_actions(server, document, dumps[0])


def _is_fix_all_wanted(context: types.CodeActionContext) -> bool:
    """Whether to offer the fix-all action. An automatic request must name its kind in full.

    Users enable `source.fixAll` on save for linters; that must not let passes rewrite a log.
    """
    if context.trigger_kind is types.CodeActionTriggerKind.Automatic:
        return FIX_ALL in (context.only or ())
    return _is_wanted(FIX_ALL, context.only)


def _is_wanted(kind: str, only: Sequence[str] | None) -> bool:
    if only is None:
        return True
    # lsprotocol converts standard kinds to enumeration members, whose str() is the member name.
    names = (wanted.value if isinstance(wanted, types.CodeActionKind) else wanted for wanted in only)
    return any(kind == name or kind.startswith(f"{name}.") for name in names)


def _quick_fixes(
    server: NirlsServer, document: Document, dump: PlacedDump, start: int, end: int
) -> Iterator[tuple[Finding, Fix, types.CodeAction]]:
    seen: set[tuple[str, str]] = set()
    for mark in document.pass_findings.get(dump.piece.slot, ()):
        if mark.place.end < start or mark.place.start > end:
            continue
        for fix in mark.fixes:
            # A fix for all findings of a kind is attached to each of them, with one key.
            if (mark.pass_name, fix.key) in seen:
                continue
            seen.add((mark.pass_name, fix.key))
            places = _places_of_fix(server, document, dump)
            verdicts = server.engines.of(document).fix_verdicts
            if all(verdicts.is_without_edit(texts, mark.pass_name, fix.key) for texts in places):
                continue
            if not any(verdicts.is_refused(texts, mark.pass_name, fix.key) for texts in places):
                unchecked = any(verdicts.is_unchecked(texts, mark.pass_name, fix.key) for texts in places)
                yield mark, fix, _quick_fix(server, document, dump, mark, fix, unchecked)


def _places_of_fix(server: NirlsServer, document: Document, dump: PlacedDump) -> list[Texts]:
    """Return the texts that a fix may apply to: those of each pipeline with the dump, and the dump alone."""
    linked = pipelines_with(server, document, dump)
    return [*(one.texts() for one in linked), (dump.piece.text,)]


def _quick_fix(
    server: NirlsServer, document: Document, dump: PlacedDump, mark: Finding, fix: Fix, unchecked: bool
) -> types.CodeAction:
    data = {"do": "fix", "uri": document.uri, "slot": dump.piece.slot, "pass": mark.pass_name, "key": fix.key}
    return types.CodeAction(
        title=f"{fix.title}{UNCHECKED}" if unchecked else fix.title,
        kind=types.CodeActionKind.QuickFix,
        diagnostics=[diagnostic_of(server, document, dump, mark)],
        is_preferred=True if fix.preferred else None,
        data=data,
    )


def _run_the_whole(
    server: NirlsServer, document: Document, dump: PlacedDump, mark: Finding, pass_name: str
) -> types.CodeAction:
    """Offer to run, on the whole pipeline, the pass that includes the pass of the finding."""
    return types.CodeAction(
        title=f"Run {pass_name} on the pipeline",
        kind=types.CodeActionKind.QuickFix,
        diagnostics=[diagnostic_of(server, document, dump, mark)],
        data={"do": "pass", "uri": document.uri, "slot": dump.piece.slot, "pass": pass_name},
    )


def _refactorings(
    server: NirlsServer, document: Document, dump: PlacedDump, offered: Set[str], offered_on_all: Set[str]
) -> Iterator[types.CodeAction]:
    """Offer to run each pass that has a fix in the dump or in its first pipeline.

    Passes in `offered` are run by a quick fix already; those in `offered_on_all`, on the whole pipeline.
    """
    linked = pipelines_with(server, document, dump)[:1]
    for declared in _passes_with_fixes(server, document, dump, linked):
        in_pipeline = declared.scope == "pipeline" and bool(linked)
        if declared.scope == "pipeline" and not linked and not declared.alone:
            continue
        if declared.name in offered_on_all:
            continue
        # A quick fix runs the pass on one pair of stages; a longer pipeline has more.
        if declared.name in offered and not (in_pipeline and len(linked[0].members) > 2):
            continue
        where = f"pipeline {linked[0].pipeline.name}" if in_pipeline else "this shader"
        data = {"do": "pass", "uri": document.uri, "slot": dump.piece.slot, "pass": declared.name}
        yield types.CodeAction(f"Run {declared.name} on {where}", REFACTOR, data=data)


def _passes_with_fixes(
    server: NirlsServer, document: Document, dump: PlacedDump, pipelines: Iterable[LinkedPipeline]
) -> list[type[Pass]]:
    """Return the passes that offer a fix for the dump or for one of its pipelines."""
    found = {mark.pass_name for mark in document.pass_findings.get(dump.piece.slot, ()) if mark.fixes}
    engine = server.engines.of(document)
    for linked in pipelines:
        found.update(declared.name for declared in engine.passes_with_fixes(linked.texts()))
    return [declared for declared in registry.all_passes() if declared.name in found]


def _previews(server: NirlsServer, document: Document, dump: PlacedDump) -> Iterator[types.CodeAction]:
    """Offer a preview of each pass with a fix for the dump or its pipeline, and of linking."""
    linked = pipelines_with(server, document, dump)[:1]
    wanted = [([one.name], one.name, one.scope) for one in _passes_with_fixes(server, document, dump, linked)]
    if linked:
        from nirls.server.ide.preview import WHAT_IF

        wanted.append((list(WHAT_IF), "linking and clean-up", "pipeline"))
    for names, what, scope in wanted:
        if scope == "pipeline" and not linked:
            continue
        where = f"pipeline {linked[0].pipeline.name}" if scope == "pipeline" else "this shader"
        title = f"Preview {what} on {where}"
        arguments = [document.uri, dump.number, names]
        command = types.Command(title, PREVIEW_PASS, arguments=arguments)
        data = {"do": "preview", "uri": document.uri}
        yield types.CodeAction(title, REFACTOR, command=command, data=data)


async def _resolve(server: NirlsServer, action: types.CodeAction) -> None:
    try:
        edit = await _edit_of(server, action.data)
    except (JsonRpcException, FixError):
        return  # the text changed, or the time limit was reached: omit the action
    if edit is not None:
        action.edit = edit
        _say_what_was_tried(server, action)


def _say_what_was_tried(server: NirlsServer, action: types.CodeAction) -> None:
    """Add the suffix to the title of a quick fix that could not be verified, else `tried` to its data."""
    data: dict[str, Any] = action.data or {}
    document = server.document(data["uri"]) if data.get("do") == "fix" else None
    dump = None if document is None else document.place_of_slot(int(data["slot"]))
    if document is None or dump is None or action.title.endswith(UNCHECKED):
        return
    places = _places_of_fix(server, document, dump)
    verdicts = server.engines.of(document).fix_verdicts
    if any(verdicts.is_unchecked(texts, data["pass"], data["key"]) for texts in places):
        action.title += UNCHECKED
        return
    tried = [verdicts.tried(texts, data["pass"], data["key"]) for texts in places]
    action.data = {**data, "tried": [one for one in tried if one is not None]}


async def _edit_of(server: NirlsServer, data: object) -> types.WorkspaceEdit | None:
    """Compute the workspace edit for an action's data; None if there is nothing left to do."""
    if not isinstance(data, dict):
        return None
    document = server.document(str(data.get("uri")))
    if document is None:
        return None
    if data.get("do") == "fixAll":
        return await _fix_all(server, document)
    dump = document.place_of_slot(int(data.get("slot", 0)))
    if dump is None:
        return None
    pass_name = str(data.get("pass"))
    if data.get("do") == "fix":
        places = [linked.members for linked in pipelines_with(server, document, dump)]
        alone = (LinkedDump(document, dump),)
        engine = server.engines.of(document)
        edits = await server.fixer.fix(engine, [*places, alone], pass_name, str(data.get("key")))
        return _workspace_edit(server, edits)
    declared = registry.find(pass_name)
    return None if declared is None else await apply_pass(server, document, dump, declared)


async def apply_pass(
    server: NirlsServer, document: Document, dump: PlacedDump, declared: type[Pass]
) -> types.WorkspaceEdit | None:
    """Compute the edit that runs a pass on a dump, or on the first pipeline with it. Raises FixError."""
    linked = pipelines_with(server, document, dump) if declared.scope == "pipeline" else []
    if declared.scope == "pipeline" and not linked and not declared.alone:
        return None
    members = linked[0].members if linked else (LinkedDump(document, dump),)
    return _workspace_edit(server, await server.fixer.apply(server.engines.of(document), members, declared))


async def _fix_all(server: NirlsServer, document: Document) -> types.WorkspaceEdit | None:
    """Compute the edit that runs every pass with a fix on all pipelines and dumps of a document."""
    engine = server.engines.of(document)
    groups: list[Members] = [linked.members for linked in server.linker.pipelines_of(document)]
    linked_slots = {member.dump.piece.slot for members in groups for member in members}
    groups += [
        (LinkedDump(document, dump),)
        for dump in document.snapshot.dumps()
        if dump.piece.slot not in linked_slots
    ]
    wanted: list[tuple[Members, list[type[Pass]]]] = []
    edited: set[int] = set()
    for members in groups:
        slots = {member.dump.piece.slot for member in members}
        passes = engine.passes_with_fixes(texts_of(members))
        for text in texts_of(members) if len(members) > 1 else ():
            passes += [one for one in engine.passes_with_fixes((text,)) if one not in passes]
        # A dump in two pipelines is edited once; the next check reports what remains for the other.
        if passes and not slots & edited:
            wanted.append((members, passes))
            edited |= slots
    return _workspace_edit(server, await server.fixer.apply_all(engine, wanted)) if wanted else None


def pipelines_with(server: NirlsServer, document: Document, dump: PlacedDump) -> list[LinkedPipeline]:
    """Return the pipelines that contain a dump."""
    pipelines = server.linker.pipelines_of(document)
    return [linked for linked in pipelines if linked.position_of(dump.piece.slot) is not None]


def _workspace_edit(server: NirlsServer, placed: Sequence[PlacedEdits]) -> types.WorkspaceEdit | None:
    """Combine the edits of dumps into one workspace edit; None if there are none."""
    changes = [
        (
            one.document,
            text_edits(server, one.dump, one.edits.edits, is_unchecked=one.edits.is_unchecked),
        )
        for one in placed
    ]
    return workspace_edit(server, changes) if changes else None
