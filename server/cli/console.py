"""The rich console for standard output."""

from __future__ import annotations

from rich.console import Console


class OutputConsole(Console):
    """A console on standard output; that its reader is gone is told as by all other output."""

    def on_broken_pipe(self) -> None:
        """Raise the BrokenPipeError again, for `outputs.writable`: rich would end with exit status 1."""
        raise
