"""Signs of long work on standard error, if that is a terminal: a progress bar, or that files are read."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final, TypeVar

if TYPE_CHECKING:
    from rich.progress import Progress

ItemT = TypeVar("ItemT")
_FEW: Final = 8
_PATIENCE: Final = 1.0
"""Seconds of a command after which work on few items, or on an unknown number, is shown."""

_LEAST_PATIENCE: Final = 0.1
_START: Final = time.monotonic()

Status = Callable[[str], None]
"""Shows another text."""


def with_progress(items: Sequence[ItemT], what: str) -> Iterator[ItemT]:
    """Yield the items, with a progress bar on standard error if there are many or if they take long."""
    return progressing(items, len(items), what)


def progressing(
    items: Iterable[ItemT],
    total: int | Callable[[], int | None],
    what: str,
    current: Callable[[], str] | None = None,
) -> Iterator[ItemT]:
    """Yield `total` items, with a progress bar on standard error if there are many or if they take long.

    A `total` that is called returns None while it is not known. `current` says what the next item is made
    of, which is shown beside the bar.
    """
    if not sys.stderr.isatty():
        yield from items
        return

    def description() -> str:
        return what if current is None else f"{what} {current()}"

    count = total if callable(total) else lambda: total
    with _sign(description(), count, 0.0 if (count() or 0) > _FEW else _patience()) as sign:
        for item in items:
            sign.advance(description())
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


@contextmanager
def reading() -> Iterator[None]:
    """Show that files are read and prepared, where that takes long; nothing is written meanwhile."""
    if not sys.stderr.isatty():
        yield
        return
    with _sign("reading", lambda: None, _patience()):
        yield


def _patience() -> float:
    return max(_LEAST_PATIENCE, _START + _PATIENCE - time.monotonic())


class _Sign:
    """A bar that appears at once or after a while; while the total is None it only moves."""

    def __init__(self, what: str, total: Callable[[], int | None]) -> None:
        self._what = what
        self._total = total
        self._done = 0
        self._is_over = False
        self._lock = threading.Lock()
        self._progress: Progress | None = None

    def start(self) -> None:
        from rich.console import Console  # imported by `_sign`
        from rich.markup import escape
        from rich.progress import Progress

        # Results that are written meanwhile go above the bar, but into a file where standard output is one.
        above = sys.stdout.isatty()
        with self._lock:
            if self._is_over:
                return
            self._progress = Progress(console=Console(stderr=True), transient=True, redirect_stdout=above)
            self._progress.add_task(escape(self._what), total=self._total(), completed=self._done)
            self._progress.start()

    def advance(self, what: str) -> None:
        with self._lock:
            self._done += 1
            self._what = what
            if self._progress is not None:
                from rich.markup import escape  # imported by `_sign`

                (task,) = self._progress.task_ids
                self._progress.update(task, advance=1, total=self._total(), description=escape(what))

    def stop(self) -> None:
        with self._lock:
            self._is_over = True
            if self._progress is not None:
                self._progress.stop()


@contextmanager
def _sign(what: str, total: Callable[[], int | None], patience: float) -> Iterator[_Sign]:
    # rich takes 0.1 s to import, for terminals only. Not in the thread of the timer, because the main thread
    # may be importing what imports it too.
    import rich.markup
    import rich.progress  # noqa: F401

    sign = _Sign(what, total)
    timer = threading.Timer(patience, sign.start)
    timer.daemon = True
    if patience:
        timer.start()
    else:
        sign.start()
    try:
        yield sign
    finally:
        timer.cancel()
        sign.stop()
