"""A sample of the corpus: results of Mesa's passes and of ours are the same program as what went in.

All of the corpus is judged by `make corpus`. What is checked here is chosen by the alphabet.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from nirls.passes.translation_validation import ValidationOptions
from tools.corpus.validation import (
    WRONG_IN_MESA,
    Checked,
    mesa_discards,
    mesa_linked,
    mesa_log,
    our_pipeline_passes,
    our_shader_passes,
)

QUICK = ValidationOptions(runs=3, most_runs=5, lanes=32, least_lanes=8, iteration_limit=300)
SMALL = 60_000
"""Bytes of all dumps of a folder, above which it is left to `make corpus`."""


def folders(corpus: Path, first: int, every: int, dialect: str = "modern") -> list[Path]:
    found = sorted((corpus / "pipelines").glob(f"*/{dialect}"))[first::every]
    return [one for one in found if sum(path.stat().st_size for path in one.glob("*.io.nir")) < SMALL]


def none_is_wrong(checked: list[Checked], at_least: int) -> None:
    wrong = [f"{one.source}: {one.name}: {one.verdict}" for one in checked if one.outcome == "different"]
    counts = Counter(one.outcome for one in checked)
    print(dict(counts))
    assert wrong == []
    assert counts["equivalent"] >= at_least


def test_linked_by_mesa(corpus: Path) -> None:
    none_is_wrong([one for folder in folders(corpus, 1, 6) for one in mesa_linked(folder, QUICK)], 5)


def test_known_miscompilation_by_mesa_is_found(corpus: Path) -> None:
    found = list(mesa_linked(corpus / "pipelines" / "hand_geom_billboard" / "modern", QUICK))
    outcomes = {one.name: one.outcome for one in found}
    assert outcomes["hand_geom_billboard geom-frag"] == "known"
    assert outcomes["hand_geom_billboard vert-geom"] == "equivalent"
    assert set(outcomes) & WRONG_IN_MESA == {"hand_geom_billboard geom-frag"}


def test_discards_by_mesa(corpus: Path) -> None:
    every = [one for folder in folders(corpus, 0, 3) for one in mesa_discards(folder, QUICK)]
    none_is_wrong(every, 3)


def test_log_of_mesa(corpus: Path) -> None:
    none_is_wrong(list(mesa_log(corpus / "logs" / "every_pass_small.log", QUICK, every=4)), 10)


@pytest.mark.parametrize("dialect", ["modern", "classic"])
def test_our_shader_passes(corpus: Path, dialect: str) -> None:
    sample = folders(corpus, 3, 8, dialect)
    none_is_wrong(
        [one for folder in sample for one in our_shader_passes(folder, ("ssa", "io"), QUICK)],
        len(sample) // 2,
    )


def test_our_pipeline_passes(corpus: Path) -> None:
    sample = folders(corpus, 2, 5)
    none_is_wrong([one for folder in sample for one in our_pipeline_passes(folder, QUICK)], len(sample) // 2)
