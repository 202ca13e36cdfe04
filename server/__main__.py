"""`python -m nirls.server`: the `nirls` command, for editors that know a Python interpreter only."""

from __future__ import annotations

from nirls.server.command_line import main

if __name__ == "__main__":
    main(prog_name="python -m nirls.server")
