"""`nirls preview`: the sizes of dumps before and after passes."""

from __future__ import annotations

from typing import Annotated

import typer

from nirls.server.cli.arguments import Config, Files, PassOptions, ShowDiff, Table, TableFormat
from nirls.server.cli.completion import pass_names


def preview(
    files: Files,
    passes: Annotated[
        list[str] | None,
        typer.Option(
            "--pass",
            "-p",
            metavar="PASS[,PASS]",
            help="The passes; opt_varyings and clean_up by default.",
            autocompletion=pass_names,
        ),
    ] = None,
    options: PassOptions = None,
    diff: ShowDiff = False,
    format_: Table = TableFormat.TEXT,
    config: Config = None,
) -> None:
    """Show what passes would bring: the size of each dump before and after. Nothing is written.

    Without -p: what linking the stages would bring.
    """
    from nirls.server.cli import outputs
    from nirls.server.cli import preview as previews
    from nirls.server.cli.opening import opened
    from nirls.server.cli.optimize import Optimizer, pass_runs
    from nirls.server.cli.progress import with_progress
    from nirls.server.ide.preview import WHAT_IF

    runs = pass_runs(passes or WHAT_IF, options or [])
    workspace = opened(files, config)
    optimizer = Optimizer(workspace)
    for step in with_progress(optimizer.steps(runs), "optimizing"):
        step()
    found = previews.effects(workspace, optimizer)
    if format_ is TableFormat.JSON:
        previews.write_json(found)
    else:
        previews.show_table(found)
    if diff:
        outputs.write_diff(
            outputs.diff(
                (workspace.file(document), optimizer.new_text(document)) for document in workspace.named()
            )
        )
