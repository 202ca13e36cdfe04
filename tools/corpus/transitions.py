"""Verdicts of `nirls verify`, and links, in logs of drivers that nirls was not built on.

The logs are those of the folder `drivers2` of the corpus. No transition may be `different`, except where Mesa
itself is wrong, and no link may be wrong; at most 10 % of the transitions should be unchecked. A log has
thousands of transitions of a few passes: of each pass, `MOST_OF_A_PASS` are verified in a log.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from nirls.server.engine.verification.log import read_log
from nirls.server.engine.verification.unit import verify_unit
from tools.corpus.drivers import count_links, driver_of, read_logs
from tools.corpus.tally import CaseTally, Outcome, Task

MOST_OF_A_PASS = 2
_OUTCOMES: dict[str, Outcome] = {"different": "wrong", "unchecked": "other"}
_WRONG_IN_MESA = frozenset((("dxil", "dxil_nir_split_tess_ctrl"), ("dxil", "nir_lower_io")))
"""Drivers with passes that the README of the logs names as faults of Mesa."""


def tasks(corpus: Path) -> Iterator[Task]:
    """One task a log."""
    folder = corpus / "drivers2"
    if folder.is_dir():
        for name, data in read_logs(folder):
            yield partial(count_transitions, name, data)


def count_transitions(name: str, data: bytes) -> CaseTally:
    """Count the links of a log, and the verdicts on its transitions."""
    tally = CaseTally()
    driver = driver_of(name)
    log = read_log(data)
    count_links(tally, driver, name, [dump.piece.text for dump in log.snapshot.dumps()])
    seen: Counter[str] = Counter()
    for transition in log.transitions:
        seen[transition.pass_name] += transition.is_changed
        if not transition.is_changed or seen[transition.pass_name] > MOST_OF_A_PASS:
            continue
        transition_verdict = verify_unit(log.unit(transition))
        outcome = _OUTCOMES.get(transition_verdict.verdict, "right")
        if outcome == "wrong" and (driver, transition.pass_name) in _WRONG_IN_MESA:
            outcome = "other"
        note = f"{name}:{log.line(transition.after) + 1}: {transition.pass_name}: {transition_verdict.reason}"
        for row in ("all: transitions", f"{driver}: transitions"):
            tally.add(row, outcome, "" if outcome == "right" else note)
    return tally
