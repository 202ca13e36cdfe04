"""Garbage collection of a process that runs jobs on dumps."""

from __future__ import annotations

import gc
from collections.abc import Callable
from typing import Final

from nirls.server.engine.worker.limits import release_free_pages

_OBJECTS_BETWEEN_COLLECTIONS: Final = 200_000
"""More than the IR of most dumps has; a collection over live IR frees nothing."""

_GROWTH_BETWEEN_COLLECTIONS: Final = 8 << 20
"""Growth in bytes that triggers a full garbage collection. The IR is cyclic; without this, Python collects it
only after some hundred megabytes."""


class Collector:
    """Collects garbage between jobs, where a process has grown; `used` returns its memory in bytes.

    What is loaded when it is made, and by the first jobs, is exempt from collections.
    """

    def __init__(self, used: Callable[[], int]) -> None:
        gc.freeze()
        gc.set_threshold(_OBJECTS_BETWEEN_COLLECTIONS, 10, 10)
        self._memory = used
        self._used = used()
        self._is_frozen = False

    def after_job(self) -> None:
        """Collect if the process has grown by `_GROWTH_BETWEEN_COLLECTIONS`."""
        if self._memory() <= self._used + _GROWTH_BETWEEN_COLLECTIONS:
            return
        gc.collect()
        if not self._is_frozen:
            # The tables and modules that the first jobs have loaded.
            gc.freeze()
            self._is_frozen = True
        release_free_pages()
        self._used = self._memory()
