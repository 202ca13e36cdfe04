from __future__ import annotations

import os
import signal
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from nirls.server.checking import PASS_FAILED, CheckSettings
from nirls.server.command_line.batch import run as batch_run
from nirls.server.command_line.batch.result_cache import ResultCache
from nirls.server.command_line.batch.run import Results, checked, on_this_machine
from nirls.server.command_line.batch.unit import Unit, check_unit, units_of
from nirls.server.command_line.reported import Reported

from .test_unit import FRAGMENT, VERTEX, WRONG, workspace_of


@pytest.fixture
def units() -> list[Unit]:
    texts = {f"p{number}_vert": VERTEX for number in range(6)} | {
        f"p{number}_frag": FRAGMENT for number in range(6)
    }
    return units_of(workspace_of(**texts, bad_frag=WRONG), CheckSettings(), with_edits=True)


def serially(units: Sequence[Unit]) -> Results:
    return on_this_machine(units, 1)


def test_processes_find_what_one_finds(units: list[Unit], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batch_run, "_WORTH_A_PROCESS", 0)
    assert dict(on_this_machine(units, 2)) == dict(on_this_machine(units, 1))


def test_an_interrupted_run_goes_on_where_it_was(units: list[Unit], tmp_path: Path) -> None:
    cache = ResultCache(tmp_path)
    expected = dict(serially(units))
    interrupted = checked(units, cache, serially)
    for _ in range(3):
        next(interrupted)
    interrupted.close()
    computed: list[Unit] = []

    def counting(missing: Sequence[Unit]) -> Results:
        computed.extend(missing)
        return serially(missing)

    assert dict(checked(units, cache, counting)) == expected
    assert len(computed) == len(units) - 3
    assert dict(checked(units, cache, counting)) == expected
    assert len(computed) == len(units) - 3


def test_a_deleted_cache_costs_only_time(units: list[Unit], tmp_path: Path) -> None:
    cache = ResultCache(tmp_path / "check")
    expected = dict(checked(units, cache, serially))
    for path in (tmp_path / "check").rglob("*"):
        if path.is_file():
            path.unlink()
    assert dict(checked(units, cache, serially)) == expected


def test_a_failed_pass_is_tried_again(units: list[Unit], tmp_path: Path) -> None:
    cache = ResultCache(tmp_path)
    calls = 0

    def failing(missing: Sequence[Unit]) -> Results:
        nonlocal calls
        for number, unit in enumerate(missing):
            calls += 1
            (found,) = batch_run._ended_early(unit)[:1]
            yield number, [found]

    list(checked(units[:2], cache, failing))
    list(checked(units[:2], cache, failing))
    assert calls == 4


@pytest.mark.skipif(sys.platform == "win32", reason="processes are ended with a signal")
def test_a_process_that_dies_costs_its_own_unit(units: list[Unit], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batch_run, "_WORTH_A_PROCESS", 0)
    monkeypatch.setattr(batch_run, "check_unit", check_unless_bad)
    found = dict(on_this_machine(units, 2))
    expected = {number: check_unit(unit) for number, unit in enumerate(units)}
    bad = next(number for number, unit in enumerate(units) if unit.files[0][0].name == "bad.frag.nir")
    (only,) = found.pop(bad)
    assert only.kind == PASS_FAILED
    assert only.file == "bad.frag.nir"
    del expected[bad]
    assert found == expected


def check_unless_bad(unit: Unit) -> list[Reported]:
    """Like `check_unit`, but a certain file ends the process."""
    if unit.files[0][0].name == "bad.frag.nir":
        os.kill(os.getpid(), signal.SIGKILL)
    return check_unit(unit)
