"""Code lenses above the instructions of the last snapshot of a shader: the pass that changed them last.

They are for the shaders nearest to the visible lines, and computed in the background: the client is asked to
refresh its lenses when they are known.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import groupby
from weakref import WeakKeyDictionary

from lsprotocol import types
from pygls.exceptions import JsonRpcContentModified

from nirls.server.engine.documents.document import Snapshot
from nirls.server.engine.documents.text_document import Document
from nirls.server.engine.settings.client_settings import BLAME_LENSES
from nirls.server.engine.worker.job import JobFailedError
from nirls.server.ide.history.value_history import BlamedLine
from nirls.server.lsp.answers.log_verifier import verifier_of
from nirls.server.lsp.answers.shader_histories import histories_of
from nirls.server.lsp.nirls_server import NirlsServer

SHOW_TIMELINE = "nirls.showTimeline"
"""Client command that shows a pass in the timeline. Arguments: URI, dump number."""

_MOST_SHADERS = 4

_started: WeakKeyDictionary[Document, tuple[Snapshot, set[int]]] = WeakKeyDictionary()
"""Dumps whose histories were started, for the last snapshot of a document that had lenses.

No history is started twice: the client requests lenses again at each refresh, so that a history that fails or
is too large for the cache would be computed without end.
"""


async def blame_lenses(server: NirlsServer, document: Document) -> list[types.CodeLens]:
    """Return the lenses that are known, and start to compute the others.

    Raises JsonRpcContentModified if the text changes meanwhile.
    """
    if not server.editor_settings(document).is_on(BLAME_LENSES):
        return []
    snapshot, histories = document.snapshot, histories_of(server)
    log = await asyncio.to_thread(verifier_of(server).log, document, snapshot)
    server.require_text(document, snapshot)
    last = {shader.last_dump: shader for shader in log.shaders}
    nearest = [dump.number for dump in document.dumps_by_interest() if dump.number in last][:_MOST_SHADERS]
    found: list[types.CodeLens] = []
    missing: list[int] = []
    for number in nearest:
        history = histories.known(snapshot, last[number])
        if history is None:
            missing.append(number)
        else:
            found += _lenses(server, document, number, history.blame(number))
    if server.client.refreshes_lenses and (new := _not_started(document, missing)):
        server.start(_compute(server, document, new))
    return found


def _not_started(document: Document, dumps: Sequence[int]) -> list[int]:
    """Return the dumps whose histories were not started yet, and note them as started."""
    snapshot, started = _started.get(document, (None, set[int]()))
    if snapshot is not document.snapshot:
        started = set()
        _started[document] = document.snapshot, started
    new = [number for number in dumps if number not in started]
    started.update(new)
    return new


async def _compute(server: NirlsServer, document: Document, dumps: Sequence[int]) -> None:
    """Compute the histories of the shaders with some dumps, and have the lenses refreshed after each.

    A history that fails is skipped; a change of the text ends the computation.
    """
    snapshot = document.snapshot
    with suppress(JsonRpcContentModified):
        for number in dumps:
            with suppress(JobFailedError):
                server.require_text(document, snapshot)
                await histories_of(server).of(document, number)
                server.workspace_code_lens_refresh(None)


def _lenses(
    server: NirlsServer, document: Document, dump: int, lines: Sequence[BlamedLine]
) -> Iterator[types.CodeLens]:
    """Yield a lens above each run of instructions that the same pass changed last."""
    first_line = document.snapshot.first_line(dump)
    for (step, event), run in groupby(lines, lambda one: (one.step, one.event)):
        start = next(run)
        place = types.Position(first_line + start.line, 0)
        title = f"{event.summary} {step.label} (pass {step.number})"
        shows = SHOW_TIMELINE if SHOW_TIMELINE in server.client.commands else ""
        arguments = [document.uri, step.dump] if shows else None
        yield types.CodeLens(types.Range(place, place), types.Command(title, shows, arguments=arguments))
