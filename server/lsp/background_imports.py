"""Import of modules that requests need, in a thread, so that the event loop imports nothing.

Handlers import these modules inside functions, because importing them before `initialize` is answered
would delay the start by about two seconds.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from importlib import import_module
from typing import Final

from nirls.passes import registry

FOR_REQUESTS: Final = (
    "nirls.ir.validation",
    "nirls.ir.text.parse",
    "nirls.server.ide.outline",
    "nirls.server.ide.hover",
    "nirls.server.ide.completion.complete",
    "nirls.server.ide.inlay_hints",
    "nirls.server.ide.packing",
    "nirls.server.ide.value_history",
    "nirls.server.ide.code_changes",
    "nirls.server.ide.snapshot_diff",
    "nirls.server.ide.snapshot_pressure",
    "nirls.server.ide.symbol_search",
    "nirls.server.ide.navigation",
    "nirls.server.ide.calls",
    "nirls.server.ide.completion.documentation",
    "nirls.server.ide.signatures",
    "nirls.server.ide.rename",
    "nirls.server.ide.selection",
    "nirls.server.ide.numbering",
    "nirls.server.ide.formatting",
    "nirls.server.ide.preview",
    "nirls.server.ide.link_savings",
    "nirls.server.ide.source_links",
    "nirls.server.ide.rule_pages",
    "nirls.server.ide.graphs.drawn",
    "nirls.server.engine.timeline.plain",
    "nirls.server.engine.verification.log",
)
"""Modules of small size that requests about a text need, the first ones first; about 0.7 s together."""

FOR_PASSES: Final = (
    "nirls.server.ide.packing_plan",
    "nirls.server.ide.packing_text",
    "nirls.server.engine.bug_report",
    "nirls.server.ide.transition_texts",
    "nirls.server.engine.verification.findings",
    "nirls.passes.translation_validation",
)
"""Modules that import passes or the evaluator; about 1.5 s together. Imported at the first need."""


class BackgroundImports:
    """The imports of one server, each done once."""

    def __init__(self) -> None:
        self._running: dict[Callable[[], None], asyncio.Task[None]] = {}

    def start(self) -> None:
        """Begin to import what requests about a text need. Call on the event loop."""
        self._task(_import_for_requests)

    async def for_requests(self) -> None:
        """Wait until what requests about a text need is imported."""
        await asyncio.shield(self._task(_import_for_requests))

    async def for_passes(self) -> None:
        """Wait until passes and the evaluator are imported."""
        await asyncio.shield(self._task(_import_for_passes))

    def _task(self, function: Callable[[], None]) -> asyncio.Task[None]:
        task = self._running.get(function)
        if task is None:
            work = asyncio.to_thread(function)
            task = self._running[function] = asyncio.get_running_loop().create_task(work)
        return task


def _import_for_requests() -> None:
    for name in FOR_REQUESTS:
        import_module(name)


def _import_for_passes() -> None:
    registry.all_passes()
    for name in FOR_PASSES:
        import_module(name)
