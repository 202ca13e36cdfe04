"""Background checks of files of the workspace that are not open, one at a time."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial

from nirls.server.engine.checks.analyzers import AnalyzersBySettings
from nirls.server.engine.checks.check_scheduler import Job, check_text, run_passes
from nirls.server.engine.documents.linking import Linker
from nirls.server.engine.documents.text_document import Document
from nirls.server.engine.documents.workspace_files import WorkspaceFiles
from nirls.server.engine.settings.client_settings import WORKSPACE_DIAGNOSTICS

_WHAT = "files of the workspace"


class WorkspaceChecks:
    """Updates the findings of closed documents.

    Only changed files cost time: findings are cached by dump text, and texts by the modification time and
    size of their file. `on_change` is called after findings changed.
    """

    def __init__(
        self,
        files: WorkspaceFiles,
        linker: Linker,
        analyzers: AnalyzersBySettings,
        on_change: Callable[[], object],
    ) -> None:
        self._files = files
        self._linker = linker
        self._analyzers = analyzers
        self._on_change = on_change
        self._task: asyncio.Task[None] | None = None
        # Not the default executor of the loop, whose threads delay the exit of the server.
        self._lane = ThreadPoolExecutor(max_workers=1, thread_name_prefix="nirls-files")

    def poll(self) -> None:
        """Start checking the files unless a check is running."""
        if self._task is None or self._task.done():
            self._task = asyncio.get_running_loop().create_task(self._carry_out())

    def wants(self, document: Document) -> bool:
        """Whether the settings of a file enable its check."""
        return self._analyzers.settings.of(document.path).editor.is_on(WORKSPACE_DIAGNOSTICS)

    async def finished(self) -> None:
        """Wait until all files have been checked."""
        if self._task is not None:
            await asyncio.wait([self._task])

    def stop(self) -> None:
        """Cancel the check."""
        if self._task is not None:
            self._task.cancel()
        self._lane.shutdown(wait=False, cancel_futures=True)

    async def _carry_out(self) -> None:
        is_new = False
        async for document in self._files.closed_documents():
            if not self.wants(document):
                continue
            is_new |= await self._check(document)
        if is_new:
            self._on_change()

    async def _check(self, document: Document) -> bool:
        """Check one file; return True if there are new results."""
        done = 0
        for job in self._jobs(document):
            await asyncio.get_running_loop().run_in_executor(self._lane, job)
            done += 1
        is_new = self._analyzers.of(document).place_findings(document, self._linker.pipelines_of(document))
        if done:
            document.generation += 1
        return is_new or done > 0

    def _jobs(self, document: Document) -> Iterator[Job]:
        analyzer = self._analyzers.of(document)
        analyzed = analyzer.analyzed_dumps(document)
        for dump in document.snapshot.dumps():
            state = document.state(dump.piece)
            if state.problems is None:
                yield partial(check_text, analyzer, state, _WHAT)
            if dump.number in analyzed and not analyzer.has_findings((state.text,)):
                yield partial(run_passes, analyzer, (state.text,), _WHAT)
        for linked in self._linker.pipelines_of(document):
            if not analyzer.has_findings(linked.texts()):
                yield partial(run_passes, analyzer, linked.texts(), _WHAT)
