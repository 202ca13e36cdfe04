"""The folders that a client works in, and the dumps in them that it has not open."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import AsyncIterator, Iterable, Mapping
from pathlib import Path

from nirls.server.engine.workspace import Document, Workspace, path_of

MOST_FILES = 1000
"""Files of all folders that are looked at; the workspace of a driver developer has thousands of others."""

LARGEST_FILE = 1 << 20
"""Bytes; larger dumps are looked at when somebody opens them."""

_MOST_ENTRIES = 50_000
_LISTED_FOR = 30.0
_SKIPPED = frozenset({"node_modules", "__pycache__"})
_ENDING = ".nir"


class WorkspaceFiles:
    """The `*.nir` files below the workspace folders. Hidden folders are left out, as are links to folders."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._folders: dict[str, Path] = {}
        self._listed: tuple[float, list[Path]] | None = None

    @property
    def folders_by_uri(self) -> Mapping[str, Path]:
        """The same by the URIs that the client has for them."""
        return self._folders

    @property
    def folders(self) -> tuple[Path, ...]:
        """The workspace folders that are folders of this machine."""
        return tuple(self._folders.values())

    def add_folders(self, uris: Iterable[str]) -> None:
        """Folders were opened. Those that are no files are of no use here."""
        for uri in uris:
            path = path_of(uri)
            if path is not None:
                self._folders[uri] = path
        self.something_changed()

    def remove_folders(self, uris: Iterable[str]) -> None:
        """Folders were closed."""
        for uri in uris:
            self._folders.pop(uri, None)
        self.something_changed()

    def something_changed(self) -> None:
        """Files or folders came or went: the folders are walked again when somebody asks."""
        self._listed = None
        self._workspace.folders = self.folders

    def holds(self, path: Path) -> bool:
        """Whether a path, which has no links in it, lies in a workspace folder."""
        return any(path.is_relative_to(folder.resolve()) for folder in self._folders.values())

    async def closed_documents(self) -> AsyncIterator[Document]:
        """The dumps below the folders that are not open, in the order of their paths.

        Between two files, others have their turn.
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
