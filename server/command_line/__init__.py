"""The `nirls` command."""

from __future__ import annotations


def main() -> None:
    """Run the command with the arguments of the process."""
    from nirls.server.command_line.app import app

    app()
