"""Results of earlier runs, by content, in the user's cache folder.

Every entry is a file that can be deleted, cut short or overwritten with anything at any time: one whose
checksum does not fit is as good as none. Entries are data (JSON), never code.
"""

from __future__ import annotations

import hashlib
import os
import sys
import tempfile
from collections.abc import Iterable
from contextlib import suppress
from functools import cache
from importlib import metadata
from pathlib import Path

from cattrs.preconf.json import JsonConverter, make_converter
from platformdirs import user_cache_path

from nirls.passes.registry import ENTRY_POINT_GROUP
from nirls.server.command_line.reported import Reported
from nirls.server.positions import Position, Range

LARGEST = 512 << 20
"""Bytes; when a run leaves more than this, the entries that were used longest ago go."""


class ResultCache:
    """Findings of units, by `Unit.key`. Nothing here raises for a folder that cannot be used."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @classmethod
    def of_user(cls) -> ResultCache:
        """The cache of this user, which all runs share."""
        return cls(user_cache_path("nirls") / "check")

    def get(self, key: str) -> list[Reported] | None:
        """The findings that were put there, None if there are none, or none that can be trusted."""
        path = self._path(key)
        try:
            checksum, _, payload = path.read_bytes().partition(b"\n")
            if hashlib.sha256(payload).hexdigest().encode() != checksum:
                return None
            found = _converter().loads(payload.decode("utf-8"), list[Reported])
        except (OSError, ValueError, TypeError, KeyError, ExceptionGroup):
            return None
        with suppress(OSError):
            os.utime(path)
        return found

    def put(self, key: str, found: Iterable[Reported]) -> None:
        """Keep findings. A reader sees the whole entry or none."""
        payload = _converter().dumps(list(found), ensure_ascii=False).encode("utf-8", "surrogatepass")
        path = self._path(key)
        with suppress(OSError):
            path.parent.mkdir(parents=True, exist_ok=True)
            with tempfile.NamedTemporaryFile(dir=path.parent, prefix=".", delete=False) as file:
                file.write(hashlib.sha256(payload).hexdigest().encode() + b"\n" + payload)
            os.replace(file.name, path)

    def shrink(self, largest: int = LARGEST) -> None:
        """Delete what was used longest ago until at most `largest` bytes are left."""
        entries = []
        with suppress(OSError):
            for path in self.folder.glob("*/*"):
                with suppress(OSError):
                    status = path.stat()
                    entries.append((status.st_mtime, status.st_size, path))
        total = sum(size for _, size, _ in entries)
        for _, size, path in sorted(entries):
            if total <= largest:
                return
            with suppress(OSError):
                path.unlink()
                total -= size

    def _path(self, key: str) -> Path:
        return self.folder / key[:2] / key[2:]


@cache
def program_version() -> str:
    """What results depend on besides their input: the code of nirls, and the packages that add passes."""
    root = Path(__file__).resolve().parents[2]
    folders = [root, root.parent / "ir", root.parent / "passes"]
    digest = hashlib.sha256()
    files = sorted(file for folder in folders for file in folder.rglob("*.py"))
    # A program without its sources, as it is bundled with an editor, is one file.
    for path in files or [Path(sys.executable)]:
        status = path.stat()
        digest.update(f"{path} {status.st_size} {status.st_mtime_ns}\n".encode())
    for entry in metadata.entry_points(group=ENTRY_POINT_GROUP):
        version = entry.dist.version if entry.dist else ""
        digest.update(f"{entry.name} {entry.value} {version}\n".encode())
    return digest.hexdigest()


@cache
def _converter() -> JsonConverter:
    converter = make_converter()
    converter.register_structure_hook_func(lambda type_: type_ is object, lambda value, _: value)
    converter.register_structure_hook(Range, lambda value, _: Range(Position(*value[0]), Position(*value[1])))
    return converter
