"""Workspace folders of the client, and the dump files in them that are not open."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import AsyncIterator, Iterable, Mapping
from pathlib import Path

from nirls.server.engine.documents.text_document import Document
from nirls.server.engine.documents.workspace import Workspace, path_of

MOST_FILES = 1000
"""Limit on the number of dump files of all folders."""

LARGEST_FILE = 1 << 20
"""Size limit in bytes; larger files are checked only when opened."""

_MOST_ENTRIES = 50_000
_LISTED_FOR = 30.0
_SKIPPED = frozenset({"node_modules", "__pycache__"})
_ENDING = ".nir"


class WorkspaceFiles:
    """`*.nir` files below the workspace folders, except in hidden and symbolically linked folders."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._folders: dict[str, Path] = {}
        self._listed: tuple[float, list[Path]] | None = None

    @property
    def folders_by_uri(self) -> Mapping[str, Path]:
        """Local workspace folders by the client's URIs."""
        return self._folders

    @property
    def folders(self) -> tuple[Path, ...]:
        """Local workspace folders."""
        return tuple(self._folders.values())

    def add_folders(self, uris: Iterable[str]) -> None:
        """Add opened folders; URIs other than `file:` are ignored."""
        for uri in uris:
            path = path_of(uri)
            if path is not None:
                self._folders[uri] = path
        self.invalidate()

    def remove_folders(self, uris: Iterable[str]) -> None:
        """Remove closed folders."""
        for uri in uris:
            self._folders.pop(uri, None)
        self.invalidate()

    def invalidate(self) -> None:
        """Invalidate the file list after files or folders were created or deleted."""
        self._listed = None
        self._workspace.folders = self.folders

    def holds(self, path: Path) -> bool:
        """Whether a resolved path lies in a workspace folder."""
        return any(path.is_relative_to(folder.resolve()) for folder in self._folders.values())

    async def closed_documents(self) -> AsyncIterator[Document]:
        """Yield the files with dumps that are not open, in the order of their paths.

        Control returns to the event loop between two files.
        """
        for path in await self._paths():
            if any(document.path == path for document in self._workspace):
                continue
            document = self._workspace.partner(path, LARGEST_FILE)
            if document is not None and document.snapshot.dumps():
                yield document
            await asyncio.sleep(0)

    async def _paths(self) -> list[Path]:
        now = time.monotonic()
        if self._listed is None or now - self._listed[0] > _LISTED_FOR:
            folders = self.folders
            found = await asyncio.to_thread(_dump_files, folders)
            if folders != self.folders:
                return await self._paths()
            self._listed = (now, sorted(found))
        return self._listed[1]


def _dump_files(folders: Iterable[Path]) -> set[Path]:
    found: set[Path] = set()
    entries = 0
    for folder in folders:
        for directory, below, names in os.walk(folder):
            below[:] = sorted(name for name in below if name not in _SKIPPED and not name.startswith("."))
            entries += len(names) + len(below)
            for name in names:
                if name.endswith(_ENDING):
                    found.add(Path(directory, name))
                    if len(found) >= MOST_FILES:
                        return found
            if entries > _MOST_ENTRIES:
                return found
    return found
