"""A sample of the corpus: results of Mesa's passes and of ours are the same program as what went in.

All of the corpus is judged by `make corpus`. What is checked here is chosen by the alphabet.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from nirls.verification.options import VerificationOptions
from tools.corpus.pass_results import mesa_log, mesa_results, our_results
from tools.corpus.tally import CaseTally
from tools.corpus.validation import WRONG_IN_MESA, count

QUICK = VerificationOptions(runs=3, most_runs=5, lanes=32, least_lanes=8, iteration_limit=300)
SMALL = 60_000
"""Bytes of all dumps of a folder, above which it is left to `make corpus`."""


def folders(corpus: Path, first: int, every: int, dialect: str = "modern") -> list[Path]:
    found = sorted((corpus / "pipelines").glob(f"*/{dialect}"))[first::every]
    return [one for one in found if sum(path.stat().st_size for path in one.glob("*.io.nir")) < SMALL]


def none_is_wrong(tally: CaseTally, at_least: int) -> None:
    assert tally.is_right, tally.noted("wrong")
    assert sum(tally.of(row)[0] for row in tally.rows) >= at_least


def test_results_of_mesa(corpus: Path) -> None:
    sample = [one for folder in folders(corpus, 0, 3) for one in mesa_results(folder)]
    tally = count(sample, QUICK)
    none_is_wrong(tally, 10)
    assert {"Mesa: opt_varyings", "Mesa: discards"} <= set(tally.rows)


def test_known_miscompilation_by_mesa_is_found(corpus: Path) -> None:
    tally = count(mesa_results(corpus / "pipelines" / "hand_geom_billboard" / "modern"), QUICK)
    (note,) = tally.noted("other", "Mesa: opt_varyings")
    name = note.partition(":")[0]
    assert name == "hand_geom_billboard geom-frag"
    assert name in WRONG_IN_MESA
    assert tally.of("Mesa: opt_varyings") == (1, 1, 0)


def test_log_of_mesa(corpus: Path) -> None:
    sample = list(mesa_log(corpus / "logs" / "every_pass_small.log"))[::4]
    none_is_wrong(count(sample, QUICK), 10)


@pytest.mark.parametrize("dialect", ["modern", "classic"])
def test_our_passes(corpus: Path, dialect: str) -> None:
    sample = folders(corpus, 3, 8, dialect)
    results = [one for folder in sample for one in our_results(folder, ("ssa", "io"))]
    none_is_wrong(count(results, QUICK), len(sample))
