"""`python -m nirls.server`: the `nirls` command, for editors that know a Python interpreter only."""

from __future__ import annotations

import sys

if __name__ == "__main__":
    if not sys.flags.safe_path:
        # The interpreter puts the current folder first; it is a user's workspace, whose code must not run.
        del sys.path[0]
    from nirls.server.cli import main

    main(prog_name="python -m nirls.server")
