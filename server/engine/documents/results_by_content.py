"""Results computed on demand and cached by the texts of linked dumps and options."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, TypeVar

from nirls.server.engine.documents.lru_cache import KEPT_TEXT, LruCache

if TYPE_CHECKING:
    from nirls.ir.io.urb_maps import UrbMaps

_log = logging.getLogger(__name__)

Options = Mapping[str, object]
ItemT = TypeVar("ItemT")


@dataclass(frozen=True, slots=True)
class DumpTexts:
    """The texts of dumps, and the maps printed below each of them; no maps if there are none."""

    dumps: tuple[bytes, ...]
    urb_maps: tuple[UrbMaps, ...] = ()


class ResultsByContent(Generic[ItemT]):
    """Calls `work` once per texts and options; concurrent requests share one task.

    `work` returns None if the result is no longer wanted; this is not cached. Use on the event loop only.
    """

    def __init__(self, work: Callable[[DumpTexts, Options], Awaitable[Sequence[ItemT] | None]]) -> None:
        self._work = work
        self._known: LruCache[object, Sequence[ItemT]] = LruCache(KEPT_TEXT)
        self._running: dict[object, asyncio.Task[Sequence[ItemT]]] = {}

    async def of(self, texts: DumpTexts, options: Options) -> Sequence[ItemT]:
        """Return the result; empty if `work` raises, which is logged."""
        key = _key(texts, options)
        known = self._known.get(key)
        if known is not None:
            return known
        task = self._running.get(key)
        if task is None:
            task = self._running[key] = asyncio.create_task(self._work_out(key, texts, options))
        # A cancelled request does not cancel the task: others may wait for it or request it again.
        return await asyncio.shield(task)

    async def soon(self, texts: DumpTexts, options: Options, seconds: float) -> Sequence[ItemT]:
        """Return the result, or nothing after `seconds`; the task continues, so a later request finds it."""
        try:
            return await asyncio.wait_for(self.of(texts, options), seconds)
        except TimeoutError:
            return ()

    async def _work_out(self, key: object, texts: DumpTexts, options: Options) -> Sequence[ItemT]:
        found: Sequence[ItemT] | None = ()
        try:
            found = await self._work(texts, options)
        except Exception:
            _log.exception("computing the effect of linking on dumps failed")
        finally:
            del self._running[key]
        if found is None:
            return ()
        self._known.put(key, found, sum(map(len, texts.dumps)))
        return found


def _key(texts: DumpTexts, options: Options) -> object:
    return texts, tuple(sorted((name, repr(value)) for name, value in options.items()))
