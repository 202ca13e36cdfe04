"""The analyzer on a linked pair: findings by content, marks by slot, and the edits of fixes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

import pytest

from nirls.ir.finding import Severity
from nirls.ir.text.edits import apply_edits
from nirls.passes import registry
from nirls.server.engine.base.timing import TimeLimit
from nirls.server.engine.checks import pass_jobs
from nirls.server.engine.checks.analyzer import Analyzer
from nirls.server.engine.checks.check_settings import CheckSettings
from nirls.server.engine.documents.linking import Linker
from nirls.server.engine.documents.text_document import Document
from nirls.server.engine.documents.workspace import Workspace
from nirls.server.engine.worker.process import InlineWorker
from nirls.verification.verdict import Unchecked

ResultT = TypeVar("ResultT")

PASS = "opt_varyings_dead_io"


class Setup:
    def __init__(self, text: str) -> None:
        self.workspace = Workspace()
        self.analyzer = Analyzer(self.workspace)
        self.linker = Linker(self.workspace)
        self.document: Document = self.workspace.open("file:///log.nir", text, 1)

    def run(self) -> None:
        for linked in self.linker.pipelines_of(self.document):
            self.analyzer.run_passes(linked.texts())
        for dump in self.document.snapshot.dumps():
            self.analyzer.run_passes((dump.piece.text,))

    def place(self) -> bool:
        return self.analyzer.place_findings(self.document, self.linker.pipelines_of(self.document))

    @property
    def texts(self) -> tuple[bytes, ...]:
        return self.linker.pipelines_of(self.document)[0].texts()


@pytest.fixture
def setup(data: Path) -> Setup:
    stages = [(data / "pipelines" / f"tinted.{stage}.nir").read_text() for stage in ("vert", "frag")]
    return Setup("\n".join(stages))


def test_what_passes_find_is_placed_once_they_have_all_run(setup: Setup) -> None:
    assert not setup.place()
    setup.run()
    assert setup.place()
    vertex, _ = setup.document.snapshot.dumps()
    marks = [mark for mark in setup.document.pass_findings[vertex.piece.slot] if mark.code == "dead-output"]
    assert marks
    assert all(b"@store_output" in vertex.piece.text[mark.place.start : mark.place.end] for mark in marks)
    slots = {dump.piece.slot for dump in setup.document.snapshot.dumps()}
    assert all(item.place.dump in slots for mark in marks for item in mark.related)
    assert not setup.place()


def test_a_fix_is_made_by_its_request(setup: Setup) -> None:
    setup.run()
    setup.place()
    vertex, _ = setup.document.snapshot.dumps()
    mark = next(m for m in setup.document.pass_findings[vertex.piece.slot] if m.fixes)
    request = mark.fixes[0].request
    asked = replace(request, dump=0)
    assert request.dump == vertex.piece.slot
    (edits,) = setup.analyzer.fix(setup.texts, asked)
    assert edits.text == vertex.piece.text
    assert len(apply_edits(edits.text, edits.edits)) < len(edits.text)
    assert setup.analyzer.fix(setup.texts, replace(asked, code="no-such-code")) == []
    assert setup.analyzer.fix(setup.texts, replace(asked, pass_name="no_such_pass")) == []


def test_a_pass_that_has_nothing_to_do_makes_no_edits(setup: Setup) -> None:
    declared = registry.find(PASS)
    assert declared is not None
    edits = setup.analyzer.apply_passes(setup.texts, [declared])
    after = {one.text: apply_edits(one.text, one.edits) for one in edits}
    fixed = tuple(after.get(text, text) for text in setup.texts)
    assert fixed != setup.texts
    assert setup.analyzer.apply_passes(fixed, [declared]) == []


def test_only_passes_with_fixes_are_part_of_fixing_all(setup: Setup) -> None:
    assert setup.analyzer.passes_with_fixes(setup.texts) == []
    setup.run()
    assert PASS in [declared.name for declared in setup.analyzer.passes_with_fixes(setup.texts)]


def test_new_settings_forget_what_was_found(setup: Setup) -> None:
    setup.run()
    state = setup.document.state(next(iter(setup.document.snapshot.dumps())).piece)
    setup.analyzer.check_text(state)
    assert setup.analyzer.has_findings(setup.texts)
    setup.analyzer.use_settings(CheckSettings({"dead-output": Severity.OFF}, {}, {}))
    assert not setup.analyzer.has_findings(setup.texts)
    assert state.problems is None
    setup.run()
    setup.place()
    marks = [mark for marks in setup.document.pass_findings.values() for mark in marks]
    assert "dead-output" not in {mark.code for mark in marks}


class CountingWorker(InlineWorker):
    def __init__(self) -> None:
        self.jobs: list[str] = []

    def call(
        self, seconds: float | None, function: Callable[..., ResultT], *arguments: object, **named: object
    ) -> ResultT:
        self.jobs.append(function.__name__)
        return super().call(seconds, function, *arguments, **named)


def test_all_fixes_are_made_once_for_a_text_and_settings(setup: Setup) -> None:
    worker = CountingWorker()
    setup.analyzer.maker = worker
    both, nothing = frozenset((0, 1)), frozenset[str]()
    edits = setup.analyzer.fix_all(setup.texts, both, nothing)
    assert edits
    assert setup.analyzer.fix_all(setup.texts, both, nothing) == edits
    assert worker.jobs == ["fix_all"]
    setup.analyzer.fix_all(setup.texts, frozenset((0,)), nothing)
    setup.analyzer.fix_all(setup.texts, both, frozenset(("dead-output",)))
    setup.analyzer.use_settings(CheckSettings(severities={"dead-output": Severity.OFF}))
    setup.analyzer.fix_all(setup.texts, both, nothing)
    assert worker.jobs == ["fix_all"] * 4


def test_an_incomplete_result_of_all_fixes_is_not_kept(setup: Setup, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pass_jobs, "judged", lambda *_, **__: Unchecked("too slow"))
    worker = CountingWorker()
    setup.analyzer.maker = worker
    limit = TimeLimit(1e-6)
    monkeypatch.setattr(limit, "check", lambda: None)
    for _ in range(2):
        assert setup.analyzer.fix_all(setup.texts, frozenset((0, 1)), frozenset(), limit) == []
    assert worker.jobs == ["fix_all"] * 2


def test_texts_without_fixes_need_no_job(setup: Setup) -> None:
    """Once the passes have run on them, together and alone."""
    worker = CountingWorker()
    setup.analyzer.maker = worker
    both, nothing = frozenset((0, 1)), frozenset[str]()
    fixed = setup.texts
    while edits := setup.analyzer.fix_all(fixed, both, nothing):
        new = {one.text: apply_edits(one.text, one.edits) for one in edits}
        fixed = tuple(new.get(text, text) for text in fixed)
    worker.jobs.clear()
    analyzer = Analyzer(setup.workspace, maker=worker)
    for texts in (fixed, *((text,) for text in fixed)):
        assert analyzer.fix_all(fixed, both, nothing) == []
        analyzer.run_passes(texts)
    known = len(worker.jobs)
    assert analyzer.fix_all(fixed, both, nothing) == []
    assert len(worker.jobs) == known
