"""Input files of one command or API call: files, folders, and `-` for standard input; each is read once."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from nirls.ir.text.log_parts import log_parts
from nirls.server.engine.documents.file_text import UTF8, FileForm, decode_file

STANDARD_INPUT = "-"
SUFFIXES = frozenset({".nir", ".log", ".txt"})
"""File suffixes searched in folders; a file named on the command line may have any suffix."""


class InputError(OSError):
    """A named input cannot be read, or is a folder without dumps."""


@dataclass(frozen=True, slots=True)
class InputFile:
    """A file and its text as UTF-8. `name` is shown in messages; `path` is None for standard input.

    `form` is the encoding of the file, in which changed text is written back.
    """

    name: str
    path: Path | None
    data: bytes
    form: FileForm = UTF8

    @classmethod
    def read(cls, name: str, path: Path | None, raw: bytes) -> InputFile:
        """Decode the content of a file."""
        return cls(name, path, *decode_file(raw))

    @property
    def has_dumps(self) -> bool:
        return any(part.is_dump for part in log_parts(self.data))

    @property
    def why_no_dumps(self) -> str:
        """Message for a file without dumps."""
        if not self.data:
            return f"{self.name}: the file is empty"
        what = "this is binary data" if b"\0" in self.data[:8192] else "no shader dump in it"
        return f"{self.name}: {what} (a dump starts with a line like `shader: MESA_SHADER_VERTEX`)"


def read_inputs(names: Sequence[str]) -> list[InputFile]:
    """Read the named files and folders, each file once, folders in alphabetical order.

    Files without dumps in folders are skipped. Raises InputError for a name that cannot be read, and
    for a folder without dumps.
    """
    found: dict[Path | None, InputFile] = {}
    for name in names:
        if name == STANDARD_INPUT:
            found.setdefault(None, InputFile.read("<stdin>", None, sys.stdin.buffer.read()))
            continue
        path = Path(name)
        if os.path.isdir(path):  # not `Path.is_dir`, which raises for a name that is too long
            inside = [file for file in _files_of(path) if file.has_dumps]
            if not inside:
                kinds = ", ".join(f"*{suffix}" for suffix in sorted(SUFFIXES))
                raise InputError(f"{name}: no shader dumps in this folder (searched for {kinds})")
            for file in inside:
                found.setdefault(_identity(file.path), file)
        else:
            file = InputFile.read(name, path, read_bytes(path))
            found.setdefault(_identity(path), file)
    return list(found.values())


def read_bytes(path: Path) -> bytes:
    """Read a file. Raises InputError."""
    try:
        return path.read_bytes()
    except FileNotFoundError:
        raise InputError(f"{path}: no such file or folder") from None
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise InputError(f"{path}: cannot be read: {reason}") from None


def _files_of(folder: Path) -> Iterator[InputFile]:
    """Yield the files of a folder, except for links to outside of it."""
    real = folder.resolve()
    for place, folders, files in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(files):
            path = Path(place, name)
            if path.suffix in SUFFIXES and path.is_file() and path.resolve().is_relative_to(real):
                yield InputFile.read(str(path), path, read_bytes(path))


def _identity(path: Path | None) -> Path | None:
    return None if path is None else path.resolve()
