"""`nirls tcs`: what the control shader passes bring."""

from __future__ import annotations

from typing import Annotated

import typer

from nirls.server.cli.arguments import Config, Files, InPlace, ShowDiff, TableFormat
from nirls.server.cli.errors import FOUND


def tcs(
    files: Files,
    options: Annotated[
        list[str] | None,
        typer.Option("--option", "-o", metavar="NAME=VALUE", help="An option of the pass optimize_tcs."),
    ] = None,
    format_: Annotated[
        TableFormat, typer.Option("--format", "-f", help="How to write the summary.")
    ] = TableFormat.TEXT,
    diff: ShowDiff = False,
    in_place: InPlace = False,
    config: Config = None,
) -> None:
    """Let culled patches skip work: inline the vertex shader in the control shader, and divide that.

    Says for each pipeline what was gained. Each result is run against what went in; wrong ones are left
    out, with status 1.
    """
    from nirls.server.cli import outputs
    from nirls.server.cli import tcs as chains
    from nirls.server.cli.opening import opened
    from nirls.server.cli.progress import with_progress

    workspace = opened(files, config)
    if in_place:
        outputs.refuse_standard_input(workspace.file(document) for document in workspace.named())
    chain = chains.Chain(workspace, options or [])
    for step in with_progress(chain.steps(), "optimizing"):
        step()
    if format_ is TableFormat.JSON:
        chains.write_json(chain.gains)
    else:
        typer.echo(chains.text_of(chain.gains), nl=False)
    results = [
        (workspace.file(document), chain.optimizer.new_text(document)) for document in workspace.named()
    ]
    if in_place:
        outputs.write_in_place(results)
    if diff:
        outputs.write_diff(outputs.diff(results))
    if any(gain.verified is not None and gain.verified.is_wrong for gain in chain.gains):
        raise typer.Exit(FOUND)
