"""Workspace folders that come and go, and settings, of which each folder has its own."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from lsprotocol import types

from nirls.server.lsp.features import configuration
from nirls.server.lsp.features.configuration import use_first_folders
from tests.server.lsp.features.dumps import FRAGMENT, LOADING, STORING
from tests.server.lsp.features.session import URI, FailedRequestError

if TYPE_CHECKING:
    from tests.server.lsp.features.session import Json, Session

BROKEN = FRAGMENT.replace("fmul %1", "fmul %77")
HINT = {"severity": {"undefined-value": "hint"}}
ERROR, HINTED = 1, 4


def can(session: Session, **abilities: bool) -> None:
    session.server.client = replace(session.server.client, **abilities)


async def settle() -> None:
    for _ in range(20):
        await asyncio.sleep(0)


def severities(session: Session, uri: str = URI, code: str = "undefined-value") -> list[int]:
    """Those of the findings that were pushed last."""
    pushed = [
        one["params"]["diagnostics"]
        for one in session.told
        if one["method"] == "textDocument/publishDiagnostics" and one["params"]["uri"] == uri
    ]
    return [one["severity"] for one in pushed[-1] if one["code"] == code]


def asked(session: Session) -> list[list[Json]]:
    """The items of each question for settings."""
    return [one["params"]["items"] for one in session.told if one["method"] == "workspace/configuration"]


def change_folders(session: Session, added: list[str], removed: list[str]) -> None:
    folders = {
        name: [{"uri": uri, "name": "x"} for uri in uris]
        for name, uris in (("added", added), ("removed", removed))
    }
    session.notify("workspace/didChangeWorkspaceFolders", {"event": folders})


async def add_folders(session: Session, *folders: Path) -> None:
    change_folders(session, [folder.as_uri() for folder in folders], [])
    await settle()


@pytest.fixture(autouse=True)
async def started(session: Session) -> None:
    await session.start()


@pytest.fixture
def roots(tmp_path: Path) -> tuple[Path, Path]:
    roots = (tmp_path / "one", tmp_path / "other")
    for root in roots:
        root.mkdir()
    return roots


async def test_each_folder_is_asked_about(session: Session, roots: tuple[Path, Path]) -> None:
    can(session, configuration=True)
    uris = [(root / "x.nir").as_uri() for root in roots]
    for uri in uris:
        session.open(BROKEN, uri)
        assert severities(session, uri) == [ERROR]
    session.replies["workspace/configuration"] = [{}, {}, HINT]
    await add_folders(session, *roots)
    assert asked(session) == [
        [
            {"section": "nirls"},
            *({"section": "nirls", "scopeUri": root.as_uri()} for root in roots),
        ]
    ]
    assert severities(session, uris[0]) == [ERROR]
    assert severities(session, uris[1]) == [HINTED]
    # What is opened later has the settings of its folder from the start.
    late = (roots[1] / "late.nir").as_uri()
    session.open(BROKEN, late)
    assert severities(session, late) == [HINTED]
    session.replies["workspace/configuration"] = [{}, {}, {}]
    session.notify("workspace/didChangeConfiguration", {"settings": None})
    await settle()
    assert severities(session, uris[1]) == severities(session, late) == [ERROR]


async def test_a_pipeline_across_two_folders(session: Session, roots: tuple[Path, Path]) -> None:
    """Each stage is told of as its own folder says, whichever document was looked at last."""
    can(session, configuration=True)
    in_one, in_other = ({"severity": {code: "information"}} for code in ("undefined-input", "dead-output"))
    session.replies["workspace/configuration"] = [{}, in_one, in_other]
    await add_folders(session, *roots)
    uris = [(root / "x.log").as_uri() for root in roots]
    reading = LOADING.replace("VARYING_SLOT_VAR0", "VARYING_SLOT_VAR3")
    for uri, text in zip(uris, (STORING, reading), strict=True):
        session.open(f"// nirls: pipeline p\n{text}", uri)
    await session.passes_have_run(uris[0])
    await session.passes_have_run(uris[1])
    found = [
        {
            mark.code: mark.severity.value
            for marks in session.document(uri).pass_findings.values()
            for mark in marks
        }
        for uri in uris
    ]
    assert found == [{"dead-output": "information"}, {"undefined-input": "warning"}]
    session.replies["workspace/configuration"] = [{}, in_other, in_one]
    session.notify("workspace/didChangeConfiguration", {"settings": None})
    await settle()
    await session.passes_have_run(uris[0])
    await session.passes_have_run(uris[1])
    found = [
        {
            mark.code: mark.severity.value
            for marks in session.document(uri).pass_findings.values()
            for mark in marks
        }
        for uri in uris
    ]
    assert found == [{"dead-output": "information"}, {"undefined-input": "information"}]


async def test_a_folder_that_is_closed(session: Session, roots: tuple[Path, Path]) -> None:
    can(session, configuration=True)
    session.replies["workspace/configuration"] = [{}, HINT]
    uri = (roots[0] / "x.nir").as_uri()
    session.open(BROKEN, uri)
    await add_folders(session, roots[0])
    assert severities(session, uri) == [HINTED]
    session.replies["workspace/configuration"] = [{}]
    removed = {"added": [], "removed": [{"uri": roots[0].as_uri(), "name": "x"}]}
    session.notify("workspace/didChangeWorkspaceFolders", {"event": removed})
    await settle()
    assert severities(session, uri) == [ERROR]


@pytest.mark.parametrize("answer", [None, [], [None], [None, None, None], [3, "x", []], [HINT]])
async def test_answers_of_odd_clients(session: Session, roots: tuple[Path, Path], answer: Any) -> None:
    can(session, configuration=True)
    session.replies["workspace/configuration"] = answer
    uri = (roots[0] / "x.nir").as_uri()
    session.open(BROKEN, uri)
    await add_folders(session, *roots)
    assert severities(session, uri) == [HINTED if answer == [HINT] else ERROR]


@pytest.mark.parametrize(
    ("settings", "severity"),
    [
        ({"nirls": HINT}, HINTED),
        (HINT, HINTED),
        ({"nirls": {}}, ERROR),
        (None, ERROR),
        (3, ERROR),
        ([HINT], ERROR),
        ({"nirls": {"severity": {"undefined-value": "loud"}}}, ERROR),
        ({"nirls": {"severity": {"undefined-value": "off"}}}, None),
        ({"nirls": {"validation": {"enable": False}}}, None),
    ],
)
async def test_settings_that_are_told(session: Session, settings: object, severity: int | None) -> None:
    """By clients that cannot be asked."""
    session.open(BROKEN)
    session.notify("workspace/didChangeConfiguration", {"settings": settings})
    await settle()
    assert severities(session) == ([] if severity is None else [severity])


async def test_hints_are_asked_for_again_where_settings_change(session: Session) -> None:
    can(session, refreshes_hints=True)
    section = {"nirls": {"inlayHints": {"convergence": True}}}
    for _ in range(2):
        session.notify("workspace/didChangeConfiguration", {"settings": section})
        await settle()
    assert session.methods_told().count("workspace/inlayHint/refresh") == 1


async def test_hints_of_a_folder(session: Session, roots: tuple[Path, Path]) -> None:
    can(session, configuration=True)
    session.replies["workspace/configuration"] = [{}, {"inlayHints": {"convergence": True}}, {}]
    await add_folders(session, *roots)
    counts = []
    for root in roots:
        uri = (root / "x.nir").as_uri()
        session.place(FRAGMENT, uri)
        whole = {"start": {"line": 0, "character": 0}, "end": {"line": 99, "character": 0}}
        counts.append(len(await session.ask_about("inlayHint", uri, range=whole)))
    assert counts == [3, 0]


async def test_a_project_file_that_is_written_and_removed(session: Session, tmp_path: Path) -> None:
    project, uri = tmp_path / "nirls.toml", (tmp_path / "x.nir").as_uri()
    session.open(BROKEN, uri)
    project.write_text('[severity]\nundefined-value = "hint"\n')
    session.notify("workspace/didChangeWatchedFiles", {"changes": [{"uri": project.as_uri(), "type": 1}]})
    assert severities(session, uri) == [HINTED]
    project.unlink()
    session.notify("workspace/didChangeWatchedFiles", {"changes": [{"uri": project.as_uri(), "type": 3}]})
    assert severities(session, uri) == [ERROR]


async def test_snapshots_of_a_log(session: Session) -> None:
    """With the setting, passes check the last snapshot of a shader only; the texts of all are checked.

    A problem of several snapshots is shown on the newest one that has it.

    The last dump has the stage and name of the first four, so that it is a snapshot of the same shader.
    """
    pair = STORING + LOADING.replace("VARYING_SLOT_VAR0", "VARYING_SLOT_VAR3")
    unknown = FRAGMENT.replace("fmul", "unheard_of")
    session.open("nir_opt_dce\n".join([unknown] * 4) + pair)
    clean_up = {"passes": {"clean_up": True}}
    marked = []
    for section in (clean_up, {**clean_up, "everySnapshot": False}):
        session.notify("workspace/didChangeConfiguration", {"settings": {"nirls": section}})
        await settle()
        await session.passes_have_run()
        document = session.document()
        slots = [document.snapshot.dump(number).piece.slot for number in range(6)]
        marked.append([bool(document.pass_findings.get(slot)) for slot in slots])
        assert len(severities(session, code="unknown-opcode")) == 1
    assert marked == [[True] * 6, [False] * 4 + [True] * 2]


@pytest.mark.parametrize(
    ("params", "expected"),
    [
        ({"workspace_folders": [("file:///a", "a"), ("file:///b%20c", "b")]}, ["/a", "/b c"]),
        ({"root_uri": "file:///a"}, ["/a"]),
        ({"root_path": "/a b"}, ["/a b"]),
        ({"workspace_folders": [], "root_uri": "file:///a"}, []),
        ({}, []),
        ({"workspace_folders": [("vscode-vfs://github/x", "x")]}, []),
        # A path that no URI may have is no reason to fail.
        ({"root_path": ""}, []),
    ],
)
async def test_folders_at_the_start(session: Session, params: dict[str, object], expected: list[str]) -> None:
    folders = params.pop("workspace_folders", None)
    if isinstance(folders, list):
        params["workspace_folders"] = [types.WorkspaceFolder(*one) for one in folders]
    use_first_folders(session.server, types.InitializeParams(types.ClientCapabilities(), **params))  # type: ignore[arg-type]
    assert [str(path) for path in session.server.files.folders] == expected


async def test_folders_come_and_go(session: Session, tmp_path: Path) -> None:
    one, other = (tmp_path / "one").as_uri(), (tmp_path / "other").as_uri()
    change_folders(session, [one, other], [])
    change_folders(session, [], [one, "file:///never/there", "untitled:x"])
    assert session.server.files.folders == (tmp_path / "other",)
    assert session.server.documents.folders == (tmp_path / "other",)
    change_folders(session, [other], [other])
    assert session.server.files.folders == (tmp_path / "other",)


async def test_open_documents_are_linked_anew(session: Session, tmp_path: Path) -> None:
    """A `nirls.toml` may name files of its folder, which are read once that is a workspace folder."""
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "f.log").write_text(LOADING)
    (tmp_path / "nirls.toml").write_text('[[pipeline]]\nname = "p"\nvert = "v.nir"\nfrag = "deep/f.log"\n')
    change_folders(session, ["file:///elsewhere"], [])
    uri = (tmp_path / "v.nir").as_uri()
    session.open(STORING, uri)
    await session.passes_have_run(uri)
    assert session.server.linker.pipelines_of(session.document(uri)) == []
    change_folders(session, [tmp_path.as_uri()], [])
    await session.passes_have_run(uri)
    assert len(session.server.linker.pipelines_of(session.document(uri))) == 1


@pytest.mark.parametrize("reply", ["error", "never"])
async def test_settings_are_asked_for_although_nothing_is_registered(session: Session, reply: str) -> None:
    can(session, dynamic_configuration=True, configuration=True)
    session.replies["client/registerCapability"] = FailedRequestError if reply == "error" else None
    session.silent.add("client/registerCapability") if reply == "never" else None
    session.replies["workspace/configuration"] = [HINT]
    session.open(BROKEN)
    session.notify("initialized", {})
    for _ in range(200):
        await asyncio.sleep(0.005)
        if severities(session) == [HINTED]:
            break
    assert severities(session) == [HINTED]


@pytest.mark.parametrize(
    ("section", "part"),
    [
        ({"passes": {"opt_nothing": True}}, "passes.opt_nothing: there is no such pass"),
        ({"severity": {"no-such-thing": "off"}}, "severity.no-such-thing: there is no such finding"),
        ({"severity": {"dead-output": "loud"}}, "severity.dead-output: must be one of"),
        ({"options": {"opt_varyings": {"no_option": 1}}}, "options.opt_varyings: opt_varyings has no option"),
        ({"passes": {"opt_dce": 3}}, "passes.opt_dce: must be true, false or one of"),
    ],
)
async def test_errors_in_the_settings_are_shown(session: Session, section: Json, part: str) -> None:
    session.notify("workspace/didChangeConfiguration", {"settings": {"nirls": section}})
    for _ in range(1000):
        await asyncio.sleep(0.01)
        if "window/showMessage" in session.methods_told():
            break
    (message,) = [one["params"] for one in session.told if one["method"] == "window/showMessage"]
    assert message["type"] == types.MessageType.Error
    assert part in message["message"]


async def test_thousands_of_changed_files_are_checked_a_few_times(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(configuration, "FILES_PAUSE", 0.05)
    checks: list[None] = []
    monkeypatch.setattr(session.server.project_files, "refresh", lambda: checks.append(None))
    for number in range(2000):
        changed = {"uri": f"file:///x/{number}.nir", "type": 2}
        session.notify("workspace/didChangeWatchedFiles", {"changes": [changed]})
    await asyncio.sleep(0.2)
    assert len(checks) == 2
