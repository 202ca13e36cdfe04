"""Code actions: quick fixes of findings, `source.fixAll.nirls`, and every pass as a refactoring.

Edits are made when an action is resolved. An action says by slot, pass and key what it means, so it still
finds its place after edits elsewhere, and makes no edit if there is nothing to fix any more.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from lsprotocol import types

from nirls.passes import registry
from nirls.passes.registry import Pass
from nirls.server.document import PlacedDump
from nirls.server.engine import DumpEdits, Texts
from nirls.server.features.diagnostics import diagnostic_of
from nirls.server.linking import LinkedPipeline
from nirls.server.marks import FixOffer, Mark
from nirls.server.nirls_server import NirlsServer, guarded, plain_range
from nirls.server.workspace import Document

FIX_ALL = "source.fixAll.nirls"
REFACTOR = "refactor.rewrite.nirls"
UNCHECKED = " (unchecked)"
"""Behind the title of a fix of which validation could not say whether it keeps the program."""

Action = dict[str, Any]


def register(server: NirlsServer) -> None:
    """Declare the handlers."""
    kinds = [types.CodeActionKind.QuickFix, FIX_ALL, REFACTOR]
    options = types.CodeActionOptions(code_action_kinds=kinds, resolve_provider=True)

    @server.handler(types.TEXT_DOCUMENT_CODE_ACTION, options, otherwise=[])
    def actions(params: types.CodeActionParams) -> list[Action]:
        document = server.document(params.text_document.uri)
        if document is None or not server.client.code_action_literals:
            return []
        found = list(_actions(server, document, params))
        if not server.client.resolves_edits:
            for action in found:
                _resolve(server, action)
            found = [action for action in found if "edit" in action]
        return found

    @server.handler(types.CODE_ACTION_RESOLVE)
    def resolve(params: types.CodeAction) -> Action | types.CodeAction:
        edit = guarded(_edit_of)(server, params.data)
        if edit is None:
            return params
        action = server.protocol.plain(params)
        action["edit"] = edit
        _say_if_unchecked(server, action)
        return action


def _actions(server: NirlsServer, document: Document, params: types.CodeActionParams) -> Iterator[Action]:
    snapshot, encoding = document.snapshot, server.client.encoding
    start = snapshot.offset(params.range.start.line, params.range.start.character, encoding)
    end = snapshot.offset(params.range.end.line, params.range.end.character, encoding)
    only = params.context.only
    dumps = snapshot.dumps_in_lines(params.range.start.line, params.range.end.line)
    if _is_wanted(types.CodeActionKind.QuickFix, only):
        for dump in dumps:
            yield from _quick_fixes(server, document, dump, start - dump.start, end - dump.start)
    if _is_wanted(FIX_ALL, only) and any(
        mark.fixes for marks in document.pass_marks.values() for mark in marks
    ):
        data = {"do": "fixAll", "uri": document.uri}
        yield {"title": "Fix everything that passes found here", "kind": FIX_ALL, "data": data}
    if _is_wanted(REFACTOR, only) and dumps:
        yield from _refactorings(server, document, dumps[0])


def _is_wanted(kind: str, only: Sequence[str] | None) -> bool:
    return only is None or any(kind == wanted or kind.startswith(f"{wanted}.") for wanted in only)


def _quick_fixes(
    server: NirlsServer, document: Document, dump: PlacedDump, start: int, end: int
) -> Iterator[Action]:
    seen: set[tuple[str, str]] = set()
    for mark in document.pass_marks.get(dump.piece.slot, ()):
        if mark.end < start or mark.start > end:
            continue
        for fix in mark.fixes:
            # Fixes of all findings of a kind are offered by each of them, under one key.
            if (mark.pass_name, fix.key) in seen:
                continue
            seen.add((mark.pass_name, fix.key))
            places = _places_of_fix(server, document, dump)
            verdicts = server.engine.fix_verdicts
            if not any(verdicts.is_refused(texts, mark.pass_name, fix.key) for texts in places):
                unchecked = any(verdicts.is_unchecked(texts, mark.pass_name, fix.key) for texts in places)
                yield _quick_fix(server, document, dump, mark, fix, unchecked)


def _places_of_fix(server: NirlsServer, document: Document, dump: PlacedDump) -> list[Texts]:
    """What a fix of a dump may be a fix of: the pipelines that it is in, and the dump alone."""
    linked = pipelines_with(server, document, dump)
    return [*(one.texts() for one in linked), (dump.piece.text,)]


def _quick_fix(
    server: NirlsServer, document: Document, dump: PlacedDump, mark: Mark, fix: FixOffer, unchecked: bool
) -> Action:
    data = {"do": "fix", "uri": document.uri, "slot": dump.piece.slot, "pass": mark.pass_name, "key": fix.key}
    action: Action = {
        "title": f"{fix.title}{UNCHECKED}" if unchecked else fix.title,
        "kind": types.CodeActionKind.QuickFix,
        "diagnostics": [diagnostic_of(server, document, dump, mark)],
        "data": data,
    }
    if fix.preferred:
        action["isPreferred"] = True
    return action


def _refactorings(server: NirlsServer, document: Document, dump: PlacedDump) -> Iterator[Action]:
    stage = document.state(dump.piece).facts.stage
    linked = pipelines_with(server, document, dump)
    for declared in registry.all_passes():
        if declared.scope == "pipeline":
            if not linked:
                continue
            title = f"Run {declared.name} on pipeline {linked[0].pipeline.name}"
        elif declared.applies_to(stage):
            title = f"Run {declared.name} on this shader"
        else:
            continue
        data = {"do": "pass", "uri": document.uri, "slot": dump.piece.slot, "pass": declared.name}
        yield {"title": title, "kind": REFACTOR, "data": data}


def _resolve(server: NirlsServer, action: Action) -> None:
    edit = _edit_of(server, action["data"])
    if edit is not None:
        action["edit"] = edit
        _say_if_unchecked(server, action)


def _say_if_unchecked(server: NirlsServer, action: Action) -> None:
    """Mark a quick fix that has just been made, and could not be checked."""
    data = action["data"]
    document = server.document(data["uri"]) if data.get("do") == "fix" else None
    dump = None if document is None else document.place_of_slot(int(data["slot"]))
    if document is None or dump is None or action["title"].endswith(UNCHECKED):
        return
    places = _places_of_fix(server, document, dump)
    verdicts = server.engine.fix_verdicts
    if any(verdicts.is_unchecked(texts, data["pass"], data["key"]) for texts in places):
        action["title"] += UNCHECKED


def _edit_of(server: NirlsServer, data: object) -> dict[str, Any] | None:
    """The workspace edit that an action's data asks for, None if there is nothing (any more) to do."""
    if not isinstance(data, dict):
        return None
    document = server.document(str(data.get("uri")))
    if document is None:
        return None
    if data.get("do") == "fixAll":
        return fix_all(server, document)
    dump = document.place_of_slot(int(data.get("slot", 0)))
    if dump is None:
        return None
    pass_name = str(data.get("pass"))
    if data.get("do") == "fix":
        return _fix(server, document, dump, pass_name, str(data.get("key")))
    declared = registry.find(pass_name)
    return None if declared is None else apply_pass(server, document, dump, declared)


def _fix(
    server: NirlsServer, document: Document, dump: PlacedDump, pass_name: str, key: str
) -> dict[str, Any] | None:
    linked = pipelines_with(server, document, dump)
    for members in (*(_members_of(one) for one in linked), [(document, dump)]):
        edits = server.engine.fix(_texts(members), pass_name, key)
        if edits:
            return _workspace_edit(server, members, edits)
    return None


def apply_pass(
    server: NirlsServer, document: Document, dump: PlacedDump, declared: Pass
) -> dict[str, Any] | None:
    """The edit that runs a pass on a dump, or on the pipeline it is in."""
    linked = pipelines_with(server, document, dump) if declared.scope == "pipeline" else []
    if declared.scope == "pipeline" and not linked:
        return None
    members = _members_of(linked[0]) if linked else [(document, dump)]
    return _workspace_edit(server, members, server.engine.apply_passes(_texts(members), [declared]))


def fix_all(server: NirlsServer, document: Document) -> dict[str, Any] | None:
    """The edit that runs every pass that offers a fix, on all pipelines and dumps of a document."""
    groups = [_members_of(linked) for linked in server.linker.pipelines_of(document)]
    linked_slots = {dump.piece.slot for members in groups for _, dump in members}
    groups += [
        [(document, dump)] for dump in document.snapshot.dumps() if dump.piece.slot not in linked_slots
    ]
    changes: list[dict[str, Any]] = []
    edited: set[int] = set()
    for members in groups:
        slots = {dump.piece.slot for _, dump in members}
        passes = server.engine.passes_with_fixes(_texts(members))
        for texts in ((dump.piece.text,) for _, dump in members if len(members) > 1):
            passes += [one for one in server.engine.passes_with_fixes(texts) if one not in passes]
        # A dump of two pipelines is changed once; saving shows what is left for the other.
        if passes and not slots & edited:
            edits = server.engine.apply_passes(_texts(members), passes)
            changes += _document_edits(server, members, edits)
            edited |= slots
    return _as_workspace_edit(server, changes)


Members = list[tuple[Document, PlacedDump]]


def pipelines_with(server: NirlsServer, document: Document, dump: PlacedDump) -> list[LinkedPipeline]:
    """The pipelines that a dump is in."""
    pipelines = server.linker.pipelines_of(document)
    return [linked for linked in pipelines if linked.position_of(dump.piece.slot) is not None]


def _members_of(linked: LinkedPipeline) -> Members:
    return [(member.document, member.dump) for member in linked.members]


def _texts(members: Members) -> Texts:
    return tuple(dump.piece.text for _, dump in members)


def _workspace_edit(
    server: NirlsServer, members: Members, edits: Iterable[DumpEdits]
) -> dict[str, Any] | None:
    return _as_workspace_edit(server, _document_edits(server, members, edits))


def _document_edits(
    server: NirlsServer, members: Members, edits: Iterable[DumpEdits]
) -> list[dict[str, Any]]:
    """A text document edit for each dump that changes."""
    found = []
    for dump_edits in edits:
        document, dump = next(entry for entry in members if entry[1].piece.text == dump_edits.text)
        found.append(
            {
                "textDocument": {
                    "uri": document.uri,
                    "version": document.snapshot.version if document.is_open else None,
                },
                "edits": [
                    {
                        "range": plain_range(dump.range(edit.start, edit.end, server.client.encoding)),
                        "newText": edit.new_text,
                    }
                    for edit in dump_edits.edits
                ],
            }
        )
    return found


def _as_workspace_edit(server: NirlsServer, changes: list[dict[str, Any]]) -> dict[str, Any] | None:
    if not changes:
        return None
    by_uri: dict[str, dict[str, Any]] = {}
    for change in changes:
        known = by_uri.setdefault(change["textDocument"]["uri"], {**change, "edits": []})
        known["edits"] += change["edits"]
    if server.client.document_changes:
        return {"documentChanges": list(by_uri.values())}
    return {"changes": {uri: change["edits"] for uri, change in by_uri.items()}}
