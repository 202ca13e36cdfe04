"""LRU cache limited by the total size of its entries, as sizes of texts differ by a factor of a thousand.

Unlike `cachetools.LRUCache`, it has an adjustable limit, keeps an entry above the limit, and returns evicted
values.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from typing import Final, Generic, TypeVar

KeyT = TypeVar("KeyT")
ValueT = TypeVar("ValueT")

KEPT_TEXT: Final = 1 << 20
"""Bytes of removed text whose results are kept for undo."""


class LruCache(Generic[KeyT, ValueT]):
    """Entries up to a total size of `limit`; the newest `least` are kept whatever their size. Thread-safe."""

    def __init__(self, limit: int, least: int = 1) -> None:
        self.limit = limit
        self._least = least
        self._entries: OrderedDict[KeyT, tuple[ValueT, int]] = OrderedDict()
        self._size = 0
        self._lock = threading.Lock()

    def get(self, key: KeyT) -> ValueT | None:
        """Return the value of a key, which becomes the most recently used; None if absent."""
        with self._lock:
            entry = self._entries.get(key)
            if entry is None:
                return None
            self._entries.move_to_end(key)
            return entry[0]

    def put(self, key: KeyT, value: ValueT, size: int) -> list[ValueT]:
        """Set the value of a key; returns the evicted values."""
        with self._lock:
            _, old_size = self._entries.pop(key, (None, 0))
            self._entries[key] = (value, size)
            self._size += size - old_size
            evicted = []
            while self._size > self.limit and len(self._entries) > self._least:
                _, (oldest, its_size) = self._entries.popitem(last=False)
                self._size -= its_size
                evicted.append(oldest)
            return evicted

    def pop(self, key: KeyT) -> ValueT | None:
        """Remove a key, and return its value; None if absent."""
        with self._lock:
            value, size = self._entries.pop(key, (None, 0))
            self._size -= size
            return value

    def values(self) -> list[ValueT]:
        """All values, the most recently used last."""
        with self._lock:
            return [value for value, _ in self._entries.values()]

    def clear(self) -> None:
        """Remove all entries."""
        with self._lock:
            self._entries.clear()
            self._size = 0

    def __contains__(self, key: KeyT) -> bool:
        return self.get(key) is not None

    def __len__(self) -> int:
        return len(self._entries)
