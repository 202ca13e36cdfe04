"""Atomic replacement of files: after a failure or a kill, each file has its old or its new content."""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
import signal
import stat
import threading
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

_ENDING: Final = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]
"""Signals that end the process by default."""


@dataclass(frozen=True, slots=True)
class FileReplacement:
    """New content of a file, in pieces that are written as they are made.

    `old` is the content that it was made from, None if that does not matter.
    """

    path: Path
    content: Iterable[bytes]
    old: bytes | None = None


class ReplacementError(Exception):
    """A file could not be replaced; none of the files given together with it was."""


def replace_files(replacements: Sequence[FileReplacement]) -> None:
    """Replace or create files: all of them, or none if one cannot be written.

    All contents are written and flushed to files beside their targets before the first target is renamed
    over, so a full disk or a size limit changes nothing. A failing rename restores the targets before it.
    In the main thread, where commands run, SIGINT, SIGTERM and SIGHUP wait until the backups are removed;
    SIGKILL, a crash or a power failure between two renames can leave a group half replaced. Each file is
    then still complete.

    Symbolic links stay links: their target is replaced. Permissions, owner and extended attributes are
    kept. Other hard links to a file keep the old content. Devices and pipes are written directly. Raises
    ReplacementError.
    """
    with contextlib.ExitStack() as undo:
        prepared = [_Prepared.of(replacement, undo) for replacement in replacements]
        with _signals_deferred():
            for one in prepared:
                one.commit(undo)
            undo.pop_all()
            for one in prepared:
                one.clean_up()


@dataclass(frozen=True, slots=True)
class _Prepared:
    """A replacement whose content is on the disk, in `new`; None for a device, which is written directly."""

    named: Path
    target: Path
    content: Iterable[bytes]
    new: Path | None
    backup: Path

    @classmethod
    def of(cls, replacement: FileReplacement, undo: contextlib.ExitStack) -> _Prepared:
        named = replacement.path
        with _reported(named):
            target = named.resolve()
            backup = _beside(target)
            if target.exists() and not target.is_file() and not target.is_dir():
                return cls(named, target, replacement.content, None, backup)
            _refuse_unsafe(replacement, target)
            new = _beside(target)
            undo.callback(new.unlink, missing_ok=True)
            _write_new(new, target, replacement.content)
        return cls(named, target, replacement.content, new, backup)

    def commit(self, undo: contextlib.ExitStack) -> None:
        """Rename the new file over the target; `undo` restores the old state."""
        with _reported(self.named):
            if self.new is None:
                with self.target.open("wb") as device:
                    device.writelines(self.content)
                return
            if self.target.exists():
                undo.callback(self.backup.unlink, missing_ok=True)
                _link_or_copy(self.target, self.backup)
                undo.callback(self.backup.replace, self.target)
            else:
                undo.callback(self.target.unlink, missing_ok=True)
            self.new.replace(self.target)

    def clean_up(self) -> None:
        """Remove the backup, and make the rename durable."""
        with contextlib.suppress(OSError):
            self.backup.unlink(missing_ok=True)
            if self.new is not None and hasattr(os, "O_DIRECTORY"):
                folder = os.open(self.target.parent, os.O_RDONLY | os.O_DIRECTORY)
                try:
                    os.fsync(folder)
                finally:
                    os.close(folder)


@contextlib.contextmanager
def _reported(path: Path) -> Iterator[None]:
    try:
        yield
    except (OSError, RuntimeError) as error:  # RuntimeError: a loop of symbolic links in Python 3.12
        reason = (isinstance(error, OSError) and error.strerror) or str(error)
        raise ReplacementError(f"{path}: cannot be written: {reason}") from error


@contextlib.contextmanager
def _signals_deferred() -> Iterator[None]:
    """Hold back signals that end the process; only the main thread can.

    A mask would hold them back in one thread: the system gives a signal to any thread that lets it through.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    deferred: list[int] = []
    before = {number: signal.getsignal(number) for number in _ENDING if signal.getsignal(number) is not None}
    for number in before:
        signal.signal(number, lambda received, _: deferred.append(received))
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        for number in dict.fromkeys(deferred):
            signal.raise_signal(number)


def _beside(target: Path) -> Path:
    """Return an unused name in the same folder, hence in the same file system."""
    return target.with_name(f".{target.name[:100]}.{secrets.token_hex(4)}.nirls")


def _refuse_unsafe(replacement: FileReplacement, target: Path) -> None:
    """Raise ReplacementError if the target must not be replaced."""
    if not target.exists():
        return
    if target.is_dir():
        raise IsADirectoryError(None, "Is a directory")
    if not os.access(target, os.W_OK):
        raise PermissionError(None, "Permission denied")
    if replacement.old is not None and target.read_bytes() != replacement.old:
        raise ReplacementError(f"{replacement.path}: has changed since it was read; nothing was written")


def _write_new(new: Path, target: Path, content: Iterable[bytes]) -> None:
    """Write a complete file with the owner, permissions and extended attributes of the target."""
    exists = target.exists()
    # Private until it has the permissions of the target.
    descriptor = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600 if exists else 0o666)
    with open(descriptor, "wb") as file:
        file.writelines(content)
        file.flush()
        if exists:
            shutil.copystat(target, new)
            _keep_owner(new, target)
            os.utime(new)
        os.fsync(file.fileno())


def _keep_owner(new: Path, target: Path) -> None:
    """Give the new file the owner and group of the target. Raises PermissionError if that is not allowed."""
    if not hasattr(os, "chown"):
        return
    old, made = target.stat(), new.stat()
    if (old.st_uid, old.st_gid) != (made.st_uid, made.st_gid):
        os.chown(new, old.st_uid, old.st_gid)
        os.chmod(new, stat.S_IMODE(old.st_mode))  # a change of owner clears the set-user-id bit


def _link_or_copy(target: Path, backup: Path) -> None:
    """Keep the old content under a second name."""
    try:
        os.link(target, backup)
    except OSError:  # a file system without hard links
        shutil.copy2(target, backup)
