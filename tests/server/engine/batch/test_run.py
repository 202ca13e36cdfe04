from __future__ import annotations

import signal
import sys
import threading
import time
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import pytest

from nirls.ir.finding import Finding
from nirls.ir.model.shader import Shader
from nirls.passes import registry
from nirls.server.engine.batch import run as batch_run
from nirls.server.engine.batch.result_cache import ResultCache
from nirls.server.engine.batch.run import LimitExceededError, on_this_machine, results_of, step_limits
from nirls.server.engine.batch.unit import Unit, UnitFindings, check_unit
from nirls.server.engine.batch.work import Work
from nirls.server.engine.batch.workers import CHECK
from nirls.server.engine.checks.check_settings import CheckSettings
from nirls.server.engine.checks.finding_codes import PASS_FAILED
from nirls.server.engine.files.located_findings import Check
from nirls.server.engine.worker import steps
from nirls.server.engine.worker.job import Budget
from tests.declared_pass import declare, failing

from .test_unit import FRAGMENT, VERTEX, WRONG, workspace_of

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs timers that send signals")


def loop_for_ever() -> None:
    while True:
        time.sleep(0.01)


def eat_for_ever(kept: list[bytes]) -> None:
    while True:
        kept.append(b"x" * (1 << 20) + b"y")
        time.sleep(0.001)


def test_work_that_takes_too_long_is_given_up() -> None:
    with pytest.raises(LimitExceededError), step_limits(Budget(seconds=0.3)):
        loop_for_ever()


def test_work_that_takes_too_much_memory_is_given_up() -> None:
    kept: list[bytes] = []
    with pytest.raises(LimitExceededError), step_limits(Budget(seconds=300, megabytes=50)):
        eat_for_ever(kept)
    assert len(kept) < 10_000


def test_each_step_has_the_time_for_itself() -> None:
    with step_limits(Budget(seconds=3.0)):
        started = time.monotonic()
        while time.monotonic() < started + 4.5:
            steps.begin("another")
            time.sleep(0.01)
    assert time.monotonic() - started >= 4.5


def test_nothing_is_left_behind() -> None:
    before = signal.getsignal(signal.SIGALRM)
    with step_limits(Budget(seconds=0.2)):
        pass
    time.sleep(0.6)
    assert signal.getsignal(signal.SIGALRM) is before
    assert signal.getitimer(signal.ITIMER_REAL)[0] == 0
    steps.begin("nobody asks")


def test_in_a_thread_there_is_no_limit() -> None:
    done = []

    def work() -> None:
        with step_limits(Budget(seconds=0.0)):
            done.append(True)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert done == [True]


@pytest.fixture
def units() -> tuple[Unit, ...]:
    head, _, rest = VERTEX.partition("\n")
    names = {f"p{number}_vert": f"{head}\nname: {number}!\n{rest}" for number in range(6)}
    names |= {f"p{number}_frag": FRAGMENT for number in range(6)}
    return Check.of(workspace_of(**names, bad_frag=WRONG), CheckSettings(), edits_of=("one",)).units


def serially(work: Work[Unit, UnitFindings], units: Iterable[Unit]) -> Iterator[tuple[int, UnitFindings]]:
    return on_this_machine(work, units, 1)


def test_processes_find_what_one_finds(units: tuple[Unit, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    here = dict(on_this_machine(CHECK, units, 2))
    assert here == {number: check_unit(unit) for number, unit in enumerate(units)}
    monkeypatch.setattr(batch_run, "WORTH_A_PROCESS", 0)
    assert dict(on_this_machine(CHECK, units, 2)) == here


def test_an_interrupted_run_goes_on_where_it_was(units: tuple[Unit, ...], tmp_path: Path) -> None:
    cache = ResultCache(tmp_path)
    expected = dict(serially(CHECK, units))
    interrupted = results_of(CHECK, units, cache, serially)
    for _ in range(3):
        next(interrupted)
    interrupted.close()
    computed: list[Unit] = []

    def counting(
        work: Work[Unit, UnitFindings], missing: Iterable[Unit]
    ) -> Iterator[tuple[int, UnitFindings]]:
        given = list(missing)
        computed.extend(given)
        return serially(work, given)

    assert dict(results_of(CHECK, units, cache, counting)) == expected
    assert len(computed) == len(units) - 3
    assert dict(results_of(CHECK, units, cache, counting)) == expected
    assert len(computed) == len(units) - 3


def test_equal_dumps_are_checked_once(units: tuple[Unit, ...]) -> None:
    computed: list[Unit] = []

    def counting(
        work: Work[Unit, UnitFindings], missing: Iterable[Unit]
    ) -> Iterator[tuple[int, UnitFindings]]:
        given = list(missing)
        computed.extend(given)
        return serially(work, given)

    found = dict(results_of(CHECK, [units[0], units[1], units[0]], None, counting))
    assert tuple(computed) == units[:2]
    assert found == {0: check_unit(units[0]), 1: check_unit(units[1]), 2: check_unit(units[0])}


def test_a_deleted_cache_costs_only_time(units: tuple[Unit, ...], tmp_path: Path) -> None:
    cache = ResultCache(tmp_path / "check")
    expected = dict(results_of(CHECK, units, cache, serially))
    for path in (tmp_path / "check").rglob("*"):
        if path.is_file():
            path.unlink()
    assert dict(results_of(CHECK, units, cache, serially)) == expected


@pytest.fixture
def looping(monkeypatch: pytest.MonkeyPatch) -> None:
    """A pass that never ends on some dumps, in this process only: in another it is not declared."""

    def find(shaders: Sequence[Shader]) -> list[Finding]:
        while b"name: 2!" in shaders[0].source:
            time.sleep(0.01)
        return []

    declared = declare("looping", find=find, scope="pipeline")
    monkeypatch.setattr(registry, "all_passes", lambda: (declared,))


@pytest.mark.skipif(sys.platform == "win32", reason="needs timers that send signals")
@pytest.mark.usefixtures("looping")
def test_work_that_takes_too_long_here_goes_to_another_process(
    units: tuple[Unit, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    given: list[int] = []

    def elsewhere(
        work: Work[Unit, UnitFindings], units: Iterable[tuple[int, Unit]], jobs: int, budget: Budget
    ) -> Iterator[tuple[int, UnitFindings]]:
        for number, _ in units:
            given.append(number)
            yield number, UnitFindings(())

    monkeypatch.setattr(batch_run, "on_workers", elsewhere)
    found = dict(on_this_machine(CHECK, units, 2, Budget(seconds=0.5)))
    assert set(found) == set(range(len(units)))
    assert given == list(range(2, len(units)))


def test_a_failed_pass_is_tried_again(
    units: tuple[Unit, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mine = declare("mine", find=failing)
    monkeypatch.setattr(registry, "all_passes", lambda: (mine,))
    calls = 0

    def counting(
        work: Work[Unit, UnitFindings], missing: Iterable[Unit]
    ) -> Iterator[tuple[int, UnitFindings]]:
        nonlocal calls
        given = list(missing)
        calls += len(given)
        return serially(work, given)

    for _ in range(2):
        found = dict(results_of(CHECK, units[:2], ResultCache(tmp_path), counting))
        assert {one.code for each in found.values() for one in each.findings} >= {PASS_FAILED.code}
    assert calls == 4
