"""Checks of files that are not open."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from shutil import copy

import pytest

from nirls.server.engine.checks.analyzer import Analyzer
from nirls.server.engine.checks.analyzers import AnalyzersBySettings
from nirls.server.engine.checks.workspace_checks import WorkspaceChecks
from nirls.server.engine.documents.linking import Linker
from nirls.server.engine.documents.text_document import Document
from nirls.server.engine.documents.workspace import Workspace
from nirls.server.engine.documents.workspace_files import WorkspaceFiles


class Checks:
    """The files of a folder, and how often there was something new."""

    def __init__(self, folder: Path) -> None:
        workspace = Workspace()
        self.files = WorkspaceFiles(workspace)
        self.files.add_folders([folder.as_uri()])
        self.analyzer = Analyzer(workspace)
        self.news = 0
        linker = Linker(workspace)
        self.analyzers = AnalyzersBySettings(self.analyzer, workspace, linker)
        self.checks = WorkspaceChecks(self.files, linker, self.analyzers, self._tell)

    def _tell(self) -> None:
        self.news += 1

    async def poll_until_done(self) -> dict[str, Document]:
        self.checks.poll()
        self.checks.poll()
        await self.checks.finished()
        return {document.name: document async for document in self.files.closed_documents()}


def codes(document: Document) -> set[str]:
    (dump,) = document.snapshot.dumps()
    problems = document.state(dump.piece).problems
    assert problems is not None
    return {mark.code for mark in (*problems, *document.pass_findings.get(dump.piece.slot, ()))}


@pytest.fixture
async def checks(tmp_path: Path, data: Path) -> AsyncIterator[Checks]:
    for stage in ("vert", "frag"):
        copy(data / "pipelines" / f"tinted.{stage}.nir", tmp_path)
    made = Checks(tmp_path)
    yield made
    made.checks.stop()


async def test_findings_of_linked_files(checks: Checks) -> None:
    found = await checks.poll_until_done()
    assert "dead-output" in codes(found["tinted.vert.nir"])
    assert checks.news == 1
    generation = found["tinted.vert.nir"].generation
    await checks.poll_until_done()
    assert checks.news == 1
    assert found["tinted.vert.nir"].generation == generation


async def test_a_file_that_changes_is_checked_again(checks: Checks, tmp_path: Path) -> None:
    found = await checks.poll_until_done()
    assert "propagatable-output" in codes(found["tinted.vert.nir"])
    path = tmp_path / "tinted.frag.nir"
    path.write_text(path.read_text().replace("fmul %33, %35", "fmul %33, %9999"))
    found = await checks.poll_until_done()
    assert codes(found["tinted.frag.nir"]) == {"undefined-value"}
    assert "propagatable-output" not in codes(found["tinted.vert.nir"]), "it is not linked with an error"
    assert checks.news == 2


async def test_what_goes_wrong_with_a_file_stays_with_it(
    checks: Checks, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(_: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(checks.analyzer, "run_passes", fail)
    await checks.poll_until_done()
    assert "on files of the workspace failed" in caplog.text
    caplog.clear()
    await checks.poll_until_done()
    assert not caplog.text
