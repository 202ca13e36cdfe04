"""A progress bar for long work, if standard error is a terminal."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TypeVar

ItemT = TypeVar("ItemT")
_FEW = 8

Status = Callable[[str], None]
"""Shows another text."""


def with_progress(items: Sequence[ItemT], what: str) -> Iterator[ItemT]:
    """Yield the items, with a progress bar on standard error if there are more than a few."""
    return progressing(items, len(items), what)


def progressing(
    items: Iterable[ItemT], total: int, what: str, current: Callable[[], str] | None = None
) -> Iterator[ItemT]:
    """Yield `total` items, with a progress bar on standard error if there are more than a few.

    `current` says what the next item is made of, which is shown beside the bar.
    """
    if total <= _FEW or not sys.stderr.isatty():
        yield from items
        return
    # rich takes 0.1 s to import, for terminals only.
    from rich.console import Console
    from rich.markup import escape
    from rich.progress import Progress

    def description() -> str:
        return what if current is None else f"{what} {escape(current())}"

    # Results that are written meanwhile go above the bar, but into a file where standard output is one.
    above = sys.stdout.isatty()
    with Progress(console=Console(stderr=True), transient=True, redirect_stdout=above) as progress:
        task = progress.add_task(description(), total=total)
        for item in items:
            progress.update(task, advance=1, description=description())
            yield item


@contextmanager
def status(text: str) -> Iterator[Status]:
    """Show a changing text beside a spinner on standard error, if it is a terminal."""
    if not sys.stderr.isatty():
        yield lambda text: None
        return
    # rich takes 0.1 s to import, for terminals only.
    from rich.console import Console
    from rich.markup import escape

    with Console(stderr=True).status(escape(text)) as spinner:
        yield lambda text: spinner.update(escape(text))
