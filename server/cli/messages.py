"""Messages of commands on standard error."""

from __future__ import annotations

import typer

from nirls.server.engine.printable_text import printable


def complain(message: str) -> None:
    """Write a message to standard error, prefixed with the command name.

    File and pipeline names are untrusted: control characters are escaped, and no line starts with such a
    name, because CI systems interpret commands at the start of a line.
    """
    first, *others = message.split("\n")
    typer.echo(f"nirls: {printable(first)}", err=True)
    for line in others:
        typer.echo(f"  | {printable(line)}", err=True)
