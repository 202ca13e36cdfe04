"""Code actions: which are offered, and that making one keeps nobody waiting."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types
from pygls.exceptions import JsonRpcContentModified, JsonRpcException

from nirls.ir.finding import FixRequest
from nirls.server.engine.base.timing import OutOfTimeError, TimeLimit
from nirls.server.engine.checks.analyzer import Analyzer, DumpEdits, Texts
from nirls.server.engine.checks.fix_verdicts import FixVerdict
from nirls.server.engine.documents.positions import Position, Range
from nirls.server.engine.documents.text_document import Document, TextChange
from nirls.server.engine.settings.client_settings import ClientSettings, FolderSettings
from nirls.server.engine.worker.process import InlineWorker
from nirls.server.lsp.answers.action_data import ApplyEveryFix, ApplyFix, action_of, plain_action
from nirls.server.lsp.client import Client
from nirls.server.lsp.features import code_actions
from nirls.server.lsp.features.allow_actions import SAVE_FILES
from nirls.server.lsp.features.code_actions import FIX_ALL, FIX_LINKED_FILES, PREVIEW_PASS, _refactorings
from nirls.server.lsp.language_server import make_server
from nirls.server.lsp.nirls_server import NirlsServer

URI = "file:///log.nir"
PASS = "opt_varyings_dead_io"


@pytest.fixture
def server(data: Path) -> Iterator[NirlsServer]:
    """A server with a linked pair open, all passes run, whose client resolves edits."""
    stages = [(data / "pipelines" / f"tinted.{stage}.nir").read_text() for stage in ("vert", "frag")]
    server = make_server(new_worker=InlineWorker)
    server.client = Client(code_action_literals=True, resolves_edits=True, document_changes=True)
    document = server.documents.open(URI, "\n".join(stages), 1)
    (linked,) = server.linker.pipelines_of(document)
    server.analyzer.run_passes(linked.texts())
    for text in linked.texts():
        server.analyzer.run_passes((text,))
    server.analyzer.place_findings(document, [linked])
    yield server
    server.scheduler.stop()
    server.fixer.stop()


def document_of(server: NirlsServer) -> Document:
    document = server.document(URI)
    assert document is not None
    return document


async def answer(server: NirlsServer, method: str, params: object) -> Any:
    found = server.protocol.fm.features[method](params)
    return server.protocol.plain(await found if asyncio.iscoroutine(found) else found)


async def actions_at(
    server: NirlsServer, offset: int, only: list[types.CodeActionKind | str] | None = None
) -> list[dict[str, Any]]:
    position = document_of(server).snapshot.position(offset, server.client.encoding)
    place = types.Position(*position)
    params = types.CodeActionParams(
        types.TextDocumentIdentifier(URI), types.Range(place, place), types.CodeActionContext([], only)
    )
    found: list[dict[str, Any]] = await answer(server, types.TEXT_DOCUMENT_CODE_ACTION, params)
    return found


def place_of_finding(server: NirlsServer) -> int:
    """A byte offset in the vertex shader where the pass offers a fix that runs all of it."""
    document = document_of(server)
    dump = document.snapshot.dumps()[0]
    marks = document.pass_findings[dump.piece.slot]
    mark = next(
        m for m in marks if m.pass_name == PASS and any(fix.request.scope == "pass" for fix in m.fixes)
    )
    return dump.start + mark.place.start


def titles(actions: list[dict[str, Any]]) -> list[str]:
    return [action["title"] for action in actions]


async def resolved(server: NirlsServer, action: dict[str, Any]) -> dict[str, Any]:
    params = types.CodeAction(action["title"], kind=action["kind"], data=action["data"])
    found = await answer(server, types.CODE_ACTION_RESOLVE, params)
    return found if "edit" in found else {}


class SlowFix:
    """An analyzer whose fixes begin, and then wait to be let go."""

    def __init__(self, analyzer: Analyzer, monkeypatch: pytest.MonkeyPatch) -> None:
        self.begun, self.let_go = threading.Event(), threading.Event()
        self.limits: list[TimeLimit] = []
        real = analyzer.fix

        def slow(texts: Texts, request: FixRequest, limit: TimeLimit) -> list[DumpEdits]:
            self.limits.append(limit)
            self.begun.set()
            assert self.let_go.wait(20)
            return real(texts, request, limit)

        monkeypatch.setattr(analyzer, "fix", slow)

    async def has_begun(self) -> None:
        assert await asyncio.to_thread(self.begun.wait, 20)


def request_of(action: dict[str, Any]) -> FixRequest:
    data = action_of(action["data"])
    assert isinstance(data, ApplyFix)
    return data.request


async def first_fix(server: NirlsServer) -> dict[str, Any]:
    found = await actions_at(server, place_of_finding(server), [types.CodeActionKind.QuickFix])
    return next(action for action in found if request_of(action).pass_name == PASS)


async def test_a_hover_is_answered_while_a_fix_is_made(
    server: NirlsServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    slow = SlowFix(server.analyzer, monkeypatch)
    fix = asyncio.create_task(resolved(server, await first_fix(server)))
    await slow.has_begun()
    snapshot = document_of(server).snapshot
    place = snapshot.position(snapshot.text.index(b"ffma %11.x") + 6, server.client.encoding)
    hover = await answer(
        server,
        types.TEXT_DOCUMENT_HOVER,
        types.HoverParams(types.TextDocumentIdentifier(URI), types.Position(*place)),
    )
    assert hover is not None
    assert not fix.done()
    slow.let_go.set()
    assert (await fix)["edit"]["documentChanges"][0]["edits"]


async def test_a_fix_of_a_text_that_changed_is_no_edit(
    server: NirlsServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    slow = SlowFix(server.analyzer, monkeypatch)
    fix = asyncio.create_task(resolved(server, await first_fix(server)))
    await slow.has_begun()
    document = document_of(server)
    place = document.snapshot.position(document.snapshot.text.index(b"ffma %11.x"), server.client.encoding)
    document.change([TextChange(Range(place, place), " ")], 2, server.client.encoding)
    slow.let_go.set()
    with pytest.raises(JsonRpcContentModified, match=URI):
        await fix


async def test_a_change_while_the_passes_are_imported_makes_the_answer_void(server: NirlsServer) -> None:
    actions = asyncio.create_task(actions_at(server, place_of_finding(server)))
    await asyncio.sleep(0)
    document_of(server).change([TextChange(None, "")], 2, server.client.encoding)
    with pytest.raises(JsonRpcContentModified, match=URI):
        await actions


async def test_a_fix_follows_its_dump_when_the_text_above_changes(
    server: NirlsServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = (await resolved(server, await first_fix(server)))["edit"]["documentChanges"][0]
    server.analyzer.fix_verdicts.clear()
    slow = SlowFix(server.analyzer, monkeypatch)
    fix = asyncio.create_task(resolved(server, await first_fix(server)))
    await slow.has_begun()
    top = Position(0, 0)
    document_of(server).change([TextChange(Range(top, top), "a log line\n")], 2, server.client.encoding)
    slow.let_go.set()
    after = (await fix)["edit"]["documentChanges"][0]
    assert (before["textDocument"]["version"], after["textDocument"]["version"]) == (1, 2)
    lines = [[edit["range"]["start"]["line"] for edit in change["edits"]] for change in (before, after)]
    assert lines[1] == [line + 1 for line in lines[0]]


async def test_a_fix_that_takes_too_long_is_given_up(
    server: NirlsServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    slow = SlowFix(server.analyzer, monkeypatch)
    server.fixer.longest_fix = server.fixer.grace = 0.2
    action = await first_fix(server)
    with pytest.raises(JsonRpcException, match=r"0\.2 s"):
        await resolved(server, action)
    # The next one does not wait for the thread of the first.
    monkeypatch.undo()
    server.fixer.longest_fix = 60
    assert not slow.let_go.is_set()
    assert (await resolved(server, action))["edit"]
    slow.let_go.set()


async def test_a_cancelled_request_ends_its_work(
    server: NirlsServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    slow = SlowFix(server.analyzer, monkeypatch)
    fix = asyncio.create_task(resolved(server, await first_fix(server)))
    await slow.has_begun()
    fix.cancel()
    with pytest.raises(asyncio.CancelledError):
        await fix
    with pytest.raises(OutOfTimeError):
        slow.limits[0].check()
    slow.let_go.set()


async def test_clients_that_do_not_resolve_get_the_edits_at_once(server: NirlsServer) -> None:
    server.client = Client(code_action_literals=True, document_changes=True)
    found = await actions_at(server, place_of_finding(server), [types.CodeActionKind.QuickFix])
    assert found
    assert all(action["edit"]["documentChanges"] for action in found)


async def test_passes_are_offered_where_they_have_something_to_do(server: NirlsServer) -> None:
    offset = document_of(server).snapshot.text.index(b"load_const")
    offered = titles(await actions_at(server, offset, [types.CodeActionKind.Refactor]))
    assert f"Run {PASS} on pipeline dumps 1-2" in offered
    document = document_of(server)
    (linked,) = server.linker.pipelines_of(document)
    fixable = {mark.pass_name for marks in document.pass_findings.values() for mark in marks if mark.fixes}
    assert {title.split()[1] for title in offered} <= fixable
    # Nothing is known of what the passes could do: nothing is offered.
    server.analyzer.use_settings(replace(server.analyzer.settings, options={PASS: {}}))
    document.pass_findings.clear()
    assert titles(await actions_at(server, offset, [types.CodeActionKind.Refactor])) == []
    assert linked.members


async def test_the_menu_has_no_twins_wherever_the_cursor_is_on_the_line(server: NirlsServer) -> None:
    server.client = replace(server.client, commands=frozenset({PREVIEW_PASS}))
    snapshot = document_of(server).snapshot
    place = place_of_finding(server)
    start = snapshot.text.rindex(b"\n", 0, place) + 1
    end = snapshot.text.index(b"\n", place)
    menus = [await actions_at(server, offset) for offset in (start, place, end)]
    offered = titles(menus[0])
    assert [titles(menu) for menu in menus] == [offered] * 3
    assert len(set(offered)) == len(offered)
    assert menus[0][0]["isPreferred"]
    assert sum(bool(action.get("isPreferred")) for action in menus[0]) == 1
    assert offered[0] == "Remove the stores of VAR1.xy"
    assert [title for title in offered if title.startswith("Run ")][:1] == [
        "Run opt_varyings on the pipeline"
    ]
    assert not any("opt_varyings_dead_io" in title for title in offered if title.startswith("Run "))
    assert sum(title.startswith("Preview ") for title in offered) == 1


def test_a_pass_that_a_fix_runs_on_the_pipeline_is_no_refactoring(server: NirlsServer) -> None:
    document = document_of(server)
    dump = document.snapshot.dumps()[0]
    for offered, times in ((set(), 1), ({PASS}, 0), ({"opt_varyings"}, 0)):
        found = list(_refactorings(server, document, dump, offered))
        assert sum(f"Run {PASS} on" in action.title for action in found) == times


def text_after(server: NirlsServer, edit: dict[str, Any]) -> str:
    """The text of the document after a workspace edit."""
    document = document_of(server)
    changes = [
        TextChange(Range(Position(**one["range"]["start"]), Position(**one["range"]["end"])), one["newText"])
        for change in edit["documentChanges"]
        for one in change["edits"]
    ]
    changes.sort(key=lambda change: change.range.start if change.range else Position(0, 0), reverse=True)
    document.change(changes, document.snapshot.version + 1, server.client.encoding)
    return document.snapshot.text.decode()


async def chosen(server: NirlsServer, title: str) -> dict[str, Any]:
    offered = await actions_at(server, place_of_finding(server), [types.CodeActionKind.QuickFix])
    return (await resolved(server, next(one for one in offered if one["title"] == title)))["edit"]


def place_again(server: NirlsServer) -> list[str]:
    """The codes shown in the first dump after another check."""
    document = document_of(server)
    pipelines = server.linker.pipelines_of(document)
    for texts in {
        *(one.texts() for one in pipelines),
        *((dump.piece.text,) for dump in document.snapshot.dumps()),
    }:
        server.analyzer.run_passes(texts)
    for dump in document.snapshot.dumps():
        server.analyzer.check_text(document.state(dump.piece))
    server.analyzer.place_findings(document, pipelines)
    return [one.code for one in document.shown(document.snapshot.dump(0).piece)]


@pytest.mark.parametrize(
    ("title", "comment"),
    [
        ("Ignore dead-output here", "    // nirls: allow dead-output\n"),
        ("Ignore dead-output in this file", "// nirls: allow-file dead-output\n"),
    ],
)
async def test_a_finding_is_ignored_by_a_comment_which_is_removed_when_it_covers_nothing(
    server: NirlsServer, title: str, comment: str
) -> None:
    before = document_of(server).snapshot.text.decode()
    shown = place_again(server).count("dead-output")
    assert shown == 1
    text = text_after(server, await chosen(server, title))
    assert comment in text
    assert text.replace(comment.lstrip(), "", 1).split() == before.split()
    assert place_again(server).count("dead-output") == (0 if "file" in comment else shown - 1)
    assert "unused-allowance" not in place_again(server)
    # There is no finding `packing`: a comment that allows it covers nothing.
    document = document_of(server)
    other = comment.replace("dead-output", "packing")
    document.change([TextChange(None, text.replace(comment, other))], 9, server.client.encoding)
    assert "unused-allowance" in place_again(server)
    dump = document.snapshot.dump(0)
    (unused,) = [one for one in document.shown(dump.piece) if one.code == "unused-allowance"]
    (action,) = [
        one
        for one in await actions_at(server, unused.place.start + dump.start, [types.CodeActionKind.QuickFix])
        if one["title"] == "Remove this allowance"
    ]
    assert other.strip() not in text_after(server, (await resolved(server, action))["edit"])


@pytest.mark.parametrize("is_whole", [False, True])
async def test_fix_all_holds_for_the_new_text_and_stays_in_the_file(
    data: Path, tmp_path: Path, is_whole: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(code_actions, "LONGEST_FIX_ON_SAVE", 60.0)  # a loaded machine
    server = make_server(new_worker=InlineWorker)
    server.client = Client(
        code_action_literals=True,
        resolves_edits=True,
        document_changes=True,
        commands=frozenset({SAVE_FILES}),
    )
    section = {"fixAll": {"wholePipeline": is_whole}}
    server.analyzers.use_settings(FolderSettings(ClientSettings.of(section)))
    uris = []
    for stage in ("vert", "frag"):
        text = (data / "pipelines" / f"tinted.{stage}.nir").read_text()
        path = tmp_path / f"tinted.{stage}.nir"
        path.write_text(text)
        uris.append(path.as_uri())
        server.documents.open(path.as_uri(), text, 1)
    # No pass has run on these texts: nothing is known of them.
    start = {"line": 0, "character": 0}
    context = {"diagnostics": [], "only": [FIX_ALL], "triggerKind": 2}
    params = {"textDocument": {"uri": uris[0]}, "range": {"start": start, "end": start}, "context": context}
    asked = server.protocol.structured(params, types.CodeActionParams)
    (action,) = await answer(server, types.TEXT_DOCUMENT_CODE_ACTION, asked)
    edit = (await resolved(server, action))["edit"]
    touched = {change["textDocument"]["uri"] for change in edit["documentChanges"]}
    assert touched == set(uris if is_whole else uris[:1])
    assert ("command" in action) is is_whole
    if is_whole:
        assert action["command"]["arguments"] == [uris[1]]
    server.scheduler.stop()
    server.fixer.stop()


async def test_fix_all_that_can_do_nothing_says_so(
    server: NirlsServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    said: list[str] = []
    monkeypatch.setattr(server, "window_show_message", lambda params: said.append(params.message))

    def changed(*_: object) -> list[DumpEdits]:
        raise OutOfTimeError

    monkeypatch.setattr(server.analyzer, "fix_all", changed)
    action = {"title": "", "kind": FIX_ALL, "data": plain_action(ApplyEveryFix(URI, on_save=True))}
    assert await resolved(server, action) == {}
    assert said == ["nirls applied no fixes: fixing everything takes longer than 10 s and was given up"]


@pytest.mark.parametrize(
    ("only", "by_itself", "is_offered"),
    [
        (None, False, True),
        (["source"], False, True),
        (["source.fixAll"], False, True),
        (["source.fixAll.nirls"], False, True),
        (["source.fixAll.nirls"], True, True),
        (["quickfix"], False, False),
        (["source.fixAllOf"], False, False),
        # On saving, for the sake of some linter.
        (["source.fixAll"], True, False),
        (None, True, False),
    ],
)
async def test_who_may_have_everything_fixed(
    server: NirlsServer, only: list[str] | None, by_itself: bool, is_offered: bool
) -> None:
    kinds = types.CodeActionTriggerKind
    trigger = kinds.Automatic if by_itself else kinds.Invoked
    start = {"line": 0, "character": 0}
    context = {"diagnostics": [], "only": only, "triggerKind": trigger.value}
    params = {"textDocument": {"uri": URI}, "range": {"start": start, "end": start}, "context": context}
    asked = server.protocol.structured(params, types.CodeActionParams)
    found = await answer(server, types.TEXT_DOCUMENT_CODE_ACTION, asked)
    assert any(action["kind"] == FIX_ALL for action in found) is is_offered


@pytest.fixture
def messages(server: NirlsServer, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The messages shown to the user."""
    shown: list[str] = []
    server.fixer.longest_fix = 120.0  # a loaded machine is no reason for a message
    monkeypatch.setattr(server, "window_show_message", lambda params: shown.append(params.message))
    return shown


async def test_user_is_told_that_a_fix_became_impossible(server: NirlsServer, messages: list[str]) -> None:
    fix = await first_fix(server)
    document = document_of(server)
    document.change([TextChange(None, "no dump any more\n")], 2, server.client.encoding)
    assert await resolved(server, fix) == {}
    assert messages == [f"{fix['title']}: not done, because the dump is not there any more"]


async def test_fix_without_an_edit_is_told_and_not_offered_again(
    server: NirlsServer, messages: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    fix = await first_fix(server)
    monkeypatch.setattr(type(server.analyzer), "_allowed", lambda *_: [])
    assert await resolved(server, fix) == {}
    assert messages == [f"{fix['title']}: not done, because the pass no longer finds this place in the text"]
    found = await actions_at(server, place_of_finding(server), [types.CodeActionKind.QuickFix])
    assert fix["data"] not in [action["data"] for action in found]


async def test_a_fix_that_an_error_of_the_partner_prevents_is_told(
    server: NirlsServer, messages: list[str]
) -> None:
    fix = await first_fix(server)
    document = document_of(server)
    text = document.snapshot.text
    place = text.rindex(b" = fmul ")
    start, end = (document.snapshot.position(at, server.client.encoding) for at in (place, place + 8))
    document.change([TextChange(Range(start, end), " = fmul %7777, ")], 2, server.client.encoding)
    assert await resolved(server, fix) == {}
    (message,) = messages
    assert "no pass runs on a dump with an error, or on its pipeline: " in message


async def test_refused_fix_is_told(server: NirlsServer, messages: list[str]) -> None:
    fix = await first_fix(server)
    document = document_of(server)
    texts = [linked.texts() for linked in server.linker.pipelines_of(document)]
    request = replace(request_of(fix), dump=0)
    for linked in texts:
        server.analyzer.fix_verdicts._known.put(
            (linked, request), FixVerdict("different", "another value"), 1
        )
    assert await resolved(server, fix) == {}
    assert messages == [f"{fix['title']}: not done, because the result does not compute the same"]


async def test_text_that_changes_meanwhile_is_told(
    server: NirlsServer, messages: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    slow = SlowFix(server.analyzer, monkeypatch)
    action = await first_fix(server)
    fix = asyncio.create_task(resolved(server, action))
    await slow.has_begun()
    document = document_of(server)
    place = document.snapshot.position(document.snapshot.text.index(b"ffma %11.x"), server.client.encoding)
    document.change([TextChange(Range(place, place), " ")], 2, server.client.encoding)
    slow.let_go.set()
    with pytest.raises(JsonRpcContentModified):
        await fix
    assert messages == [
        f"{action['title']}: not done, because the text changed while its edits were computed"
    ]


async def test_fix_all_leaves_snapshots_alone_on_which_no_pass_reports(data: Path) -> None:
    shader = (data / "ubo_array.frag.nir").read_text()
    server = make_server(new_worker=InlineWorker)
    server.client = Client(code_action_literals=True, resolves_edits=True, document_changes=True)
    server.analyzers.use_settings(FolderSettings(ClientSettings.of({"everySnapshot": False})))
    document = server.documents.open(URI, f"{shader}\nnir_opt_dce\n{shader.replace('%', ' %', 1)}", 1)
    _, last = document.snapshot.dumps()
    action = {"title": "", "kind": FIX_ALL, "data": plain_action(ApplyEveryFix(URI))}
    (changed,) = (await resolved(server, action))["edit"]["documentChanges"]
    lines = {edit["range"]["start"]["line"] for edit in changed["edits"]}
    assert lines
    assert min(lines) >= document.snapshot.position(last.start, server.client.encoding)[0]
    server.scheduler.stop()
    server.fixer.stop()


async def test_fix_all_names_the_linked_files_that_other_fixes_change(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(code_actions, "LONGEST_FIX_ALL", 60.0)  # a loaded machine
    server = make_server(new_worker=InlineWorker)
    said: list[str] = []
    monkeypatch.setattr(server, "window_show_message", lambda params: said.append(params.message))
    server.client = Client(code_action_literals=True, resolves_edits=True, document_changes=True)
    uris = []
    for stage in ("frag", "vert"):
        path = tmp_path / f"tinted.{stage}.nir"
        path.write_text((data / "pipelines" / path.name).read_text())
        uris.append(path.as_uri())
        server.documents.open(path.as_uri(), path.read_text(), 1)
    document = server.document(uris[0])
    assert document is not None
    (linked,) = server.linker.pipelines_of(document)
    server.analyzer.run_passes(linked.texts())
    for text in linked.texts():
        server.analyzer.run_passes((text,))
    for member in linked.members:
        server.analyzer.place_findings(member.document, [linked])
    action = {"title": "Fix", "kind": FIX_ALL, "data": plain_action(ApplyEveryFix(uris[0]))}
    assert await resolved(server, action) == {}
    (message,) = said
    changes = f'3 fixes would change tinted.vert.nir: use "{FIX_LINKED_FILES}"'
    assert message == f"nothing to fix within this file; {changes}"
    start = types.Position(0, 0)
    place = types.Range(start, start)
    context = types.CodeActionContext([], ["source"])
    params = types.CodeActionParams(types.TextDocumentIdentifier(uris[0]), place, context)
    assert FIX_LINKED_FILES in titles(await answer(server, types.TEXT_DOCUMENT_CODE_ACTION, params))
    whole = plain_action(ApplyEveryFix(uris[0], whole_pipeline=True))
    edit = (await resolved(server, {**action, "data": whole}))["edit"]
    assert {change["textDocument"]["uri"] for change in edit["documentChanges"]} == set(uris)
    server.scheduler.stop()
    server.fixer.stop()
