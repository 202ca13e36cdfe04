"""Reduction of files by a program of the user, for `nirls reduce --test`."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from nirls.ir.finding import counted
from nirls.passes.declaration import Pass
from nirls.passes.reduction.search import ReductionEnd, Search
from nirls.server.cli import outputs
from nirls.server.cli.errors import CommandError
from nirls.server.cli.optimize import Optimizer
from nirls.server.cli.progress import Status, status
from nirls.server.engine.files.input_files import InputFile
from nirls.server.engine.files.linked_files import LinkedFiles
from nirls.server.engine.files.script_test import Ran, Script, ScriptError
from nirls.server.engine.files.text_reduction import Texts, reduce_texts
from nirls.server.engine.settings.project_file import ProjectFile


@dataclass(frozen=True, slots=True)
class ReductionByScript:
    """The files to reduce, the passes that run before each test, and where the result goes.

    `output` is a file for a single input, `folder` is for any number of them; without both, the result
    goes to standard output. What has a place is written with each smaller result.
    """

    inputs: Sequence[InputFile]
    project: ProjectFile | None
    passes: Sequence[Pass]
    script: Script
    output: Path | None
    folder: Path | None

    def run(self, seconds: float | None, jobs: int) -> tuple[str, ReductionEnd]:
        """Reduce the files and write them; return a summary and why the search ended. Raises CommandError."""
        texts = [file.data for file in self.inputs]
        with _script_errors():
            first = self._run(texts, None)
            if first.status != 0:
                raise CommandError(_not_interesting(self.script, first))
            search = Search.lasting(seconds, jobs)
            with status("reducing") as shown:
                reduction = reduce_texts(
                    texts,
                    lambda smaller: self._holds(smaller, first.limit, search),
                    search,
                    lambda smaller: self._keep(smaller, search, shown),
                )
        if self.output is None and self.folder is None:
            outputs.write_files_to_stdout(self._results(reduction.texts))
        else:
            self._write(reduction.texts)
        before, after = _lines(texts), _lines(reduction.texts)
        end = "" if reduction.end is ReductionEnd.COMPLETE else f", and {reduction.end.value}"
        tries = counted(reduction.tries, "try", "tries")
        return f"reduced {counted(before, 'line')} to {after} in {tries}{end}", reduction.end

    def _holds(self, texts: Texts, limit: float, search: Search) -> bool:
        if search.deadline is not None:
            limit = min(limit, max(search.deadline - time.perf_counter(), 0.1))
        return self._run(texts, limit).status == 0

    def _run(self, texts: Texts, seconds: float | None) -> Ran:
        results = self._results(texts)
        before = [(_name(file), file.form.encode(text)) for file, text in results]
        if not self.passes:
            return self.script.run(before, seconds)
        changed = [replace(file, data=text) for file, text in results]
        optimizer = Optimizer(LinkedFiles(changed, self.project))
        try:
            optimizer.run(self.passes)
        except CommandError as error:  # a pass raised, or has options that do not fit
            return Ran(None, str(error), 0.0)
        after = [(f"after.{_name(file)}", file.form.encode(text)) for file, text in optimizer.results()]
        return self.script.run([*before, *after], seconds)

    def _results(self, texts: Texts) -> list[tuple[InputFile, bytes]]:
        return list(zip(self.inputs, texts, strict=True))

    def _keep(self, texts: Texts, search: Search, shown: Status) -> None:
        shown(f"reducing: {counted(_lines(texts), 'line')} after {counted(search.tries, 'try', 'tries')}")
        self._write(texts)

    def _write(self, texts: Texts) -> None:
        if self.folder is not None:
            outputs.write_to_folder(self._results(texts), self.folder)
        elif self.output is not None:
            outputs.write_to(self.output, [self.inputs[0].form.encode(texts[0])])


def script_of(text: str) -> Script:
    """Return the program that `--test` names. Raises CommandError."""
    with _script_errors():
        return Script.of(text)


@contextmanager
def _script_errors() -> Iterator[None]:
    try:
        yield
    except ScriptError as error:
        raise CommandError(str(error)) from None


def _not_interesting(script: Script, ran: Ran) -> str:
    said = f"\n{ran.output}" if ran.output else ""
    if ran.status is None:
        return f"nothing to reduce: the passes cannot run{said}"
    return f"nothing to reduce: {script.command[0]} exits with status {ran.status} on the input{said}"


def _name(file: InputFile) -> str:
    return "stdin.nir" if file.path is None else file.path.name


def _lines(texts: Texts) -> int:
    return sum(text.count(b"\n") + (not text.endswith(b"\n") and bool(text)) for text in texts)
