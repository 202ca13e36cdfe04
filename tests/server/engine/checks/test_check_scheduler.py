"""When checks run and what is told, without a client."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from nirls.server.engine.base import timing
from nirls.server.engine.checks import check_scheduler
from nirls.server.engine.checks.analyzer import Analyzer
from nirls.server.engine.checks.analyzers import AnalyzersBySettings
from nirls.server.engine.checks.check_scheduler import CheckScheduler, unchecked_numbers
from nirls.server.engine.documents.dump_state import DumpState
from nirls.server.engine.documents.linking import Linker
from nirls.server.engine.documents.positions import Encoding, Position, Range
from nirls.server.engine.documents.text_document import Document, TextChange
from nirls.server.engine.documents.workspace import Workspace
from tools.synthetic import fragment_dump, log_of_lines, vertex_dump

URI = "file:///debug.log"


class Listener:
    """Notes what it is told."""

    def __init__(self) -> None:
        self.told: list[tuple[int, int]] = []
        self.open_bars = 0
        self.reports = 0

    async def publish(self, document: Document) -> None:
        self.answer_edit(document)

    def answer_edit(self, document: Document) -> None:
        checked = sum(document.state(dump.piece).problems is not None for dump in document.snapshot.dumps())
        self.told.append((document.snapshot.version, checked))

    def begin_progress(self, title: str) -> Listener:
        self.open_bars += 1
        return self

    def report(self, done: int, total: int) -> None:
        assert 0 < done <= total
        self.reports += 1

    def end(self) -> None:
        self.open_bars -= 1


class Setup:
    def __init__(self) -> None:
        self.workspace = Workspace()
        self.analyzer = Analyzer(self.workspace)
        self.listener = Listener()
        linker = Linker(self.workspace)
        analyzers = AnalyzersBySettings(self.analyzer, self.workspace, linker)
        self.scheduler = CheckScheduler(self.workspace, linker, analyzers, self.listener)


@pytest.fixture
async def setup() -> AsyncIterator[Setup]:
    made = Setup()
    yield made
    made.scheduler.stop()


@pytest.fixture
def pair(setup: Setup) -> Document:
    """A document of two small dumps."""
    return setup.workspace.open(URI, f"{vertex_dump(30)}\nbetween\n{fragment_dump(30)}", 1)


async def test_small_dumps_are_checked_at_once(
    setup: Setup, pair: Document, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(check_scheduler, "EDIT_BUDGET", 60.0)
    assert unchecked_numbers(pair) == [0, 1]
    assert setup.scheduler.check_within_budget(pair)
    assert unchecked_numbers(pair) == []


@pytest.mark.parametrize(("limit", "value"), [("EDIT_BUDGET", -1.0), ("SMALL_DUMP", 10)])
async def test_slow_checks_are_not_done_at_once(
    setup: Setup, pair: Document, monkeypatch: pytest.MonkeyPatch, limit: str, value: float
) -> None:
    monkeypatch.setattr(check_scheduler, limit, value)
    assert not setup.scheduler.check_within_budget(pair)
    assert unchecked_numbers(pair) == [0, 1]


async def test_a_check_that_raises_counts_as_one_without_problems(
    setup: Setup, pair: Document, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(self: Analyzer, state: DumpState) -> None:
        raise RuntimeError

    monkeypatch.setattr(Analyzer, "check_text", fail)
    monkeypatch.setattr(check_scheduler, "EDIT_BUDGET", 60.0)
    assert setup.scheduler.check_within_budget(pair)
    assert [pair.state(dump.piece).problems for dump in pair.snapshot.dumps()] == [(), ()]


async def test_a_log_is_told_of_at_once_and_then_completely(setup: Setup) -> None:
    document = setup.workspace.open(URI, log_of_lines(6000, 200), 1)
    dumps = len(document.snapshot.dumps())
    setup.scheduler.opened(document)
    assert setup.listener.told[0][0] == 1
    await asyncio.wait_for(setup.scheduler.passes_have_run(document), 60)
    assert setup.listener.told[-1] == (1, dumps)
    assert setup.listener.open_bars == 0
    assert setup.listener.reports > 0
    dead = [mark for marks in document.pass_findings.values() for mark in marks if mark.code == "dead-output"]
    assert len(dead) == dumps // 2


async def test_jobs_that_are_lined_up_a_few_at_a_time_are_all_done(
    setup: Setup, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(check_scheduler, "MOST_JOBS", 2)
    document = setup.workspace.open(URI, log_of_lines(3000, 100), 1)
    dumps = len(document.snapshot.dumps())
    setup.scheduler.opened(document)
    await asyncio.wait_for(setup.scheduler.passes_have_run(document), 60)
    assert setup.listener.told[-1] == (1, dumps)
    dead = [mark for marks in document.pass_findings.values() for mark in marks if mark.code == "dead-output"]
    assert len(dead) == dumps // 2


async def test_a_log_is_read_in_the_workers_and_not_in_this_process(
    setup: Setup, monkeypatch: pytest.MonkeyPatch
) -> None:
    checked: list[DumpState] = []
    monkeypatch.setattr(check_scheduler, "EDIT_BUDGET", -1.0)
    monkeypatch.setattr(Analyzer, "check_text", lambda analyzer, state: checked.append(state))
    document = setup.workspace.open(URI, log_of_lines(3000, 100).replace("fadd", "fnone", 1), 1)
    setup.scheduler.opened(document)
    await asyncio.wait_for(setup.scheduler.passes_have_run(document), 60)
    assert checked == []
    assert unchecked_numbers(document) == []
    assert document.state(document.snapshot.dumps()[0].piece).problems


async def test_looks_that_take_long_are_rare(setup: Setup, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(check_scheduler, "REST_FACTOR", 1e9)
    document = setup.workspace.open(URI, log_of_lines(4000, 100), 1)
    setup.scheduler.opened(document)
    await asyncio.wait_for(setup.scheduler.passes_have_run(document), 60)
    # At opening, at the first look if there was something new by then, and at the end.
    assert len(setup.listener.told) <= 3


async def test_nothing_is_published_twice(setup: Setup, data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    published = []

    async def publish(document: Document) -> None:
        pieces = document.snapshot.dump_pieces()
        published.append([(document.state(piece).problems, document.findings(piece)) for piece in pieces])

    monkeypatch.setattr(setup.listener, "publish", publish)
    document = setup.workspace.open(URI, (data / "ubo_array.frag.nir").read_text(), 1)
    setup.scheduler.opened(document)
    await asyncio.wait_for(setup.scheduler.passes_have_run(document), 60)
    assert any(findings for _, findings in published[-1])
    assert all(one != other for one, other in pairwise(published))
    count = len(published)
    setup.scheduler.saved(document)
    await asyncio.wait_for(setup.scheduler.passes_have_run(document), 60)
    assert len(published) == count + 1


async def test_an_edit_is_checked_and_told_of_before_anything_else_happens(
    setup: Setup, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(check_scheduler, "EDIT_BUDGET", 60.0)
    document = setup.workspace.open(URI, log_of_lines(400, 100), 1)
    setup.scheduler.opened(document)
    await asyncio.wait_for(setup.scheduler.passes_have_run(document), 60)
    place = Position(9, 0)
    document.change([TextChange(Range(place, place), "not NIR at all\n")], 2, Encoding.UTF16)
    setup.scheduler.edited(document)
    dumps = document.snapshot.dumps()
    assert setup.listener.told[-1] == (2, len(dumps))
    assert document.state(dumps[0].piece).problems


async def test_a_dump_keeps_the_findings_of_passes_until_it_is_saved(setup: Setup, data: Path) -> None:
    stages = [(data / "pipelines" / f"tinted.{stage}.nir").read_text() for stage in ("vert", "frag")]
    document = setup.workspace.open(URI, "nir_opt_dce\n".join(stages), 1)

    def found() -> list[str]:
        return sorted(one.code for findings in document.pass_findings.values() for one in findings)

    setup.scheduler.opened(document)
    await asyncio.wait_for(setup.scheduler.passes_have_run(document), 60)
    before = found()
    assert "dead-output" in before
    place = Position(9, 0)
    document.change([TextChange(Range(place, place), "32 %0 = (((\n")], 2, Encoding.UTF16)
    setup.scheduler.edited(document)
    # The partner's save, or the end of a long run, comes while the user types.
    setup.scheduler._start_run(document, with_passes=True)
    await asyncio.wait_for(setup.scheduler.passes_have_run(document), 60)
    assert unchecked_numbers(document) == []
    assert found() == before
    setup.scheduler.saved(document)
    await asyncio.wait_for(setup.scheduler.passes_have_run(document), 60)
    assert "dead-output" not in found()


async def test_changed_settings_do_not_wait_for_a_save(setup: Setup, data: Path) -> None:
    stages = [(data / "pipelines" / f"tinted.{stage}.nir").read_text() for stage in ("vert", "frag")]
    document = setup.workspace.open(URI, "nir_opt_dce\n".join(stages), 1)
    setup.scheduler.opened(document)
    await asyncio.wait_for(setup.scheduler.passes_have_run(document), 60)
    number = sum(map(len, document.pass_findings.values()))
    assert number
    line = stages[0].partition("block b0:")[0].count("\n") + 1
    place = Position(line, 0)
    document.change([TextChange(Range(place, place), "    // edited\n")], 2, Encoding.UTF16)
    setup.scheduler.edited(document)
    document.pass_findings.clear()
    setup.scheduler.opened(document)
    await asyncio.wait_for(setup.scheduler.passes_have_run(document), 60)
    assert sum(map(len, document.pass_findings.values())) == number


async def test_what_is_visible_comes_first(setup: Setup) -> None:
    document = setup.workspace.open(URI, log_of_lines(4000, 200), 1)
    document.visible = (3500, 3560)
    seen = document.snapshot.dumps_in_lines(*document.visible)
    setup.scheduler.check_within_budget(document)
    assert document.state(seen[0].piece).problems is not None


async def test_looking_elsewhere_changes_what_comes_next(setup: Setup) -> None:
    document = setup.workspace.open(URI, log_of_lines(20_000, 200), 1)
    setup.scheduler.opened(document)
    await asyncio.sleep(0.05)
    document.visible = (19_000, 19_060)
    setup.scheduler.prioritize(document)
    (seen,) = document.snapshot.dumps_in_lines(19_030, 19_030) or [document.snapshot.dumps()[-1]]
    async with asyncio.timeout(120):
        while document.state(seen.piece).problems is None:
            await asyncio.sleep(0.005)
    checked = sum(document.state(dump.piece).problems is not None for dump in document.snapshot.dumps())
    assert checked < len(document.snapshot.dumps()) / 2
    setup.scheduler.closed(URI)


async def test_work_for_a_closed_document_ends(setup: Setup) -> None:
    document = setup.workspace.open(URI, log_of_lines(20_000, 200), 1)
    setup.scheduler.opened(document)
    setup.scheduler.closed(URI)
    setup.workspace.close(URI)
    count = len(setup.listener.told)
    await asyncio.sleep(0.3)
    assert len(setup.listener.told) == count
    assert setup.listener.open_bars == 0


async def test_a_pass_that_fails_is_not_run_again_and_again(
    setup: Setup, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[object] = []

    def fail(texts: object) -> None:
        calls.append(texts)
        raise RuntimeError("broken pass")

    monkeypatch.setattr(setup.analyzer, "run_passes", fail)
    document = setup.workspace.open(URI, log_of_lines(200, 50), 1)
    setup.scheduler.opened(document)
    await asyncio.wait_for(setup.scheduler.passes_have_run(document), 60)
    assert len(calls) == len(set(map(id, calls))) > 0
    # A dump on which nothing could be run does not look clean.
    found = [one for dump in document.snapshot.dumps() for one in document.shown(dump.piece)]
    assert {one.message for one in found if one.code == "pass-failed"} == {
        "the passes could not be run: broken pass"
    }


async def test_what_is_asked_for_while_the_last_findings_are_placed_is_done(
    setup: Setup, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Placing takes turns; an edit and a save in one of them are not lost."""
    monkeypatch.setattr(timing, "SLICE", -1.0)
    document = setup.workspace.open(URI, log_of_lines(100, 20), 1)
    placing, publish_rest = Analyzer.placing, check_scheduler._Publisher.publish_rest
    happened: list[str] = []

    def noted(analyzer: Analyzer, *arguments: Any) -> timing.Steps[bool]:
        yield
        if happened == ["rest"]:
            happened.append("edit")
            document.change([TextChange(None, log_of_lines(200, 20))], 2, Encoding.UTF16)
            setup.scheduler.edited(document)
            setup.scheduler.saved(document)
        yield
        return (yield from placing(analyzer, *arguments))

    async def noted_rest(publisher: Any) -> None:
        happened.append("rest")
        await publish_rest(publisher)

    monkeypatch.setattr(Analyzer, "placing", noted)
    monkeypatch.setattr(check_scheduler._Publisher, "publish_rest", noted_rest)
    setup.scheduler.opened(document)
    await asyncio.wait_for(setup.scheduler.passes_have_run(document), 60)
    assert happened == ["rest", "edit", "rest"]
    dumps = document.snapshot.dumps()
    assert setup.listener.told[-1] == (2, len(dumps))
    assert any(document.pass_findings.get(dump.piece.slot) for dump in dumps[-2:])
