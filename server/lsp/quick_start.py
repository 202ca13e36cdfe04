"""`nirls serve` without arguments, which is how editors start it, in as little time as can be."""

from __future__ import annotations

import gc
import sys
from typing import NoReturn


def serve() -> NoReturn:
    """Serve one client over standard input and output, then end the process."""
    # Importing makes some 100,000 objects that all stay; the server switches collection on again.
    gc.disable()
    from nirls.server.lsp.front_desk import meet
    from nirls.server.lsp.inbox import Inbox

    source, sink = sys.stdin.fileno(), sys.stdout.fileno()
    met = meet(source, sink)
    inbox = Inbox(source, met.read)
    store = None
    if met.answer is not None:
        from nirls.server.lsp.first_look import look

        store = look(inbox, met, sink).store
    # It imports the passes while this process imports the server.
    from nirls.server.engine.worker.process import WorkerProcess

    finder = WorkerProcess()
    if met.answer is not None:
        finder.start()
    from nirls.server.lsp.language_server import serve_stdio

    serve_stdio(met=met, inbox=inbox, finder=finder, store=store)
