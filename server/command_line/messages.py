"""What a command says beside its results."""

from __future__ import annotations

import typer


def complain(message: str) -> None:
    """Write a message to standard error, with the name of the command before it."""
    typer.echo(f"nirls: {message}", err=True)
