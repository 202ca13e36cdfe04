"""Transitions a second of CPU time of `nirls verify` on the logs of the corpus, in one process."""

from __future__ import annotations

import statistics
import time
from pathlib import Path

from nirls.server.engine.verification.log import ReadLog, read_log
from nirls.server.engine.verification.unit import verify_unit

CHANGED = "changed transitions"
EVERY = "all transitions, with reading"
MOST = 40
"""Changed transitions measured of a log, evenly spread."""


def verification_figures(
    corpus: Path, runs: int = 3, most: int = MOST
) -> tuple[tuple[int, ...], list[dict[str, float]]]:
    """Lines of each log, and its figures (medians)."""
    texts = sorted((path.read_bytes() for path in (corpus / "logs").glob("*.log")), key=len)
    return tuple(text.count(b"\n") for text in texts), [_figures(text, runs, most) for text in texts]


def _figures(text: bytes, runs: int, most: int) -> dict[str, float]:
    measured = []
    for _ in range(max(1, runs)):
        start = time.process_time()
        log = read_log(text)
        reading = time.process_time() - start
        number, seconds = _verified(log, most)
        changed = sum(one.is_changed for one in log.transitions)
        measured.append((number / seconds, len(log.transitions) / (reading + seconds * changed / number)))
    return {
        CHANGED: statistics.median(one for one, _ in measured),
        EVERY: statistics.median(one for _, one in measured),
    }


def _verified(log: ReadLog, most: int) -> tuple[int, float]:
    """Verify transitions; their number and the time."""
    changed = [one for one in log.transitions if one.is_changed]
    chosen = changed[:: max(1, len(changed) // most)]
    start = time.process_time()
    for one in chosen:
        verify_unit(log.unit(one))
    return len(chosen), time.process_time() - start
