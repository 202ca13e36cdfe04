"""Regular expressions take linear time on hostile text.

Every pattern in the sources is attacked with texts that repeat what one of its quantifiers takes, and with
texts that repeat the beginning of a match: the shapes that make backtracking exponential or quadratic.
"""

from __future__ import annotations

import re
import signal
import time
from collections.abc import Iterator
from typing import Any

import pytest

from tools.regular_expressions.pumps import pumps_of
from tools.regular_expressions.uses import ANCHORED, pattern_uses

SIZE = 1 << 13
SECONDS = 0.002
"""For `SIZE` characters; a pattern that takes longer is measured with four times as many."""


class TookTooLongError(Exception):
    pass


def seconds(pattern: re.Pattern[Any], method: str, text: Any) -> float:
    """CPU time of applying a pattern; raises TookTooLongError after 0.3 seconds."""

    def stop(*_: object) -> None:
        raise TookTooLongError

    old = signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, 0.3)
    start = time.thread_time()
    try:
        if method in ANCHORED:
            getattr(pattern, method)(text)
        else:
            for _ in pattern.finditer(text):
                pass
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, old)
    return time.thread_time() - start


def hard_texts(pattern: re.Pattern[Any], size: int) -> Iterator[Any]:
    for before, unit in pumps_of(pattern):
        text = before + unit * (size // len(unit)) + "\x00\n!"
        yield text.encode("latin-1") if isinstance(pattern.pattern, bytes) else text


def attack(pattern: re.Pattern[Any], method: str) -> str | None:
    """Return how a pattern can be attacked; None if no text was found that does."""
    sizes = (40, SIZE, 4 * SIZE)
    for small, text, large in zip(*(hard_texts(pattern, size) for size in sizes), strict=True):
        try:
            seconds(pattern, method, small)
            took = seconds(pattern, method, text)
            if took < SECONDS:
                continue
            took = min(took, seconds(pattern, method, text))
            growth = min(seconds(pattern, method, large) for _ in range(2)) / took
            if growth > 8:
                return f"{growth:.1f} times as long for 4 times as much of {text[:60]!r}"
        except TookTooLongError:
            return f"endless for {text[:60]!r}"
    return None


def test_every_pattern_is_linear() -> None:
    uses = pattern_uses()
    assert len(uses) > 180, "patterns are looked for in the wrong place"
    slow = []
    for use in uses:
        pattern = re.compile(use.pattern, use.flags)
        for method in sorted({method if method in ANCHORED else "search" for method in use.methods}):
            how = attack(pattern, method)
            if how is not None:
                slow.append(f"{use.place}: {method} with {use.pattern!r}: {how}")
    assert not slow, "\n" + "\n".join(slow)


@pytest.mark.parametrize(
    "text", [r"(a+)+b", r"\s*(?:x)?\s*y", r"a (\w+) [^)]*\)", r"(?:\d+,?)*z", r"^[ \t]*(x)?[ \t]*$"]
)
def test_slow_patterns_are_noticed(text: str) -> None:
    assert attack(re.compile(text), "search") is not None
