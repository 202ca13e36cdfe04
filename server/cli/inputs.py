"""Reading of the input files of a command: files, folders, and `-` for standard input."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from nirls.server.cli.errors import CommandError
from nirls.server.engine.linked_files import InputFile

STANDARD_INPUT = "-"
SUFFIXES = frozenset({".nir", ".log", ".txt"})
"""File suffixes searched in folders; a file named on the command line may have any suffix."""


def read_inputs(names: Sequence[str]) -> list[InputFile]:
    """Read the named files and folders, each file once, folders in alphabetical order.

    Files without dumps in folders are skipped. Raises CommandError for a name that cannot be read, and
    for a folder without dumps.
    """
    found: dict[Path | None, InputFile] = {}
    for name in names:
        if name == STANDARD_INPUT:
            found.setdefault(None, InputFile.read("<stdin>", None, sys.stdin.buffer.read()))
            continue
        path = Path(name)
        if path.is_dir():
            inside = [file for file in _files_of(path) if file.has_dumps]
            if not inside:
                kinds = ", ".join(f"*{suffix}" for suffix in sorted(SUFFIXES))
                raise CommandError(f"{name}: no shader dumps in this folder (looked into {kinds})")
            for file in inside:
                found.setdefault(_identity(file.path), file)
        else:
            file = InputFile.read(name, path, read_bytes(path))
            found.setdefault(_identity(path), file)
    return list(found.values())


def read_bytes(path: Path) -> bytes:
    """Read a file. Raises CommandError."""
    try:
        return path.read_bytes()
    except FileNotFoundError:
        raise CommandError(f"{path}: no such file or folder") from None
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise CommandError(f"{path}: cannot be read: {reason}") from None


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
