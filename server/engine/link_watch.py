"""Debounced detection of changed links between documents."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable

from nirls.server.engine.linking import Linker
from nirls.server.engine.workspace import Document

PAUSE = 0.3
"""Debounce delay in seconds between a change of any document and the next comparison of links."""


class LinkWatch:
    """Reports the open documents whose links changed since the last report. Idle unless `is_on`."""

    def __init__(
        self, documents: Iterable[Document], linker: Linker, on_change: Callable[[list[str]], None]
    ) -> None:
        self._documents = documents
        self._linker = linker
        self._on_change = on_change
        self._timer: asyncio.TimerHandle | None = None
        self._known: dict[str, object] = {}
        self.is_on = False

    def schedule(self) -> None:
        """Schedule a comparison after a document was opened, edited or closed, or a file changed on disk."""
        if not self.is_on:
            return
        if self._timer is not None:
            self._timer.cancel()
        self._timer = asyncio.get_running_loop().call_later(PAUSE, self.compare)

    def compare(self) -> None:
        """Compare the links now and report changes."""
        now = {document.uri: self._links_of(document) for document in self._documents}
        changed = [uri for uri, links in now.items() if self._known.get(uri) != links]
        self._known = now
        if changed:
            self._on_change(changed)

    def _links_of(self, document: Document) -> object:
        return tuple(linked.pipeline for linked in self._linker.pipelines_of(document))
