"""A cache that is bounded by what it holds, not by how many: one text may be a thousand times another."""

from __future__ import annotations

import threading
from collections import OrderedDict
from typing import Final, Generic, TypeVar

KeyT = TypeVar("KeyT")
ValueT = TypeVar("ValueT")

KEPT_TEXT: Final = 1 << 20
"""Bytes of text that no document has any more, but may have again (undo), of which results are kept."""


class Recent(Generic[KeyT, ValueT]):
    """What was used last, up to a weight. What was kept last stays, however heavy. For threads."""

    def __init__(self, most: int) -> None:
        self.most = most
        self._items: OrderedDict[KeyT, tuple[ValueT, int]] = OrderedDict()
        self._weight = 0
        self._lock = threading.Lock()

    def get(self, key: KeyT) -> ValueT | None:
        """What is kept under a key, which counts as a use."""
        with self._lock:
            item = self._items.get(key)
            if item is None:
                return None
            self._items.move_to_end(key)
            return item[0]

    def keep(self, key: KeyT, value: ValueT, weight: int) -> list[ValueT]:
        """Keep a value under a key, in place of an earlier one. Returns what had to go for it."""
        with self._lock:
            _, old_weight = self._items.pop(key, (None, 0))
            self._items[key] = (value, weight)
            self._weight += weight - old_weight
            gone = []
            while self._weight > self.most and len(self._items) > 1:
                _, (oldest, its_weight) = self._items.popitem(last=False)
                self._weight -= its_weight
                gone.append(oldest)
            return gone

    def values(self) -> list[ValueT]:
        """All that is kept, what was used last at the end."""
        with self._lock:
            return [value for value, _ in self._items.values()]

    def clear(self) -> None:
        """Forget everything."""
        with self._lock:
            self._items.clear()
            self._weight = 0

    def __contains__(self, key: KeyT) -> bool:
        return self.get(key) is not None

    def __len__(self) -> int:
        return len(self._items)
