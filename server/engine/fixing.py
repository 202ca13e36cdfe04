"""Edits of fixes and of whole passes: made in the worker process, placed in the text as it is afterwards.

A fix runs a pass and then the evaluator on many inputs, which takes seconds; meanwhile the event loop goes
on answering. What comes back is placed only if the dumps it is for still have the text it was made for.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import TypeVar

from nirls.passes.declaration import Pass
from nirls.server.engine.document import PlacedDump
from nirls.server.engine.engine import DumpEdits, Engine, Texts
from nirls.server.engine.linking import LinkedDump
from nirls.server.engine.time_limit import OutOfTimeError, TimeLimit
from nirls.server.engine.worker.job import Cause, JobFailedError
from nirls.server.engine.worker.process import Worker
from nirls.server.engine.workspace import Document, Workspace

_log = logging.getLogger(__name__)

LONGEST_FIX = 10.0
"""Seconds that one fix or pass may take, waiting for the one before it included."""

LONGEST_FIX_ALL = 60.0
"""Seconds for all fixes of a document."""

GRACE = 5.0
"""Seconds that a worker has to start, and to end a job that is out of time, before it is taken away."""

Members = Sequence[LinkedDump]
ResultT = TypeVar("ResultT")


class FixError(Exception):
    """No edits were made; the message says why."""


class FixTooSlowError(FixError):
    """The fix took too long."""


class FixFailedError(FixError):
    """The pass of the fix raised an exception or ended its process."""


class TextChangedError(FixError):
    """A dump changed while its edits were made."""


@dataclass(frozen=True, slots=True)
class PlacedEdits:
    """The edits of one dump, and where it stands now."""

    document: Document
    dump: PlacedDump
    edits: DumpEdits


class Fixer:
    """Makes edits, one request after the other.

    Every method raises TextChangedError if a dump changed meanwhile, FixTooSlowError and FixFailedError.
    """

    def __init__(self, maker: Worker, workspace: Workspace, longest_fix: float = LONGEST_FIX) -> None:
        self._maker = maker
        self._workspace = workspace
        self._pool = _one_thread()
        self._at_work: TimeLimit | None = None
        self.longest_fix, self.grace = longest_fix, GRACE

    async def fix(
        self, engine: Engine, places: Sequence[Members], pass_name: str, key: str
    ) -> list[PlacedEdits]:
        """The edits of a fix, in the first of the places where a pass offers it; none if it does nowhere."""
        texts = [texts_of(members) for members in places]

        def work(limit: TimeLimit) -> tuple[int, list[DumpEdits]]:
            for number, linked in enumerate(texts):
                edits = engine.fix(linked, pass_name, key, limit)
                if edits:
                    return number, edits
            return 0, []

        number, edits = await self._elsewhere(work, self.longest_fix, f"the fix of {pass_name}")
        return self._placed(places[number], edits) if edits else []

    async def apply(self, engine: Engine, members: Members, declared: type[Pass]) -> list[PlacedEdits]:
        """The edits that run a pass."""
        work = partial(engine.apply_passes, texts_of(members), [declared])
        edits = await self._elsewhere(work, self.longest_fix, declared.name)
        return self._placed(members, edits)

    async def apply_all(
        self, engine: Engine, wanted: Sequence[tuple[Members, Sequence[type[Pass]]]]
    ) -> list[PlacedEdits]:
        """The edits that run on each group of linked dumps the passes wanted there.

        What could not be checked is left out, because nobody is asked.
        """
        jobs = [(texts_of(members), list(passes)) for members, passes in wanted]

        def work(limit: TimeLimit) -> list[list[DumpEdits]]:
            return [engine.apply_passes(texts, passes, limit) for texts, passes in jobs]

        made = await self._elsewhere(work, LONGEST_FIX_ALL, "fixing everything")
        placed: list[PlacedEdits] = []
        for (members, _), edits in zip(wanted, made, strict=True):
            placed += self._placed(members, [one for one in edits if not one.is_unchecked])
        return placed

    def stop(self) -> None:
        """Start nothing more."""
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
        # Whoever asks next must not wait for the thread of this one.
        self._pool.shutdown(wait=False)
        self._pool = _one_thread()

    def _placed(self, members: Members, made: Sequence[DumpEdits]) -> list[PlacedEdits]:
        """The edits in the text of now, if all linked dumps are as they were."""
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
