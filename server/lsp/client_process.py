"""The process of the client: this one ends with it."""

from __future__ import annotations

import logging
import os
import sys
import threading
import time
from typing import Final

_log = logging.getLogger(__name__)

_POLL_SECONDS: Final = 3.0


def end_with(process_id: int | None, seconds: float = _POLL_SECONDS) -> None:
    """End this process when the process of the client does, even while the event loop is blocked.

    A process that does not exist now is not watched: the client may be in another container.
    """
    # On Windows, os.kill would end the process; there, closed standard input must do.
    if process_id is None or process_id <= 0 or sys.platform == "win32" or not _exists(process_id):
        return

    def watch() -> None:
        while _exists(process_id):
            time.sleep(seconds)
        _log.error("the client's process %d has ended", process_id)
        os._exit(1)

    threading.Thread(target=watch, name="client process", daemon=True).start()


def _exists(process_id: int) -> bool:
    try:
        os.kill(process_id, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except OSError:  # PermissionError: it exists, and belongs to another user
        return True
    return True
