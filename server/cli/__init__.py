"""The `nirls` command."""

from __future__ import annotations

import os
import sys

INTERRUPTED = 128 + 2
"""Exit status after Ctrl-C, as that of the shell for SIGINT."""


def main(prog_name: str | None = None) -> None:
    """Run the command with the arguments of the process."""
    if sys.stdout is None:  # started with a closed standard output
        sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115 (open until the process ends)
    try:
        # Imported here, so that an interrupt during the imports is handled.
        from nirls.server.cli import outputs
        from nirls.server.cli.app import app

        with outputs.writable():
            app(prog_name=prog_name)
    except KeyboardInterrupt:  # during imports, before the argument parser handles it
        sys.exit(INTERRUPTED)
