"""`nirls report`: a log as one HTML file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from nirls.server.cli.arguments import Config, Log, Shader


def report(
    log: Log,
    output: Annotated[Path, typer.Option("--output", "-o", metavar="FILE", help="The HTML file to write.")],
    shader: Shader = None,
    no_diffs: Annotated[
        bool, typer.Option("--no-diffs", help="Leave out what each pass changed, for a small file.")
    ] = False,
    config: Config = None,
) -> None:
    """Write what is known of a log into one HTML file: passes with diffs, findings, varyings.

    The file loads nothing from elsewhere and runs no script.
    """
    from nirls.server.cli import outputs
    from nirls.server.cli import timeline as timelines
    from nirls.server.cli.opening import files_with_dumps, project_for
    from nirls.server.cli.report import report_of
    from nirls.server.engine.checking import CheckSettings
    from nirls.server.ide.report.page import page

    (file,) = files_with_dumps([log])[:1]
    snapshot, found = timelines.read_timeline(file)
    settings = CheckSettings.of_project(project_for([file], config))
    made = report_of(file, snapshot, timelines.chosen(found, shader), settings, diffs=not no_diffs)
    outputs.write_file(output, page(made).encode())
