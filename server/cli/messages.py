"""What a command says beside its results."""

from __future__ import annotations

import typer

from nirls.server.engine.printable_text import printable


def complain(message: str) -> None:
    """Write a message to standard error, with the name of the command before it.

    A file name or a pipeline's may be hostile: it cannot steer a terminal, nor begin a line, where CI
    would take it for a command.
    """
    first, *others = message.split("\n")
    typer.echo(f"nirls: {printable(first)}", err=True)
    for line in others:
        typer.echo(f"  | {printable(line)}", err=True)
