"""CPU time of `nirls check` on the pipelines of the corpus, by step."""

from __future__ import annotations

import time
from collections import defaultdict
from pathlib import Path

from nirls.server.cli.opening import opened
from nirls.server.engine.batch.unit import Unit, check_unit
from nirls.server.engine.checks.check_settings import CheckSettings
from nirls.server.engine.files.located_findings import Check
from nirls.server.engine.worker import steps

RATE = "pipelines a second"
READING = "reading and validation, %"
REST = "all other passes, %"
MOST_UNITS = 120
"""Units of the corpus that are measured."""

_MOST_PASSES = 6
"""Passes with their own figure; the others are added up."""


def checking_figures(corpus: Path, most: int) -> tuple[int, dict[str, float]]:
    """Number of pipelines in `most` units of the corpus, evenly spread, and their figures.

    Pipelines are counted by the second of CPU time; shares of the time are in percent.
    """
    found = Check.of(opened([str(corpus / "pipelines")], None, partners=True), CheckSettings()).units
    distinct = list({unit.key(""): unit for unit in found}.values())
    units = distinct[:: max(1, len(distinct) // most)][:most]
    check_unit(units[0])  # imports the passes
    times = _times_by_step(units)
    total = sum(times.values())
    pipelines = sum(len(unit.texts) > 1 for unit in units)
    passes = sorted(times, key=lambda name: -times[name])
    shown = [name for name in passes if name][:_MOST_PASSES]
    shares = {READING: times[""], **{f"{name}, %": times[name] for name in shown}}
    shares[REST] = total - sum(shares.values())
    return pipelines, {
        RATE: pipelines / total,
        **{what: 100 * seconds / total for what, seconds in shares.items()},
    }


def _times_by_step(units: list[Unit]) -> dict[str, float]:
    """CPU seconds by pass; "" is reading and validation."""
    times: dict[str, float] = defaultdict(float)
    step, since = "", time.process_time()

    def begin(name: str) -> None:
        nonlocal step, since
        now = time.process_time()
        times[step] += now - since
        step, since = name, now

    steps.watch(begin)
    try:
        for unit in units:
            check_unit(unit)
        begin("")
    finally:
        steps.watch(None)
    return dict(times)
