"""Compilation of unit tests against libnir, and what they print."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tools.libnir.build import LIBRARIES

_ANY_TEST: Final = "opt_loop_tests.cpp"
_GOT = re.compile(r"^Got:\n(.*?)\nExpected \(", re.DOTALL | re.MULTILINE)
_SECONDS: Final = 30.0
_ERROR = re.compile(r"^[^\s:]+\.cpp:(\d+):\d+: (?:fatal )?error: (.*)$", re.MULTILINE)


class CompileError(Exception):
    """The compiler or linker refuses a source; `errors` maps its lines, from 1, to the first error there."""

    def __init__(self, output: str) -> None:
        found = _ERROR.findall(output)
        super().__init__(found[0][1] if found else output[-1000:])
        self.errors = {int(line): message for line, message in reversed(found)}


@dataclass(frozen=True, slots=True)
class TestRun:
    """A test that was run: whether it passed, the shader that it compared, and all that it printed."""

    passed: bool
    printed: str
    output: str


class LibnirCompiler:
    """Compiles test files as Mesa's build compiles its own, each to a program.

    `objects` are linked before the libraries: they take the place of the library's own.
    """

    def __init__(self, build: Path, work: Path, objects: Sequence[Path] = ()) -> None:
        self.build = build
        self.work = work
        self.objects = tuple(objects)
        self.options = compile_options(build, _ANY_TEST)

    def program(self, name: str, source: str) -> Path:
        """Compile a source to a program. Raises CompileError."""
        path = self.work / f"{name}.cpp"
        path.write_text(source, encoding="utf-8")
        made = path.with_suffix(".o")
        self._run(["c++", *self.options, "-O0", "-w", "-c", str(path), "-o", str(made)])
        program = self.work / name
        libraries = [str(self.build / library) for library in LIBRARIES if (self.build / library).is_file()]
        group = ("-Wl,--start-group", *libraries, "-Wl,--end-group", "-pthread", "-lz", "-lm")
        self._run(["c++", "-o", str(program), str(made), *map(str, self.objects), *group])
        return program

    def _run(self, command: Sequence[str]) -> None:
        done = subprocess.run(command, cwd=self.build, capture_output=True, text=True, check=False)
        if done.returncode:
            raise CompileError(done.stderr)


def object_of(build: Path, work: Path, name: str, right: str, wrong: str) -> Path:
    """Compile a source of libnir in which one text is replaced. Raises ValueError if it is not there once."""
    text = (build / _command_of(build, name)["file"]).read_text(encoding="utf-8")
    if text.count(right) != 1:
        raise ValueError(f"{name} does not have this text once: {right}")
    changed = work / name
    changed.write_text(text.replace(right, wrong), encoding="utf-8")
    made = changed.with_suffix(".o")
    command = ["cc", *compile_options(build, name), "-w", "-c", str(changed), "-o", str(made)]
    subprocess.run(command, cwd=build, check=True)
    return made


def compile_options(build: Path, name: str) -> list[str]:
    """Return the options with which Mesa's build compiles a source, without input and output."""
    entry = _command_of(build, name)
    kept: list[str] = []
    words = iter(shlex.split(entry["command"])[1:])
    for word in words:
        if word in ("-MQ", "-MF", "-o", "-c"):
            next(words)
        elif word != "-MD" and not word.startswith(("-W", "-fdiagnostics")):
            kept.append(word)
    return [*kept, f"-I{Path(entry['file']).parent}"]


def _command_of(build: Path, name: str) -> dict[str, str]:
    commands = json.loads((build / "compile_commands.json").read_text(encoding="utf-8"))
    found: dict[str, str] = next(entry for entry in commands if Path(entry["file"]).name == name)
    return found


def run_test(program: Path, name: str) -> TestRun:
    """Run one test of a program, in a process of its own because Mesa's validator aborts."""
    environment = os.environ | {"NIR_TEST_DUMP_SHADERS": "1"}
    command = [str(program), f"--gtest_filter={name}", "--gtest_color=no"]
    try:
        done = subprocess.run(command, env=environment, capture_output=True, timeout=_SECONDS, check=False)
    except subprocess.TimeoutExpired:
        return TestRun(False, "", f"not done after {_SECONDS:.0f} s")
    output = (done.stdout + done.stderr).decode("utf-8", "replace")
    match = _GOT.search(output)
    return TestRun(done.returncode == 0, match.group(1) if match else "", output)


def run_tests(program: Path, names: Sequence[str], jobs: int = 2) -> list[TestRun]:
    """Run tests of a program, in the order of their names."""
    with ThreadPoolExecutor(jobs) as pool:
        return list(pool.map(lambda name: run_test(program, name), names))
