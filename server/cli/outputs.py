"""Output of the new texts of files: to standard output, as a diff, in place, or to a folder."""

from __future__ import annotations

import difflib
import errno
import io
import json
import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final, NoReturn

from nirls.server.cli.errors import USAGE, CommandError, complain
from nirls.server.engine.base.shown_text import printable
from nirls.server.engine.files.file_replacement import FileReplacement, ReplacementError, replace_files
from nirls.server.engine.files.input_files import InputFile

_OUTPUT_ERRORS: Final = frozenset({errno.EPIPE, errno.ENOSPC, errno.EFBIG, errno.EDQUOT, errno.EIO})
"""Errors that mean that standard output takes nothing more."""


@contextmanager
def writable() -> Iterator[None]:
    """End the process with a message if standard output takes nothing more (`| head`, a full disk).

    A reader that has seen enough is no failure: exit status 0.
    """
    try:
        try:
            yield
        finally:
            sys.stdout.flush()
    except OSError as error:
        if error.errno not in _OUTPUT_ERRORS:
            raise
        _abandon(error)


def _abandon(error: OSError) -> NoReturn:
    # What is left in the buffer must not be written again at exit.
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    if error.errno == errno.EPIPE:
        complain("standard output was closed before its end")
        sys.exit(0)
    complain(f"standard output cannot be written: {error.strerror}")
    sys.exit(USAGE)


def write_to_stdout(texts: Iterable[bytes]) -> None:
    """Write texts unchanged; on a terminal, with control characters escaped."""
    if sys.stdout.isatty():
        sys.stdout.writelines(_shown(line) for text in texts for line in _lines(text))
        return
    for text in texts:
        # Without a buffer (PYTHONUNBUFFERED), a write may take a part only.
        rest = memoryview(text)
        while rest:
            rest = rest[sys.stdout.buffer.write(rest) :]
    sys.stdout.buffer.flush()


def write_files_to_stdout(results: Iterable[tuple[InputFile, bytes]]) -> None:
    """Write the new texts of files in the encodings of the files."""
    is_terminal = sys.stdout.isatty()
    write_to_stdout(text if is_terminal else file.form.encode(text) for file, text in results)


def write_json(plain: object) -> None:
    """Write JSON values to standard output, indented."""
    json.dump(plain, sys.stdout, indent=2)
    sys.stdout.write("\n")


def refuse_standard_input(files: Iterable[InputFile]) -> None:
    """Raise CommandError if one of the files is standard input."""
    if any(file.path is None for file in files):
        raise CommandError("standard input has no place to write to; leave --in-place out")


def write_in_place(results: Sequence[tuple[InputFile, bytes]]) -> None:
    """Replace the files that changed, all or none of them. Raises CommandError."""
    refuse_standard_input(file for file, _ in results)
    _replace(
        [
            FileReplacement(file.path, [file.form.encode(text)], old=file.form.encode(file.data))
            for file, text in results
            if file.path is not None and text != file.data
        ]
    )


def write_to_folder(results: Sequence[tuple[InputFile, bytes]], folder: Path) -> None:
    """Write all files to a folder, with their paths relative to their common folder. Raises CommandError."""
    paths = [file.path.resolve() for file, _ in results if file.path is not None]
    common = Path(os.path.commonpath([path.parent for path in paths])) if paths else Path()
    targets = []
    for file, text in results:
        relative = Path("stdin.nir") if file.path is None else file.path.resolve().relative_to(common)
        targets.append(FileReplacement(folder / relative, [file.form.encode(text)]))
    for parent in {folder, *(target.path.parent for target in targets)}:
        try:
            parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise CommandError(f"{parent}: cannot be made: {error.strerror}") from None
    _replace(targets)


def write_to(path: Path | None, texts: Iterable[bytes]) -> None:
    """Create or replace a file; write to standard output for None. Raises CommandError."""
    if path is None:
        write_to_stdout(texts)
    else:
        _replace([FileReplacement(path, texts)])


def _replace(files: Sequence[FileReplacement]) -> None:
    try:
        replace_files(files)
    except ReplacementError as error:
        raise CommandError(str(error)) from None


def diff(results: Iterable[tuple[InputFile, bytes]]) -> list[str]:
    """Return the lines of a unified diff of all changed files, each with its line end."""
    lines: list[str] = []
    for file, text in results:
        if text != file.data:
            found = difflib.unified_diff(_lines(file.data), _lines(text), f"a/{file.name}", f"b/{file.name}")
            lines += [
                line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in found
            ]
    return lines


def _lines(text: bytes) -> list[str]:
    """Split into lines with their ends, at line feeds only."""
    return list(io.StringIO(text.decode("utf-8", "surrogateescape"), newline="\n"))


def write_diff(lines: Sequence[str]) -> None:
    """Write a diff to standard output, in colours on a terminal."""
    if not sys.stdout.isatty():
        write_to_stdout([line.encode("utf-8", "surrogateescape") for line in lines])
        return
    # rich takes 0.1 s to import, for terminals only.
    from rich.text import Text

    from nirls.server.cli.console import OutputConsole

    colors = {"+": "green", "-": "red", "@": "cyan"}
    console = OutputConsole(soft_wrap=True, highlight=False)
    for line in lines:
        style = "bold" if line.startswith(("+++", "---")) else colors.get(line[:1], "")
        console.print(Text(_shown(line).rstrip("\n"), style))


def _shown(line: str) -> str:
    """Escape a line for a terminal."""
    return printable(line.rstrip("\r\n")).encode("utf-8", "replace").decode() + "\n"
