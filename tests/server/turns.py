"""Turns of the event loop that other tasks have while something is awaited."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager


@asynccontextmanager
async def counted_turns() -> AsyncIterator[Callable[[], int]]:
    """Count the turns of another task, which begins with the first turn after this."""
    turns = 0

    async def other() -> None:
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0)

    task = asyncio.create_task(other())
    try:
        yield lambda: turns
    finally:
        task.cancel()
