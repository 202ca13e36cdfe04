"""Diffs of a log are the same, however its pairs are divided and wherever they are computed."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest

from nirls.ir.text.log_parts import dump_texts
from nirls.server.engine.batch.run import on_this_machine, results_of
from nirls.server.ide.history.snapshot_diff import texts_of_dumps
from nirls.server.ide.report import diffs
from nirls.server.ide.report.contents import PassDiff, pass_diff
from nirls.server.ide.report.diffs import DIFFS, Pair, diff_units, diffs_of

DUMP = b"shader: MESA_SHADER_COMPUTE\nimpl main {\n    block b0:\n%s    block b1:\n}\n"


def dumps(count: int) -> list[bytes]:
    line = b"    32    %%%d = load_const (0x%d)\n"
    return [DUMP % b"".join(line % (each, each) for each in range(number)) for number in range(1, count + 1)]


@pytest.fixture
def pairs() -> list[Pair]:
    texts = dumps(12)
    return [*pairwise(texts), (texts[0], texts[5])]


@pytest.mark.parametrize("size", [1, 500, 1_000_000])
def test_units_cover_the_pairs_in_order(
    pairs: list[Pair], size: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(diffs, "_UNIT_SIZE", size)
    units = list(diff_units(pairs))
    assert [pair for unit in units for pair in unit.pairs] == pairs
    assert [number for unit in units for number in unit.numbers] == list(range(len(pairs)))
    assert (len(units) == 1) == (size == 1_000_000)
    found = [diff for unit in units for diff in diffs_of(unit)]
    assert found == [pass_diff(texts_of_dumps(*pair)) for pair in pairs]


def test_no_pairs_have_no_units() -> None:
    assert list(diff_units([])) == []


@pytest.mark.sweep
def test_workers_compute_the_same(corpus: Path) -> None:
    log = next(path for path in sorted((corpus / "logs").iterdir()) if path.is_file())
    texts = list(dump_texts(log.read_bytes()))[:60]
    pairs = list(pairwise(texts)) * 2
    units = list(diff_units(pairs))
    assert sum(unit.size for unit in units) > 400_000
    found: dict[int, tuple[PassDiff, ...]] = dict(
        results_of(DIFFS, units, None, lambda work, missing: on_this_machine(work, missing, jobs=2))
    )
    assert [found[number] for number in range(len(units))] == [diffs_of(unit) for unit in units]
