"""Notices that documents are linked otherwise than before, when typing pauses."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable

from nirls.server.engine.linking import Linker
from nirls.server.engine.workspace import Document

PAUSE = 0.3
"""Seconds after a change of any document until links are looked at again."""


class LinkWatch:
    """Tells which open documents have other links than when it told last. `is_on` where anybody listens."""

    def __init__(
        self, documents: Iterable[Document], linker: Linker, tell: Callable[[list[str]], None]
    ) -> None:
        self._documents = documents
        self._linker = linker
        self._tell = tell
        self._timer: asyncio.TimerHandle | None = None
        self._known: dict[str, object] = {}
        self.is_on = False

    def something_changed(self) -> None:
        """A document was opened, edited or closed, or a file changed on disk."""
        if not self.is_on:
            return
        if self._timer is not None:
            self._timer.cancel()
        self._timer = asyncio.get_running_loop().call_later(PAUSE, self.look)

    def look(self) -> None:
        """Look now."""
        now = {document.uri: self._links_of(document) for document in self._documents}
        changed = [uri for uri, links in now.items() if self._known.get(uri) != links]
        self._known = now
        if changed:
            self._tell(changed)

    def _links_of(self, document: Document) -> object:
        return tuple(linked.pipeline for linked in self._linker.pipelines_of(document))
