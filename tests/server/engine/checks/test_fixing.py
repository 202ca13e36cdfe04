"""Edits made in a thread: which dumps they are placed in, and what keeps them from it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from nirls.passes import registry
from nirls.server.engine.checks.analyzer import Analyzer
from nirls.server.engine.checks.fixing import Fixer, FixFailedError, Members, TextChangedError, texts_of
from nirls.server.engine.checks.pass_jobs import import_makers
from nirls.server.engine.documents.linking import Linker
from nirls.server.engine.documents.workspace import Workspace
from nirls.server.engine.worker.job import Cause, JobFailedError
from nirls.server.engine.worker.process import InlineWorker

PASS = "opt_varyings_dead_io"


class Setup:
    """A vertex shader that is open, its fragment shader on disk beside it, and a fixer."""

    def __init__(self, folder: Path) -> None:
        self.workspace = Workspace()
        self.vertex, self.fragment = folder / "tinted.vert.nir", folder / "tinted.frag.nir"
        self.document = self.workspace.open(self.vertex.as_uri(), self.vertex.read_text(), 1)
        self.analyzer = Analyzer(self.workspace)
        self.fixer = Fixer(self.analyzer.maker, self.workspace)

    def members(self) -> Members:
        (linked,) = Linker(self.workspace).pipelines_of(self.document)
        return linked.members


@pytest.fixture
def setup(data: Path, tmp_path: Path) -> Iterator[Setup]:
    for stage in ("vert", "frag"):
        source = data / "pipelines" / f"tinted.{stage}.nir"
        (tmp_path / source.name).write_bytes(source.read_bytes())
    setup = Setup(tmp_path)
    yield setup
    setup.fixer.stop()


async def test_edits_are_placed_in_their_dumps(setup: Setup) -> None:
    declared = registry.find(PASS)
    assert declared is not None
    members = setup.members()
    placed = await setup.fixer.apply(setup.analyzer, members, [declared])
    assert placed
    for one in placed:
        assert one.edits.text == one.dump.piece.text
        assert one.dump.piece.text in texts_of(members)
    assert setup.document in [one.document for one in placed]


async def test_a_file_that_changed_on_disk_meanwhile_gets_no_edit(setup: Setup) -> None:
    declared = registry.find(PASS)
    assert declared is not None
    members = setup.members()
    setup.fragment.write_text(setup.fragment.read_text() + "\n// written by somebody else\n")
    with pytest.raises(TextChangedError, match=r"tinted\.frag\.nir"):
        await setup.fixer.apply(setup.analyzer, members, [declared])


async def test_a_document_that_was_closed_gets_no_edit(setup: Setup) -> None:
    declared = registry.find(PASS)
    assert declared is not None
    members = setup.members()
    setup.workspace.close(setup.document.uri)
    with pytest.raises(TextChangedError, match=r"tinted\.vert\.nir"):
        await setup.fixer.apply(setup.analyzer, members, [declared])


class _CountingWorker(InlineWorker):
    def __init__(self) -> None:
        self.called: list[object] = []

    def call(self, seconds: float | None, function: Any, *arguments: Any, **named: Any) -> Any:
        self.called.append(function)
        raise JobFailedError(Cause.DIED)


async def test_the_worker_is_prepared_once_and_may_fail(setup: Setup) -> None:
    worker = _CountingWorker()
    fixer = Fixer(worker, setup.workspace)
    fixer.prepare()
    fixer.prepare()
    with pytest.raises(FixFailedError):
        await fixer.apply(Analyzer(setup.workspace, maker=worker), setup.members(), registry.all_passes()[:1])
    assert worker.called[0] is import_makers
    assert worker.called.count(import_makers) == 1
    fixer.stop()
