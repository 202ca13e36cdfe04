"""Promises of every kind of batch work, on which workers and the cache rely."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import pytest

from nirls.server.engine.batch.result_cache import ResultCache
from nirls.server.engine.batch.unit import Unit
from nirls.server.engine.batch.work import Work
from nirls.server.engine.batch.workers import CHECK
from nirls.server.engine.checks.check_settings import CheckSettings
from nirls.server.engine.verification.unit import VERIFY, TransitionUnit
from nirls.server.ide.report.diffs import DIFFS, DiffUnit
from tests.passes.shader_text import ONE, ZERO, shader_text, store

BEFORE = shader_text("VERTEX", ZERO, ONE, store("POS", "%1")).encode()
AFTER = shader_text("VERTEX", ZERO, ONE, store("POS", "%0")).encode()

KINDS = pytest.mark.parametrize(
    ("work", "unit", "larger"),
    [
        (
            CHECK,
            Unit((BEFORE,), (True,), False, CheckSettings()),
            Unit((BEFORE, AFTER), (True, True), False, CheckSettings()),
        ),
        (VERIFY, TransitionUnit(BEFORE, AFTER, "nir_a"), TransitionUnit(BEFORE, AFTER + AFTER, "nir_a")),
        (
            DIFFS,
            DiffUnit(range(1), ((BEFORE, AFTER),)),
            DiffUnit(range(2), ((BEFORE, AFTER), (AFTER, BEFORE))),
        ),
    ],
    ids=["check", "verify", "diffs"],
)


@KINDS
def test_functions_and_units_can_be_sent_to_a_worker(work: Work[Any, Any], unit: Any, larger: Any) -> None:
    functions = (work.here, work.in_worker)
    assert pickle.loads(pickle.dumps(functions)) == functions
    assert pickle.loads(pickle.dumps(unit)) == unit


@KINDS
def test_results_come_back_from_the_cache_as_they_were(
    work: Work[Any, Any], unit: Any, larger: Any, tmp_path: Path
) -> None:
    result = work.here(unit)
    assert work.is_kept(result)
    cache = ResultCache(tmp_path)
    cache.put(unit.key("1"), result)
    assert cache.get(unit.key("1"), work.result_type) == result


@KINDS
def test_units_have_a_size_and_a_key_of_their_inputs(work: Work[Any, Any], unit: Any, larger: Any) -> None:
    assert 0 < unit.size < larger.size
    assert len({unit.key("1"), unit.key("2"), larger.key("1")}) == 3
    assert pickle.loads(pickle.dumps(unit)).key("1") == unit.key("1")
