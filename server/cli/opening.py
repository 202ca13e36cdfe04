"""What a command works on: the files that it was given, and the project file that goes with them."""

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
    """The files with dumps among those named, and with `partners` those that are linked to them.

    Raises CommandError, and Exit where no file has a dump.
    """
    inputs = files_with_dumps(names)
    return LinkedFiles(inputs, project_for(inputs, config), partners=partners)


def files_with_dumps(names: Sequence[str]) -> list[InputFile]:
    """The files in which there is something to do; messages about the others.

    Raises CommandError for what cannot be read, and Exit where no file has a dump.
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
    """The project file that was named, or the nearest; what is wrong with it goes to standard error.

    Raises CommandError if there is none of that name.
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
