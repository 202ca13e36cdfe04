"""Tests of texts by a program of the user, as llvm-reduce and cvise have them: exit status 0 means yes."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path, PurePath

import psutil

_SHORTEST_LIMIT = 10.0
_TIMES_SLOWER = 10.0
_LONGEST_OUTPUT = 2000


class ScriptError(Exception):
    """The program cannot be run."""


@dataclass(frozen=True, slots=True)
class Ran:
    """The exit status of a run, None if it took too long, and the end of what it wrote."""

    status: int | None
    output: str
    seconds: float

    @property
    def limit(self) -> float:
        """Time limit in seconds for further runs: one that takes much longer hangs."""
        return max(_SHORTEST_LIMIT, self.seconds * _TIMES_SLOWER)


@dataclass(frozen=True, slots=True)
class Script:
    """A program with its first arguments."""

    command: tuple[str, ...]

    @classmethod
    def of(cls, text: str) -> Script:
        """Find a program by its path, or by a command line. Raises ScriptError."""
        words = [text] if os.path.isfile(text) else _words(text)
        program = words[0] if os.path.isfile(words[0]) else shutil.which(words[0])
        if program is None:
            raise ScriptError(f"{words[0]}: no such program")
        return cls((os.path.abspath(program), *words[1:]))

    def run(self, files: Sequence[tuple[str, bytes]], seconds: float | None = None) -> Ran:
        """Run the program in the working folder, with the paths of temporary files as last arguments.

        The files have the given names; if it takes more than `seconds`, it is killed. Raises ScriptError.
        """
        with tempfile.TemporaryDirectory(prefix="nirls-reduce-") as folder:
            paths = _written(Path(folder), files)
            output = Path(folder, "output")
            start = time.perf_counter()
            with output.open("wb") as stream:
                status = _run([*self.command, *map(str, paths)], stream.fileno(), seconds)
            took = time.perf_counter() - start
            return Ran(status, output.read_bytes()[-_LONGEST_OUTPUT:].decode(errors="replace").strip(), took)


def _words(text: str) -> list[str]:
    try:
        words = shlex.split(text, posix=os.name == "posix")
    except ValueError as error:
        raise ScriptError(f"{text}: {error}") from None
    if not words:
        raise ScriptError("a program is needed to test with")
    return words


def _written(folder: Path, files: Sequence[tuple[str, bytes]]) -> list[Path]:
    """Write files to a folder under their own names, those of equal names to folders of their own."""
    paths: list[Path] = []
    for number, (name, text) in enumerate(files):
        path = folder / "files" / PurePath(name).name
        if path in paths:
            path = folder / str(number) / PurePath(name).name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(text)
        paths.append(path)
    return paths


def _run(command: Sequence[str], output: int, seconds: float | None) -> int | None:
    try:
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT)
    except OSError as error:
        hint = "; is it executable, with a `#!` line?" if isinstance(error, PermissionError) else ""
        raise ScriptError(f"{command[0]}: cannot be run: {error.strerror}{hint}") from None
    try:
        return process.wait(seconds)
    except subprocess.TimeoutExpired:
        return None
    finally:
        _kill(process)


def _kill(process: subprocess.Popen[bytes]) -> None:
    """Kill a process that still runs, with all that it started."""
    if process.poll() is not None:
        return
    try:
        own = psutil.Process(process.pid)
        for each in (*own.children(recursive=True), own):
            each.kill()
    except psutil.Error:  # it has just ended
        process.kill()
    process.wait()
