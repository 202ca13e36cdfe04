"""Scheduling of checks on open, edit and save, and publication of their results.

The scheduler runs on the event loop. After an open or save, worker processes check the texts of dumps and
run the passes; threads wait for them. Passes do not run on a dump that was edited since: until the next save
it keeps its findings, so that their number does not change with each keystroke. After an edit, slow checks of
the edited text run in a thread of this process, which has the syntax tree of the old text. One dump is one
job. After each job the document is compared with the snapshot of the run, so that no job starts on an
outdated text.
"""

from __future__ import annotations

import asyncio
import logging
import os
import time
from collections.abc import Awaitable, Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from math import inf
from pathlib import Path
from typing import Protocol

from nirls.ir.finding import Finding
from nirls.server.engine.base.timing import Steps, in_slices
from nirls.server.engine.checks.analyzer import Analyzer, Texts
from nirls.server.engine.checks.analyzers import AnalyzersBySettings
from nirls.server.engine.documents.document import Snapshot
from nirls.server.engine.documents.dump_state import DumpState
from nirls.server.engine.documents.file_text import decode_file
from nirls.server.engine.documents.linking import LinkedPipeline, Linker
from nirls.server.engine.documents.text_document import Document
from nirls.server.engine.documents.workspace import Workspace

_log = logging.getLogger(__name__)

EDIT_BUDGET = 0.03
"""Seconds of checking on the event loop per edit."""

SMALL_DUMP = 48_000
"""Size limit in bytes of a dump that is checked on the event loop; larger ones are checked in a thread."""

LONGEST_DELAY = 0.3
"""Longest debounce delay in seconds after an edit of a dump that is slow to check."""

FEW_JOBS = 4
"""Largest number of jobs for which no progress is shown."""

MOST_JOBS = 1000
"""Jobs of a kind queued at a time; for a huge log, building the whole list is slow."""

PASS_LANES = max(1, min(2, os.cpu_count() or 1))
"""Worker processes that run jobs at a time."""

MANY_JOBS = 16
"""Number of jobs from which all lanes are used; starting a process takes about a second."""

FIRST_POLL = 0.03
"""Seconds between polls for the first result."""

FIRST_INTERVAL, INTERVAL_FACTOR = 0.1, 2.0
"""Seconds from the first publication of a long check to the next, and growth factor of the interval."""

REST_FACTOR = 9.0
"""Minimum ratio of idle time to polling time; a poll visits every dump of a log."""


COMPARISON_DELAY = 0.5
"""Seconds after an edit in which the text is compared with its file."""

_LONGEST_MARK = 3
"""Bytes of a mark of UTF-8 at the start of a file, which editors leave out."""

Job = Callable[[], None]

Checked = tuple[Snapshot, list[tuple[Finding, ...]]]
"""The text of a document, and the known problems of each of its dumps."""


class Audience(Protocol):
    """Receiver of check results: the LSP layer."""

    async def publish(self, document: Document) -> None:
        """Publish the changed findings of a document."""

    def answer_edit(self, document: Document) -> None:
        """Publish the findings available immediately after an open or edit."""

    def begin_progress(self, title: str) -> ProgressDisplay:
        """Create a progress display for long work."""


class ProgressDisplay(Protocol):
    """Progress display of the client."""

    def report(self, done: int, total: int) -> None: ...

    def end(self) -> None: ...


class CheckScheduler:
    """Schedules the analyzers over documents, visible dumps first."""

    def __init__(
        self, workspace: Workspace, linker: Linker, analyzers: AnalyzersBySettings, audience: Audience
    ) -> None:
        self._workspace = workspace
        self._linker = linker
        self._analyzers = analyzers
        self._audience = audience
        self._text_lane = ThreadPoolExecutor(max_workers=1, thread_name_prefix="nirls-texts")
        self._pass_lane = ThreadPoolExecutor(max_workers=PASS_LANES, thread_name_prefix="nirls-passes")
        self._timers: dict[str, asyncio.TimerHandle] = {}
        self._runs: dict[str, _Run] = {}
        self._last_cost: dict[str, float] = {}
        self._placing: dict[str, asyncio.Task[None]] = {}
        self._comparisons: dict[str, asyncio.TimerHandle] = {}
        self._comparing: dict[str, asyncio.Task[None]] = {}

    # Document events

    def opened(self, document: Document) -> None:
        """Check the visible dumps of a new document now, then the rest and the passes in the background.

        So is a document whose settings have changed.
        """
        self._check_now(document)
        self.saved(document)

    def edited(self, document: Document) -> None:
        """Check the changed text: immediately if the last check was quick, else after a debounce delay."""
        delay = self._last_cost.get(document.uri, 0.0)
        self._cancel_timer(document.uri)
        if delay < EDIT_BUDGET:
            self._check_now(document)
            return
        loop = asyncio.get_running_loop()
        self._timers[document.uri] = loop.call_later(
            min(delay, LONGEST_DELAY), lambda: self._check_now(document)
        )

    def saved(self, document: Document) -> None:
        """Run the passes on the document and on the dumps it is linked with."""
        document.unsaved.clear()
        self._start_run(document, with_passes=True)

    def is_running_passes(self, document: Document) -> bool:
        """Whether passes are running on a document, or will soon."""
        run = self._runs.get(document.uri)
        return run is not None and run.with_passes and not run.task.done()

    def prioritize(self, document: Document) -> None:
        """Reorder the queued jobs after the visible range of the client changed."""
        run = self._runs.get(document.uri)
        if run is not None:
            run.is_outdated = True

    async def passes_have_run(self, document: Document) -> None:
        """Wait until no run over a document is active."""
        while (run := self._runs.get(document.uri)) is not None and not run.task.done():
            await asyncio.wait([run.task])

    def closed(self, uri: str) -> None:
        """Stop all work for a document."""
        self._cancel_timer(uri)
        run = self._runs.pop(uri, None)
        if run is not None:
            run.task.cancel()
        self._last_cost.pop(uri, None)
        timer = self._comparisons.pop(uri, None)
        if timer is not None:
            timer.cancel()
        for tasks in (self._placing, self._comparing):
            task = tasks.pop(uri, None)
            if task is not None:
                task.cancel()

    def stop(self) -> None:
        """Stop all work."""
        for document in self._workspace:
            self.closed(document.uri)
        for lane in (self._text_lane, self._pass_lane):
            lane.shutdown(wait=False, cancel_futures=True)

    # On the event loop

    def check_within_budget(self, document: Document) -> bool:
        """Check dump texts for up to `EDIT_BUDGET` seconds, visible ones first; True if all are checked."""
        analyzer, stop_at = self._analyzers.of(document), time.perf_counter() + EDIT_BUDGET
        for dump in document.by_interest(unchecked_numbers(document)):
            if len(dump.piece.text) > SMALL_DUMP or time.perf_counter() > stop_at:
                return False
            began = time.thread_time()
            check_text(analyzer, document.state(dump.piece))
            document.generation += 1
            self._last_cost[document.uri] = time.thread_time() - began
        return True

    def _check_now(self, document: Document) -> None:
        if self._workspace.get(document.uri) is not document:
            return
        complete = self.check_within_budget(document)
        self._audience.answer_edit(document)
        self._place_known(document)
        self._compare_with_file_later(document)
        if not complete:
            self._start_run(document, with_passes=False)

    def _place_known(self, document: Document) -> None:
        """Show findings that are known by content, such as after an undo, in a document and those linked."""
        analyzer = self._analyzers.of(document)
        for slot in list(document.unsaved):
            dump = document.place_of_slot(slot)
            if dump is None or analyzer.has_findings((dump.piece.text,)):
                document.unsaved.discard(slot)
        pipelines = self._linker.pipelines_of(document)
        for one in (document, *_partners(document, pipelines)):
            analyzer, pipelines = self._analyzers.of(one), self._linker.pipelines_of(one)
            if analyzer.has_unplaced(one, pipelines):
                self._placing[one.uri] = asyncio.get_running_loop().create_task(
                    self._place_and_publish(one, analyzer.placing(one, pipelines))
                )

    async def _place_and_publish(self, document: Document, steps: Steps[bool]) -> None:
        if await in_slices(steps) and self._workspace.get(document.uri) is document:
            await self._audience.publish(document)

    def _compare_with_file_later(self, document: Document) -> None:
        """Run the passes on a text that no save follows because it is that of its file: a reverted one."""
        timer = self._comparisons.pop(document.uri, None)
        if timer is not None:
            timer.cancel()
        if document.path is None:
            return

        def compare() -> None:
            self._comparing[document.uri] = loop.create_task(self._run_if_saved(document))

        loop = asyncio.get_running_loop()
        self._comparisons[document.uri] = loop.call_later(COMPARISON_DELAY, compare)

    async def _run_if_saved(self, document: Document) -> None:
        snapshot = document.snapshot
        pipelines = self._linker.pipelines_of(document)
        if self._analyzers.of(document).coverage(document, pipelines).is_complete or document.path is None:
            return
        is_saved = await asyncio.to_thread(is_text_of_file, document.path, snapshot)
        if is_saved and self._workspace.get(document.uri) is document and document.snapshot is snapshot:
            self.saved(document)

    # In the background

    def _start_run(self, document: Document, *, with_passes: bool) -> None:
        running = self._runs.get(document.uri)
        if running is not None and not running.task.done():
            running.with_passes |= with_passes
            running.is_outdated = True
            return
        run = _Run(with_passes)
        self._runs[document.uri] = run
        run.task = asyncio.get_running_loop().create_task(self._execute(run, document))

    async def _execute(self, run: _Run, document: Document) -> None:
        publisher = _Publisher(lambda: self._place(run, document), lambda: self._audience.publish(document))
        bar = _ProgressBar(self._audience)
        run.checked = _checked(document)

        async def run_jobs(lane: ThreadPoolExecutor, jobs: Iterable[Job]) -> None:
            for job in jobs:
                await asyncio.get_running_loop().run_in_executor(lane, job)
                document.generation += 1
                bar.advance()
                await publisher.publish_if_due()
                if run.is_outdated or document.snapshot is not run.snapshot:
                    return

        try:
            # Again if something was asked for while the rest was published.
            while run.is_outdated:
                while (todo := self._jobs(run, document)).is_any:
                    bar.expect(len(todo.texts) + len(todo.passes) + todo.later)
                    async with asyncio.TaskGroup() as lanes:
                        lanes.create_task(run_jobs(self._text_lane, todo.texts))
                        passes = iter(todo.passes)
                        for _ in range(PASS_LANES if len(todo.passes) >= MANY_JOBS else 1):
                            lanes.create_task(run_jobs(self._pass_lane, passes))
                bar.end()
                if self._workspace.get(document.uri) is document:
                    await publisher.publish_rest()
        finally:
            bar.end()

    def _jobs(self, run: _Run, document: Document) -> _Jobs:
        """Next jobs for the current text, visible dumps first: texts to check and passes to run."""
        run.snapshot, run.is_outdated = document.snapshot, False
        analyzer = self._analyzers.of(document)
        jobs = _Jobs()
        numbers = unchecked_numbers(document)
        if run.with_passes:
            self._add_pass_jobs(jobs, analyzer, document)
            # The job of a dump's passes checks its text too.
            analyzed, state = analyzer.analyzed_dumps(document), document.state
            pieces = document.snapshot.dump_pieces()
            numbers = [
                number
                for number in numbers
                if number not in analyzed
                or pieces[number].slot in document.unsaved
                or analyzer.has_findings((state(pieces[number]).text,))
            ]
        for dump in islice(document.by_interest(numbers), MOST_JOBS):
            jobs.texts.append(partial(check_text, analyzer, document.state(dump.piece)))
        jobs.later += len(numbers) - len(jobs.texts)
        return jobs

    def _add_pass_jobs(self, jobs: _Jobs, analyzer: Analyzer, document: Document) -> None:
        linked_with: dict[int, list[Texts]] = {}
        wanted: dict[Texts, None] = {}
        for linked in self._linker.pipelines_of(document):
            if any(member.dump.piece.slot in document.unsaved for member in linked.members):
                continue
            texts = linked.texts()
            for member in linked.members:
                linked_with.setdefault(member.dump.piece.slot, []).append(texts)
                if member.document is not document and member.document.is_open:
                    wanted[(member.dump.piece.text,)] = None
        partners = [texts for texts in wanted if not analyzer.has_findings(texts)]
        wanted.clear()
        analyzed = analyzer.analyzed_dumps(document)
        for seen, dump in enumerate(document.dumps_by_interest()):
            if len(wanted) >= MOST_JOBS:
                jobs.later += len(document.snapshot.dump_indices) - seen
                break
            # Pipelines first: their findings matter most in a linked dump.
            alone = dump.number in analyzed and dump.piece.slot not in document.unsaved
            own = [(dump.piece.text,)] if alone else []
            for texts in (*linked_with.get(dump.piece.slot, ()), *own):
                if not analyzer.has_findings(texts):
                    wanted[texts] = None
        wanted.update(dict.fromkeys(partners))
        jobs.passes += [partial(run_passes, analyzer, texts) for texts in wanted]

    async def _place(self, run: _Run, document: Document) -> bool:
        """Place findings in this document and open ones linked with it; return True if this one's changed.

        Those of a new text count as changed, even if they are equal: they may have been published without
        those of its dumps that were not checked yet.
        """
        is_new = False
        while self._workspace.get(document.uri) is document:
            checked = _checked(document)
            is_new |= checked != run.checked
            run.checked = checked
            if run.with_passes:
                is_new |= await self._place_findings(document)
            if document.snapshot is checked[0]:
                return is_new
        return False

    async def _place_findings(self, document: Document) -> bool:
        pipelines = self._linker.pipelines_of(document)
        is_new = await in_slices(self._analyzers.of(document).placing(document, pipelines))
        for other in _partners(document, pipelines):
            steps = self._analyzers.of(other).placing(other, self._linker.pipelines_of(other))
            if await in_slices(steps) and self._workspace.get(other.uri) is other:
                await self._audience.publish(other)
        return is_new

    def _cancel_timer(self, uri: str) -> None:
        timer = self._timers.pop(uri, None)
        if timer is not None:
            timer.cancel()


def _partners(document: Document, pipelines: Iterable[LinkedPipeline]) -> list[Document]:
    """Return the other open documents in the pipelines of a document."""
    members = [member.document for linked in pipelines for member in linked.members]
    return list(
        {member.uri: member for member in members if member.is_open and member is not document}.values()
    )


def is_text_of_file(path: Path, snapshot: Snapshot) -> bool:
    """Whether a file has the text of a snapshot."""
    text = snapshot.text
    try:
        is_as_long = abs(path.stat().st_size - len(text)) <= _LONGEST_MARK
        return is_as_long and decode_file(path.read_bytes())[0] == text
    except OSError:
        return False


def unchecked_numbers(document: Document) -> list[int]:
    """Numbers of the dumps whose text has not been checked, in ascending order."""
    state = document.state
    return [
        number
        for number, piece in enumerate(document.snapshot.dump_pieces())
        if (piece.state or state(piece)).problems is None
    ]


def _checked(document: Document) -> Checked:
    state, pieces = document.state, document.snapshot.dump_pieces()
    return document.snapshot, [(piece.state or state(piece)).problems or () for piece in pieces]


def check_text(analyzer: Analyzer, state: DumpState, what: str = "a dump") -> None:
    """Check the text of a dump; if that raises, log it and record no problems: it would raise again."""
    try:
        analyzer.check_text(state)
    except Exception:
        _log.exception("checking %s failed", what)
        state.problems = ()


def run_passes(analyzer: Analyzer, texts: Texts, what: str = "a dump") -> None:
    """Run the passes on linked dumps or one; if that raises, log it and report it on the first dump."""
    try:
        analyzer.run_passes(texts)
    except Exception as error:
        _log.exception("running the passes on %s failed", what)
        analyzer.give_up(texts, error)


class _Run:
    """Background work on one document. `is_outdated` requests a new job list."""

    task: asyncio.Task[None]

    def __init__(self, with_passes: bool) -> None:
        self.with_passes = with_passes
        self.is_outdated = True
        self.snapshot: Snapshot | None = None
        self.checked: Checked | None = None


@dataclass(slots=True)
class _Jobs:
    """Next jobs of each lane; `later` estimates the number of jobs not queued yet."""

    texts: list[Job] = field(default_factory=list)
    passes: list[Job] = field(default_factory=list)
    later: int = 0

    @property
    def is_any(self) -> bool:
        return bool(self.texts or self.passes)


class _Publisher:
    """Publishes results at once, then at growing intervals: each publication repeats all earlier results."""

    def __init__(self, place: Callable[[], Awaitable[bool]], publish: Callable[[], Awaitable[None]]) -> None:
        self._place = place
        self._publish = publish
        self._interval = FIRST_POLL
        self._next = 0.0
        self._has_published = False

    async def publish_if_due(self) -> None:
        began = time.perf_counter()
        if began < self._next:
            return
        self._next = inf  # for the other lanes, while results are placed
        if await self._place():
            await self._publish()
            self._has_published = True
            self._interval = max(FIRST_INTERVAL, self._interval * INTERVAL_FACTOR)
        now = time.perf_counter()
        self._next = now + max(self._interval, REST_FACTOR * (now - began))

    async def publish_rest(self) -> None:
        """Publish what is new at the end of the run, and in any case once."""
        if await self._place() or not self._has_published:
            await self._publish()
            self._has_published = True


class _ProgressBar:
    """Progress of a run, shown if it has more than `FEW_JOBS` jobs."""

    def __init__(self, audience: Audience) -> None:
        self._audience = audience
        self._progress: ProgressDisplay | None = None
        self._done = self._total = 0

    def expect(self, jobs: int) -> None:
        self._total = self._done + jobs
        if self._progress is None and jobs > FEW_JOBS:
            self._progress = self._audience.begin_progress("Checking shader dumps")

    def advance(self) -> None:
        self._done += 1
        if self._progress is not None:
            self._progress.report(self._done, self._total)

    def end(self) -> None:
        if self._progress is not None:
            self._progress.end()
            self._progress = None
