"""Requests under way: ended by the next edit of their document, or after a time limit."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Coroutine
from typing import Any, Final

from pygls.exceptions import JsonRpcContentModified

LONGEST_REQUEST: Final = 120.0
"""Time limit of a request in seconds."""


class TooLongError(Exception):
    """A request took longer than its time limit."""


class RunningRequests:
    """The requests under way about the text of each document, by URI."""

    def __init__(self, seconds: float = LONGEST_REQUEST) -> None:
        self._seconds = seconds
        self._tasks: defaultdict[str, set[asyncio.Task[Any]]] = defaultdict(set)

    async def run(self, uri: str, work: Coroutine[Any, Any, Any]) -> Any:
        """Return the result of work on the present text of a document.

        Raises JsonRpcContentModified if the text changes meanwhile, and TooLongError after the time limit.
        The work is cancelled in both cases, and if the client cancels the request.
        """
        task = asyncio.ensure_future(work)
        tasks = self._tasks[uri]
        tasks.add(task)
        try:
            async with asyncio.timeout(self._seconds):
                return await task
        except TimeoutError:
            raise TooLongError(f"no result within {self._seconds:g} s") from None
        except asyncio.CancelledError:
            if _is_cancelled():
                raise
            raise JsonRpcContentModified(f"{uri} changed meanwhile") from None
        finally:
            tasks.discard(task)
            if not tasks:
                self._tasks.pop(uri, None)

    def end(self, uri: str) -> None:
        """End the requests about a document, because its text changed."""
        for task in self._tasks.get(uri, ()):
            task.cancel()


def _is_cancelled() -> bool:
    """Whether the current task is cancelled itself, by the client."""
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0
