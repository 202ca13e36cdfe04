"""Exit statuses, messages on standard error, and the error that ends a command with such a message."""

from __future__ import annotations

import typer

from nirls.server.engine.base.shown_text import printable

FOUND = 1
"""Exit status for findings at or above the given severity, or another negative result."""

USAGE = 2
"""Exit status for wrong arguments, no readable input, or an output that cannot be written."""

INTERNAL = 3
"""Exit status for an error of nirls itself or of a pass."""


class CommandError(Exception):
    """Wrong use of the command; the message states the error and, if possible, a remedy."""

    status = USAGE


class PassError(CommandError):
    """A pass raised an exception."""

    status = INTERNAL


def complain(message: str) -> None:
    """Write a message to standard error, prefixed with the command name.

    File and pipeline names are untrusted: control characters are escaped, and no line starts with such a
    name, because CI systems interpret commands at the start of a line.
    """
    first, *others = message.split("\n")
    typer.echo(f"nirls: {printable(first)}", err=True)
    for line in others:
        typer.echo(f"  | {printable(line)}", err=True)
