"""The `nirls` command with its subcommands."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from typing import Annotated, ParamSpec

import typer

from nirls.server.cli.commands.cache import cache
from nirls.server.cli.commands.check import check
from nirls.server.cli.commands.diff import diff
from nirls.server.cli.commands.explain import explain
from nirls.server.cli.commands.graph import graph
from nirls.server.cli.commands.opt import opt
from nirls.server.cli.commands.pack import pack
from nirls.server.cli.commands.passes import passes
from nirls.server.cli.commands.preview import preview
from nirls.server.cli.commands.print_ import print_
from nirls.server.cli.commands.reduce import reduce
from nirls.server.cli.commands.report import report
from nirls.server.cli.commands.serve import serve
from nirls.server.cli.commands.stats import stats
from nirls.server.cli.commands.tcs import tcs
from nirls.server.cli.commands.timeline import timeline
from nirls.server.cli.errors import USAGE, CommandError
from nirls.server.cli.messages import complain

P = ParamSpec("P")

_COMMANDS: tuple[Callable[..., None], ...] = (
    check,
    opt,
    tcs,
    reduce,
    pack,
    print_,
    preview,
    timeline,
    diff,
    report,
    stats,
    graph,
    serve,
    passes,
    explain,
    cache,
)
"""In the order in which help lists them."""

app = typer.Typer(
    name="nirls",
    help="Work on text dumps of NIR, the shader IR of the Mesa graphics drivers.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)


@app.callback(invoke_without_command=True)
def nirls(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Print the version and exit.")] = False,
) -> None:
    """Work on text dumps of NIR, the shader IR of the Mesa graphics drivers."""
    if version:
        from importlib.metadata import version as installed_version

        typer.echo(f"nirls {installed_version('nirls')}")
        raise typer.Exit
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())
        raise typer.Exit(USAGE)


def _reporting_errors(command: Callable[P, None]) -> Callable[P, None]:
    """Turn wrong use into a message and exit status 2."""

    @functools.wraps(command)
    def wrapped(*args: P.args, **kwargs: P.kwargs) -> None:
        try:
            command(*args, **kwargs)
        except CommandError as error:
            complain(str(error))
            raise typer.Exit(USAGE) from None
        except BrokenPipeError:
            # The reader has what it wanted (`nirls print log | head`); keep Python from flushing again.
            sys.stderr.close()
            raise typer.Exit(0) from None

    return wrapped


for _command in _COMMANDS:
    app.command(_command.__name__.rstrip("_"))(_reporting_errors(_command))
