"""`python -m nirls`: the `nirls` command, for programs that know only a Python interpreter."""

from __future__ import annotations

import sys

if __name__ == "__main__":
    if not sys.flags.safe_path:
        # Python puts the working folder first. It may be a workspace, from which nothing must be imported.
        del sys.path[0]
    from nirls.server.cli import main

    main(prog_name="python -m nirls")
