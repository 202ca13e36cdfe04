"""Opening of the input files of a command and of their project file."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import typer

from nirls.server.cli.errors import USAGE, CommandError
from nirls.server.cli.inputs import read_inputs
from nirls.server.cli.messages import complain
from nirls.server.engine.linked_files import InputFile, LinkedFiles
from nirls.server.engine.project_file import ProjectFile, find_project_file, read_project_file


def opened(names: Sequence[str], config: Path | None, *, partners: bool = False) -> LinkedFiles:
    """Open the named files that have dumps, and with `partners` the files linked with them.

    Raises CommandError, and Exit if no file has a dump.
    """
    inputs = files_with_dumps(names)
    return LinkedFiles(inputs, project_for(inputs, config), partners=partners)


def files_with_dumps(names: Sequence[str]) -> list[InputFile]:
    """Return the files with dumps, and report the others on standard error.

    Raises CommandError for an unreadable file, and Exit if no file has a dump.
    """
    useful = []
    for file in read_inputs(names):
        if file.has_dumps:
            useful.append(file)
        else:
            complain(file.why_no_dumps)
    if not useful:
        raise typer.Exit(USAGE)
    return useful


def project_for(inputs: Sequence[InputFile], named: Path | None) -> ProjectFile | None:
    """Read the named project file, or the nearest one; report its problems on standard error.

    Raises CommandError if the named file does not exist.
    """
    if named is not None and not named.is_file():
        raise CommandError(f"{named}: no such file")
    places = [file.path for file in inputs if file.path is not None]
    path = named or find_project_file((places[0] if places else Path()).absolute())
    if path is None:
        return None
    project = read_project_file(path)
    for problem in project.problems:
        complain(f"{path}: {problem}")
    return project
