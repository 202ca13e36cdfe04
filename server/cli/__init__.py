"""The `nirls` command."""

from __future__ import annotations

import sys

_INTERRUPTED = 128 + 2  # the shell's exit status for SIGINT


def main(prog_name: str | None = None) -> None:
    """Run the command with the arguments of the process."""
    try:
        from nirls.server.cli.app import app

        app(prog_name=prog_name)
    except KeyboardInterrupt:  # during imports, before the argument parser handles it
        sys.exit(_INTERRUPTED)
