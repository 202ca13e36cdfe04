"""`nirls timeline`: the passes of a log."""

from __future__ import annotations

from typing import Annotated

import typer

from nirls.server.cli.arguments import Log, Shader, Table, TableFormat


def timeline(
    log: Log,
    all_: Annotated[
        bool, typer.Option("--all", "-a", help="Also show the passes that changed nothing.")
    ] = False,
    shader: Shader = None,
    diff_: Annotated[
        int | None, typer.Option("--diff", metavar="N", help="Show what pass N of the shader changed.")
    ] = None,
    format_: Table = TableFormat.TEXT,
) -> None:
    """List the passes of a log for each shader: what changed something, and the size before and after."""
    from nirls.server.cli import timeline as timelines
    from nirls.server.cli.diff import show_unified
    from nirls.server.cli.opening import files_with_dumps

    (file,) = files_with_dumps([log])[:1]
    snapshot, found = timelines.read_timeline(file)
    found = timelines.chosen(found, shader)
    if diff_ is not None:
        step, texts = timelines.pass_texts(snapshot, found, diff_)
        show_unified(texts, f"before {step.name}", f"after {step.name}")
    elif format_ is TableFormat.JSON:
        timelines.write_json(found, hidden=all_)
    else:
        timelines.show_tables(found, hidden=all_)
