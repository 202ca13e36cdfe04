"""When the checks run: on typing, on opening, on saving, and who is told of what they found.

All of this lives on the event loop. Work on a dump that may take long is handed to one worker thread, one
dump or pipeline at a time, so that a request waits for one such piece at most; after each piece the
document is looked at again, so work for a text that is gone is not even started.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Protocol, TypeVar

from nirls.server.document import PlacedDump
from nirls.server.dump_state import DumpState
from nirls.server.engine import Engine, Texts
from nirls.server.linking import LinkedPipeline, Linker
from nirls.server.workspace import Document, Workspace

T = TypeVar("T")
_log = logging.getLogger(__name__)

AT_ONCE = 0.03
"""Seconds of checking that are done at once, before anything else is answered."""

SMALL_DUMP = 48_000
"""Bytes of a dump that is checked on the event loop; larger ones go to the worker thread."""

LONGEST_DELAY = 0.3
"""Seconds that typing must pause, at most, before a dump that is slow to check is checked."""

FIRST_NEWS, NEWS_FACTOR = 0.2, 2.0
"""Seconds until a long check tells what it found so far, and the growth of that time at each telling."""


class Audience(Protocol):
    """Who is told."""

    def tell(self, document: Document) -> None:
        """What is known of the document changed."""

    def begin_progress(self, title: str) -> Progress:
        """Some long work begins."""


class Progress(Protocol):
    """A piece of long work that the client shows."""

    def report(self, done: int, total: int) -> None: ...

    def end(self) -> None: ...


class Checker:
    """Runs the engine over documents in the order of interest."""

    def __init__(self, workspace: Workspace, linker: Linker, engine: Engine, audience: Audience) -> None:
        self._workspace = workspace
        self._linker = linker
        self._engine = engine
        self._audience = audience
        self._pool = ThreadPoolExecutor(max_workers=1, thread_name_prefix="nirls-checks")
        self._timers: dict[str, asyncio.TimerHandle] = {}
        self._text_tasks: dict[str, asyncio.Task[None]] = {}
        self._pass_tasks: dict[str, asyncio.Task[None]] = {}
        self._last_cost: dict[str, float] = {}

    # What happens to documents

    def opened(self, document: Document) -> None:
        """The first full run: what is visible at once, the rest behind it, then the passes."""
        self._start_text(document)
        self._start_passes(document)

    def edited(self, document: Document) -> None:
        """Check the text that changed: at once where that is quick, else when typing pauses."""
        delay = self._last_cost.get(document.uri, 0.0)
        self._cancel_timer(document.uri)
        if delay < AT_ONCE:
            self._start_text(document)
            return
        loop = asyncio.get_running_loop()
        self._timers[document.uri] = loop.call_later(
            min(delay, LONGEST_DELAY), lambda: self._start_text(document)
        )

    def saved(self, document: Document) -> None:
        """Let the passes look at the document and at what it is linked with."""
        self._start_passes(document)

    async def passes_have_run(self, document: Document) -> None:
        """Wait until no run of the passes over a document is going on."""
        while (task := self._pass_tasks.get(document.uri)) is not None and not task.done():
            await asyncio.wait([task])

    def closed(self, uri: str) -> None:
        """Stop all work for a document."""
        self._cancel_timer(uri)
        for tasks in (self._text_tasks, self._pass_tasks):
            task = tasks.pop(uri, None)
            if task is not None:
                task.cancel()
        self._last_cost.pop(uri, None)

    def stop(self) -> None:
        """Stop all work."""
        for document in self._workspace:
            self.closed(document.uri)
        self._pool.shutdown(wait=False, cancel_futures=True)

    # Text

    def check_what_is_quick(self, document: Document) -> bool:
        """Check the texts of dumps for a short time, the visible ones first; True if all are checked."""
        stop_at = time.perf_counter() + AT_ONCE
        for dump in self._unchecked(document):
            if len(dump.piece.text) > SMALL_DUMP or time.perf_counter() > stop_at:
                return False
            began = time.perf_counter()
            self._check_text(document.state(dump.piece))
            document.generation += 1
            self._last_cost[document.uri] = time.perf_counter() - began
        return True

    def _start_text(self, document: Document) -> None:
        if self._workspace.get(document.uri) is not document:
            return
        complete = self.check_what_is_quick(document)
        self._audience.tell(document)
        running = self._text_tasks.get(document.uri)
        if not complete and (running is None or running.done()):
            task = asyncio.get_running_loop().create_task(self._check_rest(document))
            self._text_tasks[document.uri] = task

    async def _check_rest(self, document: Document) -> None:
        news = _News(lambda: self._audience.tell(document))
        total = sum(1 for _ in self._unchecked(document))
        progress = self._audience.begin_progress("Checking shader dumps") if total > 1 else None
        try:
            done = 0
            while (dump := next(self._unchecked(document), None)) is not None:
                began = time.perf_counter()
                await self._in_thread(self._check_text, document.state(dump.piece))
                document.generation += 1
                self._last_cost[document.uri] = time.perf_counter() - began
                done += 1
                if progress is not None:
                    progress.report(done, max(total, done))
                news.maybe()
        finally:
            if progress is not None:
                progress.end()
        news.now()

    def _unchecked(self, document: Document) -> Iterator[PlacedDump]:
        missing = [dump for dump in document.snapshot.dumps() if document.state(dump.piece).problems is None]
        if len(missing) < 2:
            return iter(missing)
        return iter(document.by_interest(missing))

    def _check_text(self, state: DumpState) -> None:
        try:
            self._engine.check_text(state)
        except Exception:
            _log.exception("checking a dump failed")
            state.problems = ()

    # Passes

    def _start_passes(self, document: Document) -> None:
        running = self._pass_tasks.get(document.uri)
        if running is not None and not running.done():
            running.cancel()
        task = asyncio.get_running_loop().create_task(self._run_passes(document))
        self._pass_tasks[document.uri] = task

    async def _run_passes(self, document: Document) -> None:
        text_task = self._text_tasks.get(document.uri)
        if text_task is not None and not text_task.done():
            await asyncio.wait([text_task])
        snapshot = document.snapshot
        pipelines = self._linker.pipelines_of(document)
        jobs = [texts for texts in self._pass_jobs(document, pipelines) if not self._engine.knows(texts)]
        news = _News(lambda: self._place_marks(document))
        progress = self._audience.begin_progress("Running passes") if len(jobs) > 2 else None
        try:
            for done, texts in enumerate(jobs):
                if document.snapshot is not snapshot:
                    break  # saving the new text runs what is missing
                await self._in_thread(self._run_job, texts)
                if progress is not None:
                    progress.report(done + 1, len(jobs))
                news.maybe()
        finally:
            if progress is not None:
                progress.end()
        news.now()

    def _pass_jobs(self, document: Document, pipelines: list[LinkedPipeline]) -> list[Texts]:
        # Pipelines first: their findings are what a linked dump is opened for.
        jobs = [linked.texts() for linked in pipelines]
        jobs += [(dump.piece.text,) for dump in document.dumps_by_interest()]
        others = {member.document.uri: member for linked in pipelines for member in linked.members}
        for uri, member in others.items():
            if uri != document.uri and member.document.is_open:
                jobs += [(dump.piece.text,) for dump in member.document.snapshot.dumps()]
        return list(dict.fromkeys(jobs))

    def _run_job(self, texts: Texts) -> None:
        try:
            self._engine.run_passes(texts)
        except Exception:
            _log.exception("running the passes failed")

    def _place_marks(self, document: Document) -> None:
        """Show what the passes found, in this document and in the open ones it is linked with."""
        documents = {document.uri: document}
        for linked in self._linker.pipelines_of(document):
            for member in linked.members:
                if member.document.is_open:
                    documents[member.document.uri] = member.document
        for one in documents.values():
            pipelines = self._linker.pipelines_of(one)
            if self._workspace.get(one.uri) is one and self._engine.place_marks(one, pipelines):
                self._audience.tell(one)

    async def _in_thread(self, work: Callable[[T], None], argument: T) -> None:
        await asyncio.get_running_loop().run_in_executor(self._pool, work, argument)

    def _cancel_timer(self, uri: str) -> None:
        timer = self._timers.pop(uri, None)
        if timer is not None:
            timer.cancel()


class _News:
    """Tells now and then, at growing intervals, because each telling repeats all that was told before."""

    def __init__(self, tell: Callable[[], None]) -> None:
        self._tell = tell
        self._interval = FIRST_NEWS
        self._next = time.perf_counter() + self._interval

    def maybe(self) -> None:
        if time.perf_counter() >= self._next:
            self.now()

    def now(self) -> None:
        self._tell()
        self._interval *= NEWS_FACTOR
        self._next = time.perf_counter() + self._interval
