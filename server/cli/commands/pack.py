"""`nirls pack`: how varyings are packed."""

from __future__ import annotations

from typing import Annotated

import typer

from nirls.server.cli.arguments import Config, Files, TableFormat
from nirls.server.cli.errors import FOUND
from nirls.server.cli.messages import complain


def pack(
    files: Files,
    format_: Annotated[
        TableFormat, typer.Option("--format", "-f", help="How to print: a table, or all cells as JSON.")
    ] = TableFormat.TEXT,
    config: Config = None,
) -> None:
    """Show how varyings are packed into vec4 slots, before and after opt_varyings.

    One table of slots by components for each pair of linked stages; coloured by group in a terminal, with the
    group behind each cell elsewhere: interpolated, flat, convergent, patch, color, transform feedback only,
    and so on. `[]` marks an element of an indexed range, `lo` and `hi` the halves of a 32-bit component.
    Files of other stages beside a file are read for the link. Exit status 1: no stages are linked.
    """
    from nirls.server.cli.opening import opened
    from nirls.server.cli.pack import packed_pipelines, write_json, write_text

    workspace = opened(files, config, partners=True)
    found = packed_pipelines(workspace)
    if format_ is TableFormat.JSON:
        write_json(found)
    else:
        write_text(found)
    if not found:
        complain("no stages are linked here: see `nirls check -v` and the section on pipelines of the README")
        raise typer.Exit(FOUND)
