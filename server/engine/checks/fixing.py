"""Edits of fixes and of whole passes, computed in the worker process and placed in the current text.

A fix runs a pass and then the evaluator on many inputs, which takes seconds, so it runs off the event loop.
Its edits are placed only if the dumps still have the text for which they were computed.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import TypeVar

from nirls.ir.finding import FixRequest
from nirls.passes.declaration import Pass
from nirls.server.engine.base.timing import OutOfTimeError, TimeLimit
from nirls.server.engine.checks.analyzer import Analyzer, DumpEdits, Texts
from nirls.server.engine.checks.pass_jobs import import_makers
from nirls.server.engine.documents.document import PlacedDump
from nirls.server.engine.documents.linking import LinkedDump
from nirls.server.engine.documents.text_document import Document
from nirls.server.engine.documents.workspace import Workspace
from nirls.server.engine.worker.job import Cause, JobFailedError
from nirls.server.engine.worker.process import Worker

_log = logging.getLogger(__name__)

LONGEST_FIX = 10.0
"""Time limit of one fix or pass in seconds, including the wait for the previous one."""

LONGEST_FIX_ALL = 60.0
"""Time limit in seconds for all fixes of a document."""

LONGEST_FIX_ON_SAVE = 10.0
"""Time limit in seconds for all fixes of a document that an editor requests on save."""

GRACE = 5.0
"""Seconds allowed beyond the time limit for the worker to start or to end the job, before it is killed."""

Members = Sequence[LinkedDump]
ResultT = TypeVar("ResultT")


class FixError(Exception):
    """No edits were made; the message says why."""


class FixTooSlowError(FixError):
    """The fix took too long."""


class FixFailedError(FixError):
    """The pass of the fix raised an exception or ended its process."""


class TextChangedError(FixError):
    """A dump changed while its edits were computed."""


@dataclass(frozen=True, slots=True)
class PlacedEdits:
    """Edits of one dump, and its current place."""

    document: Document
    dump: PlacedDump
    edits: DumpEdits


@dataclass(frozen=True, slots=True)
class FixOffer:
    """Linked dumps that may offer a fix, and the request for it, with positions among them."""

    members: Members
    request: FixRequest


class Fixer:
    """Computes edits, one request at a time.

    Every request may raise FixTooSlowError, FixFailedError, and TextChangedError if a dump changed meanwhile.
    """

    def __init__(self, maker: Worker, workspace: Workspace, longest_fix: float = LONGEST_FIX) -> None:
        self._maker = maker
        self._workspace = workspace
        self._pool = _one_thread()
        self._at_work: TimeLimit | None = None
        self.longest_fix, self.grace = longest_fix, GRACE
        self._is_prepared = False

    def prepare(self) -> None:
        """Let the worker import what fixes need, which takes a second: the first fix need not wait for it."""
        if self._is_prepared:
            return
        self._is_prepared = True

        def begin() -> None:
            # If the worker fails, the first fix says why.
            with suppress(JobFailedError):
                self._maker.call(None, import_makers)

        self._pool.submit(begin)

    async def fix(self, analyzer: Analyzer, offers: Sequence[FixOffer]) -> list[PlacedEdits]:
        """Compute the edits of a fix in the first linked dumps that offer it; empty if none do."""
        asked = [(texts_of(offer.members), offer.request) for offer in offers]

        def work(limit: TimeLimit) -> tuple[int, list[DumpEdits]]:
            for number, (texts, request) in enumerate(asked):
                edits = analyzer.fix(texts, request, limit)
                if edits:
                    return number, edits
            return 0, []

        what = f"the fix of {', '.join({request.pass_name for _, request in asked})}"
        number, edits = await self._elsewhere(work, self.longest_fix, what)
        return self._placed(offers[number].members, edits) if edits else []

    async def apply(
        self,
        analyzer: Analyzer,
        members: Members,
        passes: Sequence[type[Pass]],
        seconds: float | None = None,
    ) -> list[PlacedEdits]:
        """Compute the edits of running passes in order; `longest_fix` is the default of `seconds`."""
        work = partial(analyzer.apply_passes, texts_of(members), list(passes))
        names = ", ".join(declared.name for declared in passes)
        edits = await self._elsewhere(work, self.longest_fix if seconds is None else seconds, names)
        return self._placed(members, edits)

    async def fix_all(
        self,
        analyzer: Analyzer,
        document: Document,
        groups: Sequence[Members],
        seconds: float,
        *,
        whole_pipeline: bool,
    ) -> list[PlacedEdits]:
        """Compute the edits of all verified fixes in groups of linked dumps.

        Without `whole_pipeline`, only fixes that change no other document. A dump in two groups is edited
        once; the next check reports what remains for the other.
        """
        allowed, edited = document.allowed_in_file(), set[int]()
        jobs = []
        for members in groups:
            own = frozenset(
                number
                for number, member in enumerate(members)
                if (whole_pipeline or member.document is document) and member.dump.piece.slot not in edited
            )
            jobs.append((members, texts_of(members), own))
            edited.update(members[number].dump.piece.slot for number in own)

        def work(limit: TimeLimit) -> list[list[DumpEdits]]:
            return [analyzer.fix_all(texts, own, allowed, limit) if own else [] for _, texts, own in jobs]

        made = await self._elsewhere(work, seconds, "fixing everything")
        placed: list[PlacedEdits] = []
        for (members, *_), edits in zip(jobs, made, strict=True):
            placed += self._placed(members, edits) if edits else []
        return placed

    def stop(self) -> None:
        """Shut down; no further jobs are started."""
        self._pool.shutdown(wait=False, cancel_futures=True)

    async def _elsewhere(self, work: Callable[[TimeLimit], ResultT], seconds: float, what: str) -> ResultT:
        limit = TimeLimit(seconds)

        def begin() -> ResultT:
            self._at_work = limit
            try:
                return work(limit)
            finally:
                if self._at_work is limit:
                    self._at_work = None

        loop = asyncio.get_running_loop()
        try:
            return await asyncio.wait_for(loop.run_in_executor(self._pool, begin), seconds + self.grace)
        except (OutOfTimeError, TimeoutError):
            self._abandon(limit)
            raise _too_slow(what, seconds) from None
        except JobFailedError as error:
            if error.cause is Cause.TIME:
                raise _too_slow(what, seconds) from None
            raise FixFailedError(f"{what}: {error}") from None
        except asyncio.CancelledError:
            self._abandon(limit)
            raise

    def _abandon(self, limit: TimeLimit) -> None:
        limit.give_up()
        if self._at_work is limit:
            self._maker.end_job()
        # The next request must not wait for the thread of this one.
        self._pool.shutdown(wait=False)
        self._pool = _one_thread()

    def _placed(self, members: Members, made: Sequence[DumpEdits]) -> list[PlacedEdits]:
        """Place edits in the current text; raise TextChangedError if any linked dump changed."""
        now: dict[bytes, PlacedEdits] = {}
        edits_of = {edits.text: edits for edits in made}
        for member in members:
            text = member.dump.piece.text
            place = self._workspace.now(member.document, member.dump)
            if place is None:
                raise TextChangedError(f"{member.document.uri} changed while the edit was made")
            if text in edits_of:
                now.setdefault(text, PlacedEdits(*place, edits_of[text]))
        return list(now.values())


def texts_of(members: Members) -> Texts:
    """The texts of linked dumps."""
    return tuple(member.dump.piece.text for member in members)


def _too_slow(what: str, seconds: float) -> FixTooSlowError:
    message = f"{what} takes longer than {seconds:g} s and was given up"
    _log.warning(message)
    return FixTooSlowError(message)


def _one_thread() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(max_workers=1, thread_name_prefix="nirls-fixes")
