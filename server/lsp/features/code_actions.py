"""Code actions: quick fixes of findings, `source.fixAll.nirls`, and every pass as a refactoring.

Edits are computed when an action is resolved, see `nirls.server.lsp.answers.action_data`. An action remains
valid after edits of other dumps, and has no edit if its fix is no longer offered.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import replace

from lsprotocol import types
from pygls.exceptions import JsonRpcContentModified, JsonRpcException

from nirls.ir.finding import Finding, Fix, FixRequest, Place, counted, listed
from nirls.ir.validation import defect_of
from nirls.passes import registry
from nirls.passes.declaration import Pass
from nirls.server.engine.checks.analyzer import Analyzer
from nirls.server.engine.checks.fixing import (
    LONGEST_FIX_ALL,
    LONGEST_FIX_ON_SAVE,
    FixError,
    FixOffer,
    Members,
    PlacedEdits,
    texts_of,
)
from nirls.server.engine.documents.document import PlacedDump
from nirls.server.engine.documents.dump_state import DumpState
from nirls.server.engine.documents.linking import LinkedDump, LinkedPipeline
from nirls.server.engine.documents.positions import Encoding
from nirls.server.engine.documents.text_document import Document
from nirls.server.engine.settings.client_settings import FIX_WHOLE_PIPELINE
from nirls.server.ide.preview import WHAT_IF
from nirls.server.lsp.answers.action_data import (
    ActionData,
    Allow,
    ApplyEveryFix,
    ApplyFix,
    action_of,
    plain_action,
)
from nirls.server.lsp.answers.finding_diagnostics import diagnostic_of
from nirls.server.lsp.answers.workspace_edits import text_edits, workspace_edit
from nirls.server.lsp.features.allow_actions import (
    SAVE_FILES,
    allow_actions,
    allow_edit,
    removal_edit,
    show_repeated_action,
)
from nirls.server.lsp.features.history_texts import HISTORY, history_actions
from nirls.server.lsp.features.mesa_tests import MESA_TEST, mesa_test_actions
from nirls.server.lsp.features.shader_runs import RUN_KIND, run_actions
from nirls.server.lsp.features.verification import transition_actions
from nirls.server.lsp.nirls_server import NirlsServer, guarded

FIX_ALL = "source.fixAll.nirls"
FIX_PIPELINE = "source.fixPipeline.nirls"
FIX_LINKED_FILES = "Apply all nirls fixes in this file and the files linked with it"
REFACTOR = "refactor.rewrite.nirls"
PREVIEW_PASS = "nirls.previewPass"
"""Client command that previews passes. Arguments: URI, dump number, pass names."""

UNCHECKED = " (unchecked)"
"""Title suffix of a fix that could not be verified."""


def register(server: NirlsServer) -> None:
    @server.on_document(types.TEXT_DOCUMENT_CODE_ACTION, otherwise=[])
    async def actions(document: Document, params: types.CodeActionParams) -> list[types.CodeAction]:
        if not server.client.code_action_literals:
            return []
        snapshot = document.snapshot
        await asyncio.to_thread(registry.all_passes)
        server.require_text(document, snapshot)
        found = list(_actions(server, document, params))
        if not server.client.resolves_edits:
            for action in found:
                await _resolve(server, action)
            found = [action for action in found if action.edit is not None or action.command is not None]
        return found

    @server.handler(types.CODE_ACTION_RESOLVE)
    async def resolve(params: types.CodeAction) -> types.CodeAction:
        if params.data is None:
            return params
        data = action_of(params.data)
        try:
            edit = await guarded(_edit_of, name=types.CODE_ACTION_RESOLVE)(server, data)
        except JsonRpcContentModified:
            # Editors drop this error without a word.
            _say_not_done(server, params, "the text changed while its edits were computed")
            raise
        if edit is None:
            if not isinstance(data, ApplyEveryFix):
                _say_not_done(server, params, await _why_there_is_no_edit(server, data))
            elif not data.on_save:
                server.say(await _what_fix_all_leaves(server, data))
            return params
        params.edit = edit
        _say_what_was_tried(server, params, data)
        return params


def _say_not_done(server: NirlsServer, action: types.CodeAction, reason: str) -> None:
    server.say(f"{action.title}: not done, because {reason}")


async def _why_there_is_no_edit(server: NirlsServer, data: ApplyFix | Allow) -> str:
    """Return the reason why an action that was offered has no edit."""
    document = server.document(data.uri)
    if document is None:
        return "the document is closed"
    dump = document.place_of_slot(data.slot)
    if dump is None:
        return "the dump is not there any more"
    if isinstance(data, ApplyFix):
        verdicts = server.analyzers.of(document).fix_verdicts
        offers = _offers(server, document, dump, data.request)
        if any(verdicts.is_refused(texts_of(offer.members), offer.request) for offer in offers):
            return "the result does not compute the same"
    linked = [text for one in server.pipelines_with(document, dump) for text in one.texts()]
    store = server.analyzers.of(document).store
    states = [store.state(text) for text in dict.fromkeys((dump.piece.text, *linked))]
    # Large dumps may have to be parsed again.
    if defect := await asyncio.to_thread(_first_defect, states):
        return f"no pass runs on a dump with an error, or on its pipeline: {defect}"
    return "the pass no longer finds this place in the text"


async def _what_fix_all_leaves(server: NirlsServer, data: ApplyEveryFix) -> str:
    """Say that fixing everything in a file has no edit, and which linked files the other fixes change."""
    document = server.document(data.uri)
    nothing = "nothing to fix within this file"
    if data.whole_pipeline:
        return f"{nothing} and the files linked with it"
    if document is None or not _other_files(server, document):
        return nothing
    groups: list[Members] = [linked.members for linked in server.linker.pipelines_of(document)]
    try:
        placed = await server.fixer.fix_all(
            server.analyzers.of(document), document, groups, LONGEST_FIX_ALL, whole_pipeline=True
        )
    except FixError:
        return nothing
    names = list(dict.fromkeys(one.document.name for one in placed if one.document is not document))
    if not names:
        return nothing
    number = _fixes_in_pipelines(server, document)
    fixes = counted(number, "fix", "fixes") if number else "fixes"
    return f'{nothing}; {fixes} would change {listed(names)}: use "{FIX_LINKED_FILES}"'


def _first_defect(states: Iterable[DumpState]) -> str:
    return next(filter(None, (defect_of(state.shader) for state in states)), "")


def _actions(
    server: NirlsServer, document: Document, params: types.CodeActionParams
) -> Iterator[types.CodeAction]:
    """Yield the actions for the lines of a range; the columns do not matter.

    Order: fixes of single findings, preferred ones first; fixes of all findings of a kind; passes; the
    comments and settings that switch findings off; everything in the file; refactorings; one preview.
    """
    first, last = params.range.start.line, params.range.end.line
    only = params.context.only
    dumps = document.snapshot.dumps_in_lines(first, last)
    offered: set[str] = set()
    noted: list[str] = []
    if _is_wanted(types.CodeActionKind.QuickFix, only):
        for dump in dumps:
            found = _findings_in_lines(document, dump, first, last)
            yield from _quick_fixes(server, document, dump, found, offered)
            noted += [one.pass_name for one in found if one.fixes and one.pass_name]
            yield from transition_actions(server, document, dump)
            yield from allow_actions(document, dump, found)
            repeated = show_repeated_action(document, dump)
            if repeated is not None:
                yield repeated
    if _is_fix_all_wanted(params.context):
        yield from _fix_all_action(server, document, params.context)
    is_asked = params.context.trigger_kind is not types.CodeActionTriggerKind.Automatic
    if is_asked and _is_wanted(FIX_PIPELINE, only):
        yield from _fix_pipeline_action(server, document)
    if _is_wanted(REFACTOR, only) and dumps:
        yield from _refactorings(server, document, dumps[0], offered)
        if PREVIEW_PASS in server.client.commands:
            yield from _preview(server, document, dumps[0], list(dict.fromkeys(noted)))
    if _is_wanted(MESA_TEST, only) and dumps:
        yield from mesa_test_actions(document, dumps[0])
    if _is_wanted(RUN_KIND, only) and dumps:
        yield from run_actions(server, document, dumps[0])
    if _is_wanted(HISTORY, only) and dumps:
        yield from history_actions(server, document, dumps[0])


def _findings_in_lines(document: Document, dump: PlacedDump, first: int, last: int) -> list[Finding]:
    """Return the shown findings of a dump with a place, own or related, in some lines of the document."""
    lines = dump.piece.lines

    def is_near(place: Place) -> bool:
        start, end = (
            lines.position(at, Encoding.UTF8).line + dump.first_line for at in (place.start, place.end)
        )
        return start <= last and end >= first

    def is_wanted(finding: Finding) -> bool:
        here = [one.place for one in finding.related if one.place.dump in (0, dump.piece.slot)]
        return any(map(is_near, (finding.place, *here)))

    found = filter(is_wanted, document.shown(dump.piece))
    # Findings that stand on the lines come before those that only refer to them.
    return sorted(found, key=lambda one: (not is_near(one.place), one.severity.rank, one.place.start))


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


_ORDER_OF_SCOPES = {"one": 0, "all": 1, "pass": 2}


def _quick_fixes(
    server: NirlsServer,
    document: Document,
    dump: PlacedDump,
    findings: Sequence[Finding],
    offered: set[str],
) -> Iterator[types.CodeAction]:
    """Yield each fix of the findings once, and each pass once; its name is added to `offered`."""
    made: dict[str, tuple[int, bool, types.CodeAction]] = {}
    verdicts = server.analyzers.of(document).fix_verdicts
    for finding in findings:
        for fix in finding.fixes:
            request = fix.request
            asked = [
                (texts_of(offer.members), offer.request) for offer in _offers(server, document, dump, request)
            ]
            if any(verdicts.is_refused(*subject) for subject in asked):
                continue
            if asked and all(verdicts.is_without_edit(*subject) for subject in asked):
                continue
            unchecked = any(verdicts.is_unchecked(*subject) for subject in asked)
            action = _quick_fix(server, document, dump, finding, fix, unchecked)
            if request.scope == "pass":
                offered.add(request.pass_name)
            made.setdefault(action.title, (_ORDER_OF_SCOPES[request.scope], not fix.preferred, action))
    for *_, action in sorted(made.values(), key=lambda one: one[:2]):
        yield action


def _offers(server: NirlsServer, document: Document, dump: PlacedDump, request: FixRequest) -> list[FixOffer]:
    """Return what a fix of a dump may apply to: a pipeline with the dump, or the dump alone.

    The dumps of the request are slots; in the offers they are positions.
    """
    declared = registry.find(request.pass_name)
    is_linked = declared is not None and declared.scope == "pipeline"
    groups: list[Members] = []
    if is_linked:
        groups += [linked.members for linked in server.pipelines_with(document, dump)]
    if not is_linked or (declared is not None and declared.alone):
        groups.append((LinkedDump(document, dump),))
    offers = []
    for members in groups:
        slots = [member.dump.piece.slot for member in members]
        if request.scope == "pass":
            offers.append(FixOffer(members, replace(request, dump=0)))
        elif request.dump in slots:
            offers.append(FixOffer(members, replace(request, dump=slots.index(request.dump))))
    return offers


def _quick_fix(
    server: NirlsServer, document: Document, dump: PlacedDump, mark: Finding, fix: Fix, unchecked: bool
) -> types.CodeAction:
    data = ApplyFix(document.uri, dump.piece.slot, fix.request)
    return types.CodeAction(
        title=f"{fix.title}{UNCHECKED}" if unchecked else fix.title,
        kind=types.CodeActionKind.QuickFix,
        diagnostics=[diagnostic_of(server, document, dump, mark)],
        is_preferred=True if fix.preferred else None,
        data=plain_action(data),
    )


def _refactorings(
    server: NirlsServer, document: Document, dump: PlacedDump, offered: Set[str]
) -> Iterator[types.CodeAction]:
    """Offer to run each pass that has a fix in the dump or in its first pipeline.

    Passes in `offered` are run by a quick fix already.
    """
    linked = server.pipelines_with(document, dump)[:1]
    for declared in _passes_with_fixes(server, document, dump, linked):
        in_pipeline = declared.scope == "pipeline" and bool(linked)
        if declared.scope == "pipeline" and not linked and not declared.alone:
            continue
        if declared.name in offered or declared.part_of in offered:
            continue
        where = f"pipeline {linked[0].pipeline.name}" if in_pipeline else "this shader"
        data = ApplyFix(document.uri, dump.piece.slot, FixRequest(declared.name, "", "pass"))
        yield types.CodeAction(f"Run {declared.name} on {where}", REFACTOR, data=plain_action(data))


def _passes_with_fixes(
    server: NirlsServer, document: Document, dump: PlacedDump, pipelines: Iterable[LinkedPipeline]
) -> list[type[Pass]]:
    """Return the passes that offer a fix for the dump or for one of its pipelines."""
    found = {mark.pass_name for mark in document.pass_findings.get(dump.piece.slot, ()) if mark.fixes}
    analyzer = server.analyzers.of(document)
    for linked in pipelines:
        found.update(declared.name for declared in analyzer.passes_with_fixes(linked.texts()))
    return [declared for declared in registry.all_passes() if declared.name in found]


def _preview(
    server: NirlsServer, document: Document, dump: PlacedDump, passes: Sequence[str]
) -> Iterator[types.CodeAction]:
    """Offer one preview: of the passes with findings on the line, else of linking, else of all passes."""
    linked = server.pipelines_with(document, dump)[:1]
    if linked and not passes:
        names, what = list(WHAT_IF), "linking and clean-up"
    else:
        here = _passes_with_fixes(server, document, dump, ())
        names = list(passes) or [one.name for one in here if one.scope == "shader"]
        what = ", ".join(names)
    if not names:
        return
    declared = map(registry.find, names)
    in_pipeline = linked and any(one is not None and one.scope == "pipeline" for one in declared)
    where = f"pipeline {linked[0].pipeline.name}" if in_pipeline else "this shader"
    title = f"Preview {what} on {where}"
    command = types.Command(title, PREVIEW_PASS, arguments=[document.uri, dump.number, names])
    yield types.CodeAction(title, REFACTOR, command=command)


async def _resolve(server: NirlsServer, action: types.CodeAction) -> None:
    if action.data is None:
        return
    data = action_of(action.data)
    try:
        edit = await _edit_of(server, data)
    except (JsonRpcException, FixError):
        return  # the text changed, or the time limit was reached: omit the action
    if edit is not None:
        action.edit = edit
        _say_what_was_tried(server, action, data)


def _say_what_was_tried(server: NirlsServer, action: types.CodeAction, data: ActionData) -> None:
    """Add the suffix to the title of a fix that could not be verified, else `tried` to its data."""
    document = server.document(data.uri)
    if document is None or not isinstance(data, ApplyFix) or action.title.endswith(UNCHECKED):
        return
    dump = document.place_of_slot(data.slot)
    if dump is None:
        return
    asked = [
        (texts_of(offer.members), offer.request) for offer in _offers(server, document, dump, data.request)
    ]
    verdicts = server.analyzers.of(document).fix_verdicts
    if any(verdicts.is_unchecked(*subject) for subject in asked):
        action.title += UNCHECKED
        return
    tried = tuple(counts for subject in asked if (counts := verdicts.tried(*subject)) is not None)
    action.data = plain_action(replace(data, tried=tried))


async def _edit_of(server: NirlsServer, data: ActionData) -> types.WorkspaceEdit | None:
    """Compute the workspace edit for an action's data; None if there is nothing left to do."""
    document = server.document(data.uri)
    if document is None:
        return None
    if isinstance(data, ApplyEveryFix):
        return await _fix_all(server, document, data)
    if isinstance(data, Allow):
        return allow_edit(server, document, data)
    dump = document.place_of_slot(data.slot)
    if dump is None:
        return None
    if not data.request.pass_name:
        return removal_edit(server, document, dump, data.request)
    return await edit_of_fix(server, document, dump, data.request)


async def edit_of_fix(
    server: NirlsServer, document: Document, dump: PlacedDump, request: FixRequest
) -> types.WorkspaceEdit | None:
    """Compute the edit of a fix that is offered for a dump; None if there is none. Raises FixError.

    A whole pass runs on the first pipeline with the dump.
    """
    offers = _offers(server, document, dump, request)
    if request.scope == "pass":
        offers = offers[:1]
    return _workspace_edit(server, await server.fixer.fix(server.analyzers.of(document), offers))


def _fix_all_action(
    server: NirlsServer, document: Document, context: types.CodeActionContext
) -> Iterator[types.CodeAction]:
    """Offer all fixes: always if requested by name, as on save, else if any is known."""
    by_name = FIX_ALL in (context.only or ())
    findings = (one for pass_finding in document.pass_findings.values() for one in pass_finding)
    if not by_name and not any(finding.fixes for finding in findings):
        return
    on_save = context.trigger_kind is types.CodeActionTriggerKind.Automatic
    action = types.CodeAction("Apply all nirls fixes in this file", FIX_ALL)
    data = ApplyEveryFix(document.uri, on_save)
    if server.editor_settings(document).is_on(FIX_WHOLE_PIPELINE):
        others = _other_files(server, document)
        if others and SAVE_FILES in server.client.commands:
            action.title = FIX_LINKED_FILES
            action.command = types.Command("Save the changed files", SAVE_FILES, arguments=others)
            data = replace(data, whole_pipeline=True)
        elif others:
            server.say("nirls fixes only the saved file: this editor cannot save the files linked with it")
    action.data = plain_action(data)
    yield action


def _fix_pipeline_action(server: NirlsServer, document: Document) -> Iterator[types.CodeAction]:
    """Offer the fixes that change linked files, whatever the setting for the action on save is."""
    is_in_fix_all = server.editor_settings(document).is_on(FIX_WHOLE_PIPELINE)
    if is_in_fix_all or not _other_files(server, document) or not _fixes_in_pipelines(server, document):
        return
    data = ApplyEveryFix(document.uri, whole_pipeline=True)
    yield types.CodeAction(FIX_LINKED_FILES, FIX_PIPELINE, data=plain_action(data))


def _fixes_in_pipelines(server: NirlsServer, document: Document) -> int:
    """Return the number of findings with a fix in the linked dumps of a document and of its partners."""
    members = {
        (member.document.uri, member.dump.piece.slot): member
        for linked in server.linker.pipelines_of(document)
        for member in linked.members
    }
    return sum(
        any(fix.request.scope == "one" for fix in mark.fixes)
        for member in members.values()
        for mark in member.document.pass_findings.get(member.dump.piece.slot, ())
    )


def _other_files(server: NirlsServer, document: Document) -> list[str]:
    """Return the URIs of the documents that are linked with a document."""
    members = (member for linked in server.linker.pipelines_of(document) for member in linked.members)
    return sorted({member.document.uri for member in members if member.document is not document})


async def _fix_all(
    server: NirlsServer, document: Document, data: ApplyEveryFix
) -> types.WorkspaceEdit | None:
    """Compute the edit of all fixes for the current text, of the dumps that passes report on.

    On save a FixError becomes a message, because editors drop errors then. So does that nothing is left to
    apply of the fixes shown before the text was edited.
    """
    groups: list[Members] = [linked.members for linked in server.linker.pipelines_of(document)]
    linked_slots = {member.dump.piece.slot for members in groups for member in members}
    seconds = LONGEST_FIX_ON_SAVE if data.on_save else LONGEST_FIX_ALL
    try:
        analyzer = server.analyzers.of(document)
        analyzed = analyzer.analyzed_dumps(document)
        groups += [
            (LinkedDump(document, dump),)
            for dump in document.snapshot.dumps()
            if dump.number in analyzed and dump.piece.slot not in linked_slots
        ]
        is_outdated = any(_has_outdated_fixes(analyzer, document, members) for members in groups)
        placed = await server.fixer.fix_all(
            analyzer, document, groups, seconds, whole_pipeline=data.whole_pipeline
        )
    except FixError as error:
        if not data.on_save:
            raise
        server.say(f"nirls applied no fixes: {error}")
        return None
    if not placed and is_outdated and data.on_save:
        server.say("nirls applied no fixes: none holds for the present text")
    return _workspace_edit(server, placed) if placed else None


def _has_outdated_fixes(analyzer: Analyzer, document: Document, members: Members) -> bool:
    """Whether fixes are shown in linked dumps whose text has been edited since."""
    shown = (one for member in members for one in document.pass_findings.get(member.dump.piece.slot, ()))
    return any(one.fixes for one in shown) and not analyzer.has_findings(texts_of(members))


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
