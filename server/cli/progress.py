"""A progress bar for long work, if standard error is a terminal."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from typing import TypeVar

ItemT = TypeVar("ItemT")
_FEW = 8


def with_progress(items: Sequence[ItemT], what: str) -> Iterator[ItemT]:
    """Yield the items, with a progress bar on standard error if there are more than a few."""
    return progressing(items, len(items), what)


def progressing(items: Iterable[ItemT], total: int, what: str) -> Iterator[ItemT]:
    """Yield `total` items, with a progress bar on standard error if there are more than a few."""
    if total <= _FEW or not sys.stderr.isatty():
        yield from items
        return
    from rich.console import Console
    from rich.progress import track

    yield from track(items, what, total=total, console=Console(stderr=True), transient=True)
