"""Verdicts on transformations that Mesa's passes once made wrongly, and on those of the mended passes.

The folder `bugs` of the corpus has a folder a case: `buggy.log` is the snapshot before the pass and the
one that the faulty pass made, `correct.log` what the mended pass makes. A wrong result that is named
(`different`) is right, one that is unchecked counts as other, and one that is called equivalent is wrong. A
right result that is called different is wrong. The project's own pairs,
`tests/data/miscompiles`, are rows of their own: each transition of `*_wrong.log` and `*_right.log` is a case.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path

from nirls.server.engine.verification.log import read_log
from nirls.server.engine.verification.run import comparisons_of
from nirls.server.engine.verification.unit import UNCHANGED, TransitionVerdict, verify_unit
from tools.corpus.tally import CaseTally, Outcome, Task

OWN = Path(__file__).resolve().parents[2] / "tests" / "data" / "miscompiles"

_OF_WRONG: dict[str, Outcome] = {"different": "right", "unchecked": "other"}
_OF_RIGHT: dict[str, Outcome] = {"different": "wrong", "unchecked": "other"}


def tasks(corpus: Path) -> Iterator[Task]:
    """One task a log."""
    for folder in sorted((corpus / "bugs").glob("*/")):
        for log in sorted(folder.glob("*.log")):
            yield partial(count_log, log, was_wrong=log.stem == "buggy")
    for log in sorted(OWN.glob("*.log")) if any(corpus.iterdir()) else ():
        yield partial(count_transitions, log, was_wrong=log.stem.endswith("_wrong"))


def count_log(log: Path, *, was_wrong: bool) -> CaseTally:
    """Count the verdict on a log: that on its worst transition."""
    order = ("different", "unchecked", "equivalent", "unchanged")
    verdicts = (verdict for _, verdict in _verdicts(log))
    worst = min(verdicts, key=lambda verdict: order.index(verdict.verdict), default=UNCHANGED)
    tally = CaseTally()
    _add(tally, "Mesa's", log.parent.name, worst, was_wrong=was_wrong)
    return tally


def count_transitions(log: Path, *, was_wrong: bool) -> CaseTally:
    """Count the verdict on each transition of a log."""
    tally = CaseTally()
    for shader, verdict in _verdicts(log):
        _add(tally, "own", shader, verdict, was_wrong=was_wrong)
    return tally


def _verdicts(log: Path) -> Iterator[tuple[str, TransitionVerdict]]:
    for comparison in comparisons_of(log.name, read_log(log.read_bytes())):
        unit = comparison.unit
        yield comparison.shader, UNCHANGED if unit is None else verify_unit(unit)


def _add(tally: CaseTally, source: str, name: str, verdict: TransitionVerdict, *, was_wrong: bool) -> None:
    row = f"{source}: {'wrong results named' if was_wrong else 'right results not called different'}"
    known = _OF_WRONG if was_wrong else _OF_RIGHT
    outcome = known.get(verdict.verdict, "wrong" if was_wrong else "right")
    tally.add(row, outcome, "" if outcome == "right" else f"{name}: {verdict.verdict}: {verdict.reason}")
