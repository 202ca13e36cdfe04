"""Histories of the shaders in logs, computed when a request first needs one, and cached by content."""

from __future__ import annotations

import asyncio
from functools import cache
from hashlib import blake2b

from nirls.server.engine.documents.document import Snapshot
from nirls.server.engine.documents.lru_cache import LruCache
from nirls.server.engine.documents.text_document import Document
from nirls.server.engine.timeline.timeline import ShaderTimeline
from nirls.server.ide.history.code_changes import CodeChange, code_change
from nirls.server.ide.history.value_history import ShaderHistory, shader_with
from nirls.server.lsp.answers.cursor import dump_asked_about
from nirls.server.lsp.answers.log_verifier import verifier_of
from nirls.server.lsp.answers.request_progress import Report, request_progress
from nirls.server.lsp.nirls_server import NirlsServer
from nirls.server.lsp.own_messages import DumpRequest

_MOST_INSTRUCTIONS = 2_000_000
"""Instructions whose matches are kept; each takes about 30 bytes."""
_LONGEST = 60.0
"""Time limit for matching two snapshots in seconds."""
_FEW = 4


class ShaderHistories:
    """Matches the successive snapshots of a shader in a worker process, one pair at a time."""

    def __init__(self, server: NirlsServer) -> None:
        self._server = server
        self._changes: LruCache[tuple[bytes, bytes], CodeChange] = LruCache(_MOST_INSTRUCTIONS)
        self._one_at_a_time = asyncio.Lock()
        self._running: dict[object, asyncio.Task[ShaderHistory | None]] = {}

    async def of(
        self, document: Document, dump: int, report: Report = lambda done, total: None
    ) -> ShaderHistory | None:
        """Return the history of the shader with a dump; None for an unknown dump.

        Raises JsonRpcContentModified if the text changes meanwhile.
        """
        snapshot = document.snapshot
        shader = await self.shader(document, dump)
        if shader is None:
            return None
        known = self.known(snapshot, shader)
        if known is not None:
            return known
        async with self._one_at_a_time:
            return await self._match(document, snapshot, shader, report)

    async def soon(self, document: Document, dump: int, seconds: float) -> ShaderHistory | None:
        """Return the history, or None after `seconds`; a later request finds the result."""
        key = id(document), document.snapshot.version, dump
        task = self._running.get(key)
        if task is None:
            task = self._running[key] = asyncio.create_task(self.of(document, dump))
            task.add_done_callback(lambda done: self._ended(key, done))
        done, _ = await asyncio.wait([task], timeout=seconds)
        return task.result() if done and not task.cancelled() and task.exception() is None else None

    def _ended(self, key: object, task: asyncio.Task[ShaderHistory | None]) -> None:
        del self._running[key]
        if not task.cancelled():
            task.exception()  # retrieved, so that asyncio does not log it

    async def shader(self, document: Document, dump: int) -> ShaderTimeline | None:
        """Return the timeline of the shader with a dump; None for an unknown dump."""
        read = await asyncio.to_thread(verifier_of(self._server).log, document, document.snapshot)
        return shader_with(read.shaders, dump)

    def known(self, snapshot: Snapshot, shader: ShaderTimeline) -> ShaderHistory | None:
        """Return the history of a shader if all its snapshots are matched."""
        changes: dict[tuple[int, int], CodeChange] = {}
        for pair in shader.pairs():
            change = self._changes.get(_key(snapshot, pair))
            if change is None:
                return None
            changes[pair] = change
        return ShaderHistory(shader, changes, lambda number: snapshot.dump(number).piece.text)

    async def _match(
        self, document: Document, snapshot: Snapshot, shader: ShaderTimeline, report: Report
    ) -> ShaderHistory:
        pairs = shader.pairs()
        changes: dict[tuple[int, int], CodeChange] = {}
        for done, pair in enumerate(pairs):
            self._server.require_text(document, snapshot)
            key = _key(snapshot, pair)
            change = self._changes.get(key)
            if change is None:
                texts = [snapshot.dump(number).piece.text for number in pair]
                change = await self._server.in_worker(_LONGEST, code_change, *texts)
                self._changes.put(key, change, len(change.origins) + 1)
            changes[pair] = change
            report(done + 1, len(pairs))
        return ShaderHistory(shader, changes, lambda number: snapshot.dump(number).piece.text)


def _key(snapshot: Snapshot, pair: tuple[int, int]) -> tuple[bytes, bytes]:
    before, after = (snapshot.dump(number).piece.text for number in pair)
    return blake2b(before, digest_size=16).digest(), blake2b(after, digest_size=16).digest()


@cache
def histories_of(server: NirlsServer) -> ShaderHistories:
    """Return the histories of a server, created on first use."""
    return ShaderHistories(server)


async def requested_history(
    server: NirlsServer, document: Document, params: DumpRequest
) -> tuple[int, ShaderHistory] | None:
    """Return what a request is about: the number of the `dump` (or that at `position`), and its history.

    Progress is reported to the `workDoneToken` of the request. None outside of dumps.
    """
    dump = dump_asked_about(document, params.dump, params.position)
    if dump is None:
        return None
    with request_progress(server, params.work_done_token, "Matching snapshots", "passes", few=_FEW) as report:
        history = await histories_of(server).of(document, dump.number, report)
    return None if history is None else (dump.number, history)
