"""The input files of a command with their linked files and project file."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from nirls.server.cli.errors import CommandError, complain
from nirls.server.cli.named_dumps import files_with_dumps
from nirls.server.engine.input_files import InputFile
from nirls.server.engine.linked_files import LinkedFiles, project_of
from nirls.server.engine.project_file import ProjectFile


def opened(names: Sequence[str], config: Path | None, *, partners: bool = False) -> LinkedFiles:
    """Open the named files that have dumps, and with `partners` the files linked with them.

    Raises CommandError, and Exit if no file has a dump.
    """
    inputs = files_with_dumps(names)
    return LinkedFiles(inputs, project_for(inputs, config), partners=partners)


def project_for(inputs: Sequence[InputFile], named: Path | None) -> ProjectFile | None:
    """Read the named project file, or the nearest one; report its problems on standard error.

    Raises CommandError if the named file does not exist.
    """
    if named is not None and not named.is_file():
        raise CommandError(f"{named}: no such file")
    project = project_of(inputs, named)
    if project is not None:
        for problem in project.problems:
            complain(f"{project.path}: {problem}")
    return project
