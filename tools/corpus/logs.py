"""`nirls verify` on the logs of a corpus, with and without faults.

No transition may be `different`; at most 10 % should be unchecked. Of the faults that further runs can see,
at least 90 % should be named at their own transition; those that are not count as other.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path

from nirls.server.engine.verification.log import read_log
from nirls.server.engine.verification.unit import verify_unit
from tools.corpus.drivers import read_logs
from tools.corpus.tally import CaseTally, Outcome, Task
from tools.seeded_faults import KINDS, outcomes

_FAULTS = 2 * len(KINDS)
_SEEDS = {"logs": 4, "drivers": 1}
"""How often faults are put into the logs of a folder of the corpus."""

_DRIVERS = frozenset(("turnip750.basic", "freedreno_750.cs", "radv_gfx1201.mesh", "iris_tgl.vf"))
_OUTCOMES: dict[str, Outcome] = {"different": "wrong", "unchecked": "other"}


def tasks(corpus: Path) -> Iterator[Task]:
    """Every log of Mesa's passes, and some of drivers, with and without faults."""
    for folder, seeds in _SEEDS.items():
        for name, data in read_logs(corpus / folder):
            if folder == "drivers" and name.removesuffix(".log") not in _DRIVERS:
                continue
            yield partial(verify_log, name, data, f"verify: {folder}")
            yield from (partial(name_faults, data, _FAULTS, seed) for seed in range(seeds))


def verify_log(name: str, data: bytes, row: str) -> CaseTally:
    """Count the verdicts on the transitions of a log that change something in a row of their own."""
    tally = CaseTally()
    log = read_log(data)
    for transition in log.transitions:
        if not transition.is_changed:
            tally.add("verify: unchanged", "right")
            continue
        transition_verdict = verify_unit(log.unit(transition))
        where = f"{name}:{log.line(transition.after) + 1}: {transition.pass_name}"
        tally.add(
            row, _OUTCOMES.get(transition_verdict.verdict, "right"), f"{where}: {transition_verdict.reason}"
        )
    return tally


def name_faults(data: bytes, count: int, seed: int) -> CaseTally:
    """Count the seeded faults of a log that are named at their transition."""
    tally = CaseTally()
    for result in outcomes([read_log(data)], count, seed):
        if result.is_visible:
            outcome: Outcome = "right" if result.verdict == "different" else "other"
            note = f"{result.fault.transition.pass_name}: {result.fault.text}: {result.reason}"
            tally.add(f"faults named: {result.fault.kind}", outcome, note)
    return tally
