"""The input files of a command with their linked files and project file, and dumps named `FILE#3`."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import typer

from nirls.server.cli.errors import USAGE, CommandError, complain
from nirls.server.cli.progress import reading
from nirls.server.engine.checks.check_settings import CheckSettings
from nirls.server.engine.checks.finding_codes import problems_of_settings
from nirls.server.engine.documents.document import PlacedDump, Snapshot
from nirls.server.engine.files.input_files import InputFile, read_inputs
from nirls.server.engine.files.linked_files import LinkedFiles, project_of
from nirls.server.engine.settings.project_file import ProjectFile

_NUMBERED = re.compile(r"(?P<file>.+)#(?P<number>\d{1,9})\Z", re.DOTALL)


def file_with_dumps(name: str) -> InputFile:
    """Return the file of a command that takes one. Raises CommandError, also for a folder with several."""
    file, *others = files_with_dumps([name])
    if others:
        raise CommandError(
            f"{name}: {len(others) + 1} files with dumps; name one of them, such as {file.name}"
        )
    return file


def files_with_dumps(names: Sequence[str]) -> list[InputFile]:
    """Return the files with dumps, and report the others on standard error.

    Raises CommandError for an unreadable file, and Exit if no file has a dump.
    """
    with reading():
        files = read_inputs(names)
        with_dumps = [file for file in files if file.has_dumps]
    if len(with_dumps) < len(files):
        report_without_dumps(files)
    return with_dumps


def report_without_dumps(files: Sequence[InputFile]) -> None:
    """Report the files without a dump on standard error; raise Exit if no file has one."""
    for file in files:
        if not file.has_dumps:
            complain(file.why_no_dumps)
    if not any(file.has_dumps for file in files):
        raise typer.Exit(USAGE)


def opened(names: Sequence[str], config: Path | None, *, partners: bool = False) -> LinkedFiles:
    """Open the named files that have dumps, and with `partners` the files linked with them.

    Raises CommandError, and Exit if no file has a dump.
    """
    inputs = files_with_dumps(names)
    project = project_for(inputs, config)
    with reading():
        workspace = LinkedFiles(inputs, project, partners=partners)
        _ = workspace.pipelines  # which nearly all commands need
    return workspace


def project_for(inputs: Sequence[InputFile], named: Path | None) -> ProjectFile | None:
    """Read the named project file, or the nearest one.

    Raises CommandError if the named file does not exist, and Exit for a file with errors, after reporting
    them on standard error: what it leaves out would look clean.
    """
    if named is not None and not os.path.isfile(named):
        raise CommandError(f"{named}: no such file")
    project = project_of(inputs, named)
    if project is None:
        return None
    problems = [*map(str, project.problems), *problems_of_settings(CheckSettings.of_project(project))]
    for problem in problems:
        complain(f"{project.path}: {problem}")
    if problems:
        raise typer.Exit(USAGE)
    return project


@dataclass(frozen=True, slots=True)
class NamedDump:
    """A dump and its file; `name` identifies it in messages."""

    file: InputFile
    dump: PlacedDump

    @property
    def name(self) -> str:
        return f"{self.file.name}#{self.dump.number + 1}"


def named_dumps(argument: str) -> list[NamedDump]:
    """Return the dump of `FILE#N`, or all dumps of `FILE`. Raises CommandError."""
    match = None if os.path.exists(argument) else _NUMBERED.match(argument)
    with reading():
        files = read_inputs([argument if match is None else match["file"]])
        dumps = [NamedDump(file, dump) for file in files for dump in Snapshot.of(file.data).dumps()]
    if not dumps:
        raise CommandError(files[0].why_no_dumps)
    if match is None:
        return dumps
    number = int(match["number"])
    if not 1 <= number <= len(dumps):
        raise CommandError(f"{match['file']} has {len(dumps)} dumps, not {number}")
    return [dumps[number - 1]]
