"""`nirls serve` without arguments, which is how editors start it, in as little time as can be."""

from __future__ import annotations

import gc
import sys
from typing import NoReturn


def serve() -> NoReturn:
    """Serve one client over standard input and output, then end the process."""
    # Importing makes some 100,000 objects that all stay; the server switches collection on again.
    gc.disable()
    from nirls.server.front_desk import meet

    met = meet(sys.stdin.fileno(), sys.stdout.fileno())
    # It imports the passes while this process imports the server.
    from nirls.server.worker.process import WorkerProcess

    finder = WorkerProcess()
    if met.answer is not None:
        finder.start()
    from nirls.server.language_server import serve_stdio

    serve_stdio(met=met, finder=finder)
