"""Checks of the dumps that are not open: in the background, one after the other, when a client wants them."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial

from nirls.server.dump_state import DumpState
from nirls.server.engine import Engine, Texts
from nirls.server.linking import Linker
from nirls.server.workspace import Document
from nirls.server.workspace_files import WorkspaceFiles

_log = logging.getLogger(__name__)

Job = Callable[[], None]


class WorkspaceChecks:
    """Brings the findings of closed documents up to date.

    Only what changed since costs anything: findings are kept by the text of a dump, and texts by the time
    and size of their file. `tell` is called when something new was found.
    """

    def __init__(
        self, files: WorkspaceFiles, linker: Linker, engine: Engine, tell: Callable[[], object]
    ) -> None:
        self._files = files
        self._linker = linker
        self._engine = engine
        self._tell = tell
        self._task: asyncio.Task[None] | None = None
        # Not the loop's own threads: the server's end waits for those.
        self._lane = ThreadPoolExecutor(max_workers=1, thread_name_prefix="nirls-files")

    def look(self) -> None:
        """Look at the files now, unless that is going on."""
        if self._task is None or self._task.done():
            self._task = asyncio.get_running_loop().create_task(self._carry_out())

    async def finished(self) -> None:
        """Wait until all files have been looked at."""
        if self._task is not None:
            await asyncio.wait([self._task])

    def stop(self) -> None:
        """Look at no more files."""
        if self._task is not None:
            self._task.cancel()
        self._lane.shutdown(wait=False, cancel_futures=True)

    async def _carry_out(self) -> None:
        is_new = False
        async for document in self._files.closed_documents():
            is_new |= await self._check(document)
        if is_new:
            self._tell()

    async def _check(self, document: Document) -> bool:
        """Check one file; True if anything about it is new."""
        done = 0
        for job in self._jobs(document):
            await asyncio.get_running_loop().run_in_executor(self._lane, job)
            done += 1
        is_new = self._engine.place_marks(document, self._linker.pipelines_of(document))
        if done:
            document.generation += 1
        return is_new or done > 0

    def _jobs(self, document: Document) -> Iterator[Job]:
        engine = self._engine
        for dump in document.snapshot.dumps():
            state = document.state(dump.piece)
            if state.problems is None:
                yield partial(self._check_text, state)
            if not engine.knows((state.text,)):
                yield partial(self._run_passes, (state.text,))
        for linked in self._linker.pipelines_of(document):
            if not engine.knows(linked.texts()):
                yield partial(self._run_passes, linked.texts())

    # What fails once would fail again at each look.

    def _check_text(self, state: DumpState) -> None:
        try:
            self._engine.check_text(state)
        except Exception:
            _log.exception("checking a file of the workspace failed")
            state.problems = ()

    def _run_passes(self, texts: Texts) -> None:
        try:
            self._engine.run_passes(texts)
        except Exception:
            _log.exception("running the passes on files of the workspace failed")
            self._engine.give_up(texts)
