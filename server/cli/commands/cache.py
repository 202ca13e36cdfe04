"""`nirls cache`: the folder of cached results."""

from __future__ import annotations

from typing import Annotated

import typer

from nirls.ir.finding import counted
from nirls.server.cli.errors import CommandError
from nirls.server.engine.batch.result_cache import ResultCache


def cache(
    clear: Annotated[bool, typer.Option("--clear", help="Delete all results.")] = False,
) -> None:
    """Show the folder and the size of the result cache of `check` and `verify`.

    Results not used for 30 days are removed, and the oldest results above 512 MB. The folder may be deleted
    at any time.
    """
    kept = ResultCache.of_user()
    if kept is None:
        raise CommandError("this user has no cache folder; set XDG_CACHE_HOME or HOME")
    if clear:
        kept.clear()
    count, size = kept.size()
    typer.echo(kept.folder)
    typer.echo(f"{counted(count, 'result')}, {size / (1 << 20):.1f} MB", err=True)
