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
from tools.corpus.tally import CaseTally, Outcome, Task
from tools.seeded_faults import KINDS, outcomes

_SEEDS = 4
_FAULTS = 2 * len(KINDS)
_DRIVERS = ("turnip750.basic", "freedreno_750.cs", "radv_gfx1201.mesh", "iris_tgl.vf")
_OUTCOMES: dict[str, Outcome] = {"different": "wrong", "unchecked": "other"}


def tasks(corpus: Path) -> Iterator[Task]:
    """Every log of Mesa's passes, and some of drivers, with and without faults."""
    logs = sorted((corpus / "logs").glob("*.log"))
    drivers = [path for name in _DRIVERS for path in sorted(corpus.glob(f"drivers/**/{name}.log"))]
    for path in (*logs, *drivers):
        yield partial(verify_log, path)
    for path in logs:
        yield from (partial(name_faults, path, _FAULTS, seed) for seed in range(_SEEDS))
    for path in drivers:
        yield partial(name_faults, path, _FAULTS, 1)


def verify_log(path: Path) -> CaseTally:
    """Count the verdicts on the transitions of a log."""
    tally = CaseTally()
    log = read_log(path.read_bytes())
    for transition in log.transitions:
        if not transition.is_changed:
            tally.add("verify: unchanged", "right")
            continue
        transition_verdict = verify_unit(log.unit(transition))
        where = f"{path.name}:{log.line(transition.after) + 1}: {transition.pass_name}"
        row = "verify: drivers" if path.parent.name != "logs" else "verify: passes"
        tally.add(
            row, _OUTCOMES.get(transition_verdict.verdict, "right"), f"{where}: {transition_verdict.reason}"
        )
    return tally


def name_faults(path: Path, count: int, seed: int) -> CaseTally:
    """Count the seeded faults of a log that are named at their transition."""
    tally = CaseTally()
    for result in outcomes([read_log(path.read_bytes())], count, seed):
        if result.is_visible:
            outcome: Outcome = "right" if result.verdict == "different" else "other"
            note = f"{result.fault.transition.pass_name}: {result.fault.text}: {result.reason}"
            tally.add(f"faults named: {result.fault.kind}", outcome, note)
    return tally
