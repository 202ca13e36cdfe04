"""Import of modules that requests need, in a thread, so that the event loop imports nothing.

Handlers import these modules inside functions, because importing them before `initialize` is answered
would delay the start by about two seconds.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Iterable
from contextlib import suppress
from importlib import import_module
from typing import Final

from nirls.passes import registry

FOR_CHECKS: Final = ("nirls.ir.validation", "nirls.ir.text.parse")
"""Modules that the first diagnostics of a document need; about 0.1 s together."""

FOR_REQUESTS: Final = (
    "nirls.server.ide.cursor.outline",
    "nirls.server.ide.hover",
    "nirls.server.ide.completion.complete",
    "nirls.server.ide.inlay_hints",
    "nirls.server.ide.packing.hover",
    "nirls.server.ide.history.value_history",
    "nirls.server.ide.history.code_changes",
    "nirls.server.ide.history.snapshot_diff",
    "nirls.server.ide.history.snapshot_pressure",
    "nirls.server.ide.symbol_search",
    "nirls.server.ide.navigation",
    "nirls.server.ide.calls",
    "nirls.server.ide.cursor.glossary",
    "nirls.server.ide.signatures",
    "nirls.server.ide.rename",
    "nirls.server.ide.selection",
    "nirls.server.ide.history.numbering",
    "nirls.server.ide.formatting",
    "nirls.server.ide.preview",
    "nirls.server.ide.packing.link_savings",
    "nirls.server.ide.source_links",
    "nirls.server.ide.rule_pages",
    "nirls.server.ide.graphs.kinds",
    "nirls.server.engine.timeline.plain",
    "nirls.server.engine.verification.log",
)
"""Modules of small size that requests about a text need, the first ones first; about 0.6 s together."""

FOR_PASSES: Final = (
    "nirls.server.ide.packing.packing_plan",
    "nirls.server.ide.packing.packing_text",
    "nirls.server.engine.checks.bug_report",
    "nirls.server.ide.history.transition_texts",
    "nirls.verification",
)
"""Modules that import passes or the evaluator; about 1.5 s together. Imported at the first need."""


LONGEST_PAUSE = 1.0
"""Seconds after `initialize` in which the first document is expected."""


class BackgroundImports:
    """The imports of one server, each done once."""

    def __init__(self) -> None:
        self._running: dict[Callable[[], Coroutine[None, None, None]], asyncio.Task[None]] = {}
        self._has_reported = asyncio.Event()

    def start(self) -> None:
        """Begin to import what checks and requests about a text need. Call on the event loop.

        Only one thread runs Python at a time, so the imports for requests pause until the first diagnostics
        are sent or a request needs them.
        """
        self._task(self._import_for_requests)

    def go_on(self) -> None:
        """End the pause before the imports for requests."""
        self._has_reported.set()

    async def for_requests(self) -> None:
        """Wait until what requests about a text need is imported."""
        self.go_on()
        await asyncio.shield(self._task(self._import_for_requests))

    async def for_passes(self) -> None:
        """Wait until passes and the evaluator are imported."""
        await asyncio.shield(self._task(self._import_for_passes))

    def _task(self, work: Callable[[], Coroutine[None, None, None]]) -> asyncio.Task[None]:
        task = self._running.get(work)
        if task is None:
            task = self._running[work] = asyncio.get_running_loop().create_task(work())
        return task

    async def _import_for_requests(self) -> None:
        await asyncio.to_thread(import_all, FOR_CHECKS)
        with suppress(TimeoutError):
            await asyncio.wait_for(self._has_reported.wait(), LONGEST_PAUSE)
        await asyncio.to_thread(import_all, FOR_REQUESTS)

    async def _import_for_passes(self) -> None:
        await asyncio.to_thread(registry.all_passes)
        await asyncio.to_thread(import_all, FOR_PASSES)


def import_all(names: Iterable[str]) -> None:
    """Import modules in order."""
    for name in names:
        import_module(name)
