"""Verdicts in `nirls/timeline`, the diagnostic on the first difference, and its code actions."""

from __future__ import annotations

import asyncio
import json
import re
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

import pytest

from nirls.server.engine.worker.process import InlineWorker
from nirls.server.lsp.answers.log_verifier import CHANGED
from nirls.server.lsp.features.verification import SHOW, TITLES
from tests.passes.shader_text import store
from tests.server.engine.verification.test_transitions import vertex
from tests.server.lsp.features.session import URI

if TYPE_CHECKING:
    from tests.server.lsp.features.session import Session

FIRST = vertex("32 %3 = fsub %2, %1", store("POS", "%3"))
MOVED = vertex("32 %4 = mov %0", "32 %3 = fsub %2, %1", store("POS", "%3"))
WRONG = vertex("32 %4 = mov %0", "32 %3 = fsub %1, %2", store("POS", "%3"))
LOG = f"nir_a\n{FIRST}nir_b\n{MOVED}nir_c\n{WRONG}"


async def verdicts(session: Session) -> list[str | None]:
    (shader,) = (await session.ask_about("nirls/timeline"))["shaders"]
    return [one["verdict"] and one["verdict"]["verdict"] for one in shader["passes"]]


async def verified(session: Session) -> list[str | None]:
    """The verdicts once all are known."""
    first = await verdicts(session)
    assert first == [None] * 3
    for _ in range(400):
        if None not in (found := await verdicts(session))[1:]:
            return found
        await asyncio.sleep(0.05)
    raise AssertionError("no verdicts")


def diagnostics(session: Session) -> list[dict[str, Any]]:
    return [
        found
        for one in session.told
        if one["method"] == "textDocument/publishDiagnostics"
        for found in one["params"]["diagnostics"]
        if found.get("code") == "different-snapshot"
    ]


async def test_passes_get_their_verdicts_and_the_first_difference_a_diagnostic(session: Session) -> None:
    session.place(LOG)
    assert await verified(session) == [None, "equivalent", "different"]
    assert {"uri": URI} in [one["params"] for one in session.told if one["method"] == CHANGED]
    found = diagnostics(session)[-1]
    lines = LOG.splitlines()
    assert lines[found["range"]["start"]["line"]] == "shader: MESA_SHADER_VERTEX"
    assert found["message"].startswith("nir_c changed what the shader computes: VARYING_SLOT_POS.x: ")
    related = [lines[one["location"]["range"]["start"]["line"]] for one in found["relatedInformation"]]
    assert [line.strip() for line in related] == ["32 %3 = fsub %2, %1", "32 %3 = fsub %1, %2"]


async def test_hover_on_a_snapshot_has_its_verdict(session: Session) -> None:
    session.place(LOG)
    await verified(session)
    lines = LOG.splitlines()
    heads = [number for number, line in enumerate(lines) if line == "shader: MESA_SHADER_VERTEX"]
    texts = []
    for line in heads:
        found = await session.ask_about("hover", position={"line": line, "character": 2})
        texts.append(found["contents"]["value"])
    assert "previous snapshot" not in texts[0]
    assert "**Since the previous snapshot: equivalent.**" in texts[1]
    assert "**Since the previous snapshot: different.** VARYING_SLOT_POS.x: " in texts[2]
    assert [TITLES["values"] in text for text in texts] == [False, False, True]
    assert "command:" not in texts[2]


async def test_the_hover_on_a_difference_links_to_its_values(
    session: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    session.server.client = replace(session.server.client, commands=frozenset({SHOW}))
    session.place(LOG)
    await verified(session)
    line = diagnostics(session)[-1]["range"]["start"]["line"]
    found = await session.ask_about("hover", position={"line": line, "character": 2})
    link = re.search(rf"\[{TITLES['values']}\]\(command:{SHOW}\?(\S+)\)", found["contents"]["value"])
    assert link is not None
    path = await session.command(SHOW, *json.loads(unquote(link[1])))
    assert Path(path).read_text().startswith("nir_c: both snapshots on invocation ")


async def test_an_edit_takes_the_diagnostic_back(session: Session) -> None:
    session.open(LOG)
    await verified(session)
    session.change("nir_b", "nir_d")
    document = session.server.document(URI)
    assert document is not None
    assert document.transition_marks == {}


@pytest.mark.parametrize(
    ("what", "expected"),
    [
        ("counterexample", "nir_c: VARYING_SLOT_POS.x: "),
        ("values", "nir_c: both snapshots on invocation "),
        ("difference", "-32 %3 = fsub %2, %1\n+32 %3 = fsub %1, %2\n"),
        ("reduced", "shader: MESA_SHADER_VERTEX\n"),
    ],
)
async def test_code_actions_of_the_diagnostic(
    session: Session, what: str, expected: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    session.place(LOG)
    await verified(session)
    line = diagnostics(session)[-1]["range"]["start"]["line"]
    place = {"line": line, "character": 0}
    actions = await session.ask_about(
        "textDocument/codeAction",
        range={"start": place, "end": place},
        context={"diagnostics": [], "only": ["quickfix"]},
    )
    (command,) = [one["command"] for one in actions if one["title"] == TITLES[what]]
    assert command["command"] == SHOW
    path = await session.command(SHOW, *command["arguments"])
    assert Path(path).read_text().startswith(expected)
    assert await session.command(SHOW, URI, 1, what) is None


async def test_reducing_does_not_occupy_the_process_that_makes_fixes(
    session: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    session.place(LOG)
    await verified(session)
    session.server.analyzer.maker = InlineWorker()
    monkeypatch.setattr(session.server.analyzer.maker, "call", None)
    assert await session.command(SHOW, URI, 2, "reduced") is not None
