"""Worker processes of a batch, with passes of another package that misbehave in them."""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Iterator
from itertools import count
from pathlib import Path

import psutil
import pytest

from nirls.ir.finding import Severity
from nirls.server.engine.batch.unit import Unit, UnitFindings, check_unit
from nirls.server.engine.batch.work import Work
from nirls.server.engine.batch.workers import CHECK, check_in, on_workers
from nirls.server.engine.checks.check_settings import CheckSettings
from nirls.server.engine.checks.finding_codes import PASS_FAILED
from nirls.server.engine.worker.job import Budget, Cause, JobFailedError
from nirls.server.engine.worker.process import Worker, WorkerProcess
from tests.passes.shader_text import ZERO, shader_text
from tests.server.conftest import Run

from .test_unit import FRAGMENT, VERTEX, WRONG

PASSES = """
from nirls.passes.declaration import Pass

def declared():
    import dies, loops, raises
    return [one.Declared for one in (loops, dies, raises)]
"""
DECLARED = """
import os
from nirls.passes.declaration import Pass

class Declared(Pass):
    name, summary = "{name}", "Misbehave"

    def find(self, shaders):
        if b"// {name}" in shaders[0].source:
            {body}
        return []
"""
UNKNOWN = shader_text("FRAGMENT", ZERO, "32    %1 = unheard_of %0")
BODIES = {"loops": "while True: pass", "dies": "os._exit(9)", "raises": "raise ValueError('no')"}


@pytest.fixture
def misbehaving(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Passes of a package that the workers see, and this process does not."""
    information = tmp_path / "misbehaving-1.0.dist-info"
    information.mkdir()
    (information / "METADATA").write_text("Metadata-Version: 2.1\nName: misbehaving\nVersion: 1.0\n")
    (information / "entry_points.txt").write_text("[nirls.passes]\nmisbehaving = misbehaving:declared\n")
    (tmp_path / "misbehaving.py").write_text(PASSES)
    for name, body in BODIES.items():
        (tmp_path / f"{name}.py").write_text(DECLARED.format(name=name, body=body))
    path = os.pathsep.join(filter(None, [str(tmp_path), os.environ.get("PYTHONPATH")]))
    monkeypatch.setenv("PYTHONPATH", path)


def unit_of(text: str, settings: CheckSettings | None = None) -> Unit:
    return Unit((text.encode(),), (True,), False, settings or CheckSettings())


@pytest.mark.sweep
@pytest.mark.usefixtures("misbehaving")
def test_a_pass_that_misbehaves_costs_only_its_own_findings(capfd: pytest.CaptureFixture[str]) -> None:
    off = CheckSettings({PASS_FAILED.code: Severity.OFF})
    units = [
        unit_of(f"{UNKNOWN}// loops\n"),
        unit_of(f"{UNKNOWN}// dies\n"),
        unit_of(f"{UNKNOWN}// raises\n"),
        unit_of(FRAGMENT),
        unit_of(f"{UNKNOWN}// dies\n", off),
    ]
    found = dict(on_workers(CHECK, list(enumerate(units)), 2, Budget(seconds=8)))
    said = {
        number: [one.message for one in each.findings if one.code == PASS_FAILED.code]
        for number, each in found.items()
    }
    assert said == {
        0: ["loops could not be run: it took too long"],
        1: ["dies could not be run: it ended its process (exit status 9)"],
        2: ["raises could not be run: ValueError: no"],
        3: [],
        4: [],
    }
    (raised,) = (one for one in found[2].findings if one.code == PASS_FAILED.code)
    assert "ValueError: no" in str(raised.data["trace"])
    assert "Traceback" not in capfd.readouterr().err
    for number in (0, 1, 2, 4):
        codes = [one.code for one in found[number].findings]
        assert [code for code in codes if code != PASS_FAILED.code] == ["unknown-opcode"]


def test_workers_end_with_the_iterator() -> None:
    before, threads = set(psutil.Process().children()), set(threading.enumerate())
    units = [unit_of(f"// {number}\n{VERTEX}") for number in range(8)]
    results = on_workers(CHECK, list(enumerate(units)), 2)
    next(results)
    started = set(psutil.Process().children()) - before
    assert len(started) == 2
    results.close()
    assert not any(process.is_running() for process in started)
    assert set(threading.enumerate()) <= threads


def test_results_come_while_units_are_read() -> None:
    def endless() -> Iterator[tuple[int, Unit]]:
        for number in count():
            time.sleep(0.01)
            yield number, unit_of(f"// {number}\n{VERTEX}")

    results = on_workers(CHECK, endless(), 1)
    assert [next(results)[0] for _ in range(3)] == [0, 1, 2]
    results.close()


@pytest.mark.skipif(sys.platform == "win32", reason="processes are ended with a signal")
def test_neighbours_run_in_one_process() -> None:
    """Successive snapshots of a shader are units of their own, and share a dump."""
    processes: dict[int, int] = {}

    def in_worker(worker: Worker, unit: Unit) -> UnitFindings:
        found = UnitFindings(())
        time.sleep(0.01)
        assert isinstance(worker, WorkerProcess)
        processes[int(unit.texts[0])] = id(worker)
        return found

    work = Work(lambda unit: UnitFindings(()), in_worker, UnitFindings, lambda found: True)
    units = [(number, Unit((b"%d" % number,), (True,), False, CheckSettings())) for number in range(64)]
    assert sorted(number for number, _ in on_workers(work, units, 2)) == list(range(64))
    changes = sum(processes[number] != processes[number + 1] for number in range(63))
    assert len(set(processes.values())) == 2
    assert changes < 32


def test_a_worker_that_is_killed_from_outside_is_replaced() -> None:
    units = [unit_of(f"// {number}\n{WRONG}") for number in range(6)]
    results = on_workers(CHECK, list(enumerate(units)), 1)
    found = dict([next(results)])
    for child in psutil.Process().children():
        child.kill()
    found.update(results)
    whole = [number for number, each in found.items() if each == check_unit(units[number])]
    # The one that was at work is told of, if there was one.
    assert len(whole) >= 5
    assert set(found) == set(range(6))


class Stopped:
    """A worker that somebody stopped."""

    def call(self, *_: object, **__: object) -> None:
        raise JobFailedError(Cause.STOPPED)


def test_a_worker_that_was_stopped_found_nothing() -> None:
    with pytest.raises(JobFailedError):
        check_in(Stopped(), unit_of(FRAGMENT))  # type: ignore[arg-type]


def test_no_process_at_all_is_a_finding(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    (found,) = check_in(WorkerProcess(), unit_of(FRAGMENT)).findings
    assert "no process for passes could be started" in found.message
    assert found.code == PASS_FAILED.code


@pytest.mark.usefixtures("misbehaving")
def test_a_pass_of_another_package_never_ends_the_command(
    run: Run, workdir: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    (workdir / "a.nir").write_text(shader_text("FRAGMENT", ZERO, "32    %1 = unheard_of %0  // dies"))
    result = run("check", "--verbose", "--format", "json", "a.nir")
    assert {one["code"] for one in result.json} == {"unknown-opcode", "pass-failed"}
    assert result.status == 1
    assert result.err.startswith("nirls: dies could not be run: it ended its process (exit status 9)")
