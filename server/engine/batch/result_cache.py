"""Content-addressed result cache in the user's cache folder.

An entry is one JSON file with a checksum. Entries that were deleted, truncated or overwritten are treated as
missing.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
import time
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from cattrs.preconf.json import JsonConverter, make_converter
from platformdirs import user_cache_path

LARGEST = 512 << 20
"""Size limit in bytes; after a run, least recently used entries are deleted down to it."""

OLDEST = 30 * 24 * 3600
"""Seconds without use after which an entry is deleted."""

_BLOCK = 4096
_HALF_WRITTEN = "."
_WRITING = 3600


class _Entry(NamedTuple):
    used: float
    size: int
    path: Path


class ResultCache:
    """Results of units by `Unit.key`. An unusable folder behaves like an empty cache; nothing is raised."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @classmethod
    def of_user(cls) -> ResultCache | None:
        """Cache shared by all runs of this user; None for a user without a home folder."""
        try:
            folder = user_cache_path("nirls") / "check"
        except RuntimeError:
            return None
        # Older platformdirs return a relative path; the current folder may belong to another user.
        return cls(folder) if folder.is_absolute() else None

    def get(self, key: str, type_: Any) -> Any:
        """Return the cached result of type `type_`; None if it is missing or cannot be read."""
        path = self._path(key)
        try:
            checksum, _, payload = path.read_bytes().partition(b"\n")
            if hashlib.sha256(payload).hexdigest().encode() != checksum:
                return None
            found = _converter().loads(payload.decode("utf-8"), type_)
        except (OSError, ValueError, TypeError, KeyError, ExceptionGroup, RecursionError):
            return None
        with suppress(OSError):
            os.utime(path)
        return found

    def put(self, key: str, found: object) -> None:
        """Store a result atomically."""
        payload = _converter().dumps(found, ensure_ascii=False).encode("utf-8", "surrogatepass")
        path = self._path(key)
        with suppress(OSError):
            path.parent.mkdir(parents=True, exist_ok=True)
            with tempfile.NamedTemporaryFile(dir=path.parent, prefix=_HALF_WRITTEN, delete=False) as file:
                try:
                    file.write(hashlib.sha256(payload).hexdigest().encode() + b"\n" + payload)
                    file.close()
                    os.replace(file.name, path)
                except BaseException:  # disk full, or KeyboardInterrupt
                    os.unlink(file.name)
                    raise

    def shrink(self, largest: int = LARGEST, oldest: float = OLDEST) -> None:
        """Delete entries unused for `oldest` seconds, then the least recently used down to `largest` bytes.

        Safe while other runs use the cache.
        """
        now = time.time()
        entries = sorted(self._entries())
        left = sum(entry.size for entry in entries)
        for entry in entries:
            is_wanted = now - entry.used < (_WRITING if entry.path.name.startswith(_HALF_WRITTEN) else oldest)
            if is_wanted and left <= largest:
                continue
            with suppress(OSError):
                entry.path.unlink()
            left -= entry.size

    def clear(self) -> None:
        """Delete all entries."""
        self.shrink(-1, 0.0)

    def size(self) -> tuple[int, int]:
        """Number of entries, and their size on disk in bytes."""
        entries = self._entries()
        return len(entries), sum(entry.size for entry in entries)

    def _entries(self) -> list[_Entry]:
        found = []
        with suppress(OSError):
            for path in self.folder.glob("*/*"):
                with suppress(OSError):
                    status = path.stat()
                    blocks = -(-status.st_size // _BLOCK)
                    found.append(_Entry(status.st_mtime, blocks * _BLOCK, path))
        return found

    def _path(self, key: str) -> Path:
        return self.folder / key[:2] / key[2:]


@cache
def _converter() -> JsonConverter:
    converter = make_converter()
    converter.register_structure_hook_func(lambda type_: type_ is object, lambda value, _: value)
    return converter
