"""`nirls diff`: two dumps compared."""

from __future__ import annotations

from typing import Annotated

import typer

from nirls.server.cli.errors import FOUND


def diff(
    before: Annotated[str, typer.Argument(metavar="A", help="A dump: FILE, or FILE#N for its Nth dump.")],
    after: Annotated[str, typer.Argument(metavar="B", help="The dump to compare with.")],
    side_by_side: Annotated[
        bool, typer.Option("--side-by-side", "-y", help="Both beside each other instead of a unified diff.")
    ] = False,
) -> None:
    """Compare two dumps of a shader, matched by structure: other numbers are no difference.

    Exits with status 1 if they differ.
    """
    import shutil

    from nirls.server.cli import diff as diffs
    from nirls.server.cli.dump_argument import named_dumps

    differ = False
    for one, other in diffs.pairs_of(named_dumps(before), named_dumps(after)):
        texts = diffs.texts_of(one, other)
        if texts.same:
            continue
        differ = True
        if side_by_side:
            diffs.show_side_by_side(texts, one.name, other.name, shutil.get_terminal_size((160, 24)).columns)
        else:
            diffs.show_unified(texts, one.name, other.name)
    if differ:
        raise typer.Exit(FOUND)
