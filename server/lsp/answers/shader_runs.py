"""Runs of dumps whose values are shown: which dumps, and their results, computed in a worker process."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Final
from weakref import WeakKeyDictionary

from nirls.server.engine.documents.document import PlacedDump
from nirls.server.engine.documents.results_by_content import DumpTexts, Options, ResultsByContent
from nirls.server.engine.documents.text_document import Document
from nirls.server.engine.worker.job import JobFailedError
from nirls.server.ide.run_view import RunChoice, ShaderRun
from nirls.server.lsp.nirls_server import NirlsServer

LONGEST: Final = 10.0
"""Time limit of a run in seconds, with the start of the process."""

PAUSE: Final = 0.25
"""Seconds without an edit before a run starts."""


Lines = tuple[tuple[int, int], ...]
"""The first and last lines of blocks, from the first line of the dump."""


@dataclass(frozen=True, slots=True)
class IdleBlocks:
    """The blocks of a text that were not run."""

    text: bytes
    lines: Lines


class ShaderRuns:
    """The dumps of documents that are run, and the results by content.

    A choice belongs to the slot of a dump, so that it stays while the text is edited.
    """

    def __init__(self, server: NirlsServer) -> None:
        self._server = server
        self._choices: WeakKeyDictionary[Document, dict[int, RunChoice]] = WeakKeyDictionary()
        self._idle: WeakKeyDictionary[Document, dict[int, IdleBlocks]] = WeakKeyDictionary()
        self._results: ResultsByContent[ShaderRun] = ResultsByContent(self._run)

    def choice(self, document: Document, dump: PlacedDump) -> RunChoice | None:
        """Return what of a dump is shown; None if it is not run."""
        return self._choices.get(document, {}).get(dump.piece.slot)

    def choose(self, document: Document, dump: PlacedDump, choice: RunChoice | None) -> None:
        """Show the values of a dump, or hide them."""
        choices = self._choices.setdefault(document, {})
        if choice is None:
            choices.pop(dump.piece.slot, None)
            self._fade(document, dump, ())
        else:
            choices[dump.piece.slot] = choice
        self._refresh()

    async def of(self, document: Document, dump: PlacedDump, patience: float = LONGEST) -> ShaderRun | None:
        """Return the run of a dump; None if it is not run, or takes longer than `patience`.

        When the result comes later, the client is asked to request hints and lenses again.
        """
        choice = self.choice(document, dump)
        if choice is None:
            return None
        texts: tuple[bytes, ...] = (dump.piece.text,)
        position = 0
        linked = self._server.places_in_pipelines(document, dump) if choice.linked else []
        if linked:
            pipeline, position = linked[0]
            texts = pipeline.linked_texts().dumps
        options: Options = {"position": position, "choice": choice}
        found = await self._results.soon(DumpTexts(texts), options, patience)
        run = found[0] if found else None
        if run is not None and self.choice(document, dump) == choice:
            self._fade(document, dump, run.idle)
        return run

    def has_idle_blocks(self, document: Document) -> bool:
        """Whether a shown run of the document left blocks out."""
        return bool(self._idle.get(document))

    def idle_blocks(self, document: Document, dump: PlacedDump) -> Lines:
        """Return the first and last lines of the blocks that the shown invocation of a dump did not run."""
        idle = self._idle.get(document, {}).get(dump.piece.slot)
        return idle.lines if idle is not None and idle.text == dump.piece.text else ()

    def _fade(self, document: Document, dump: PlacedDump, lines: Lines) -> None:
        """Keep the blocks of a dump that were not run, and send the diagnostics again if they are others."""
        idle = self._idle.setdefault(document, {})
        known = idle.pop(dump.piece.slot, IdleBlocks(b"", ()))
        if lines:
            idle[dump.piece.slot] = IdleBlocks(dump.piece.text, lines)
        if lines != known.lines or (lines and dump.piece.text != known.text):
            document.generation += 1
            self._server.start(self._server.announcer.publish(document))

    async def _run(self, texts: DumpTexts, options: Options) -> list[ShaderRun] | None:
        await asyncio.sleep(PAUSE)
        if not self._is_wanted(texts):
            return None
        # Imports numpy and the evaluator, which takes a second.
        job = await asyncio.to_thread(_job)
        position, choice = options["position"], options["choice"]
        assert isinstance(position, int)
        assert isinstance(choice, RunChoice)
        try:
            found = await self._server.in_worker(LONGEST, job, texts.dumps, position, choice)
        except JobFailedError as error:
            found = ShaderRun(problem=f"the run {error.cause.value}")
        self._refresh()
        return [found]

    def _is_wanted(self, texts: DumpTexts) -> bool:
        """Whether an open document still has one of the texts."""
        wanted = set(texts.dumps)
        return any(
            dump.piece.text in wanted for document in self._choices for dump in document.snapshot.dumps()
        )

    def _refresh(self) -> None:
        if self._server.client.refreshes_hints:
            self._server.workspace_inlay_hint_refresh(None)
        if self._server.client.refreshes_lenses:
            self._server.workspace_code_lens_refresh(None)


def _job() -> Callable[[tuple[bytes, ...], int, RunChoice], ShaderRun]:
    from nirls.server.ide.run_outcome import run_of_texts  # see above

    return run_of_texts


@cache
def runs_of(server: NirlsServer) -> ShaderRuns:
    """Return the runs of a server, created on first use."""
    return ShaderRuns(server)
