"""Open documents, and the files that are linked with them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final
from urllib.parse import unquote, urlsplit

from nirls.server.engine.documents.document import PlacedDump
from nirls.server.engine.documents.dump_state import DumpStore
from nirls.server.engine.documents.file_text import decode_file
from nirls.server.engine.documents.text_document import Document, to_bytes

_DRIVE: Final = re.compile(r"/[a-zA-Z]:")


class Workspace:
    """All open documents by URI, and the files read because an open document is linked with them.

    `folders` are the workspace folders of the client.
    """

    def __init__(self) -> None:
        self.store = DumpStore()
        self.documents: dict[str, Document] = {}
        self.folders: tuple[Path, ...] = ()
        self._partners: dict[Path, tuple[tuple[int, int], Document]] = {}
        self._wanted_by: dict[str, set[Path]] = {}

    def open(self, uri: str, text: str, version: int) -> Document:
        """Add a document, replacing one of the same URI."""
        document = self.opened(uri, text, version)
        self.put(document)
        return document

    def opened(self, uri: str, text: str, version: int) -> Document:
        """Make a document, for `put`, and find the pipelines in it; any thread may do that."""
        document = Document(uri, to_bytes(text), version, self.store, path_of(uri))
        _ = document.linkable().sequences
        return document

    def put(self, document: Document) -> None:
        """Add a document, replacing one of the same URI."""
        self.documents[document.uri] = document

    def add(self, name: str, text: bytes, path: Path | None, *, is_open: bool) -> Document:
        """Add a file of a command or API call under its name."""
        version = 0 if is_open else None
        document = self.documents[name] = Document(name, text, version, self.store, path)
        return document

    def close(self, uri: str) -> None:
        """Remove a document, if present, and the files that were read only for it."""
        closed = self.documents.pop(uri, None)
        self._wanted_by.pop(uri, None)
        unwanted = self._partners.keys() - set().union(*self._wanted_by.values())
        for document in (closed, *(self._partners.pop(path)[1] for path in unwanted)):
            if document is not None:
                self.store.removed(piece.text for piece in document.snapshot.dump_pieces())

    def get(self, uri: str) -> Document | None:
        return self.documents.get(uri)

    def may_read(self, path: Path, project: Path | None = None) -> bool:
        """Whether a file that is not open may be read: symbolic links must not lead out of the workspace.

        Allowed places are workspace folders and the folders of open files. Without workspace folders,
        `project`, the folder of the `nirls.toml` that names the file, is also allowed. Raises OSError, and
        RuntimeError for circular links.
        """
        real = path.resolve()
        below = self.folders or (() if project is None else (project,))
        beside = [document.path.parent for document in self.documents.values() if document.path is not None]
        # Unresolved folders first: links in the path of a folder are rare, and resolving them is slower.
        return any(
            real.is_relative_to(follow(folder)) for follow in (Path, Path.resolve) for folder in below
        ) or any(real.parent == follow(folder) for follow in (Path, Path.resolve) for folder in beside)

    def is_partner_file(self, path: Path, largest: int, project: Path | None = None) -> bool:
        """Whether a path is a readable file of at most `largest` bytes, see `may_read`."""
        try:
            is_small = path.is_file() and path.stat().st_size <= largest
            return is_small and self.may_read(path, project)
        except (OSError, ValueError, RuntimeError):
            return False

    def partner(
        self, path: Path, largest: int, project: Path | None = None, wanted_by: str = ""
    ) -> Document | None:
        """Return the document of a file that is not open; it is reread after changes on disk.

        It is kept while the document `wanted_by` is open, for ever if that is "" (the workspace). None if it
        is absent, larger than `largest` bytes, or must not be read, see `may_read`.
        """
        try:
            if not self.is_partner_file(path, largest, project):
                return None
            status = path.stat()
            stamp = (status.st_mtime_ns, status.st_size)
            known = self._partners.get(path)
            if known is None or known[0] != stamp:
                # Decode like an editor, so that positions match also for invalid UTF-8.
                text = decode_file(path.read_bytes())[0].decode("utf-8", "replace").encode("utf-8")
                known = self._partners[path] = (stamp, Document(path.as_uri(), text, None, self.store, path))
            if not wanted_by or wanted_by in self.documents:
                self._wanted_by.setdefault(wanted_by, set()).add(path)
        except (OSError, ValueError, RuntimeError):
            return None
        return known[1]

    def now(self, document: Document, dump: PlacedDump) -> tuple[Document, PlacedDump] | None:
        """Find the current place of a dump; None if its text changed or it was removed."""
        if document.is_open or document.path is None or document.uri in self.documents:
            current = self.documents.get(document.uri)
        else:
            current = self.partner(document.path, max(len(document.snapshot), 1), wanted_by=document.uri)
        place = None if current is None else current.place_of_slot(dump.piece.slot)
        if current is None or place is None or place.piece.text != dump.piece.text:
            return None
        return current, place

    def slot(self, slot: int) -> tuple[Document, PlacedDump] | None:
        """Find the document and place of the dump with a slot."""
        for document in self.held():
            place = document.place_of_slot(slot)
            if place is not None:
                return document, place
        return None

    def held(self) -> list[Document]:
        """All documents in memory: the open ones, and the files read for them."""
        return [*self.documents.values(), *(document for _, document in list(self._partners.values()))]

    def __iter__(self) -> Iterator[Document]:
        return iter(list(self.documents.values()))


def path_of(uri: str) -> Path | None:
    """Path of a `file:` URI; None for other schemes."""
    if not uri.startswith("file:"):
        return None
    try:
        parts = urlsplit(uri)
    except ValueError:
        return None
    path = unquote(parts.path)
    if parts.netloc and path:  # a Windows share
        return Path(f"//{parts.netloc}{path}")
    # `/c:/folder` of a Windows drive
    return Path(path[1].lower() + path[2:] if _DRIVE.match(path) else path)
