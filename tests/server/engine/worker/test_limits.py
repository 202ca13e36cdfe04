"""Limits that a process sets itself, in processes made for it."""

from __future__ import annotations

import faulthandler
import subprocess
import sys
from collections.abc import Iterator

import pytest

from nirls.server.engine.worker.crash_log import CrashLog, CrashLogWriter
from nirls.server.engine.worker.job import OUT_OF_MEMORY
from nirls.server.engine.worker.limits import MemoryGuard, TimeGuard

START = """
import sys, time
from nirls.server.engine.worker.crash_log import CrashLogWriter
from nirls.server.engine.worker.limits import MemoryGuard, TimeGuard
recorder = CrashLogWriter(sys.argv[1])
recorder.begin("step")
clock, memory = TimeGuard(recorder), MemoryGuard(recorder)
"""


def run(code: str, box: CrashLog) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", START + code, box.address]
    return subprocess.run(
        command, capture_output=True, text=True, timeout=120, check=False, pass_fds=box.inherited
    )


@pytest.fixture
def box() -> Iterator[CrashLog]:
    made = CrashLog()
    yield made
    made.close()


def test_who_takes_too_long_is_ended_with_a_trace(box: CrashLog) -> None:
    ran = run("def endless():\n    while True: pass\nclock.set(0.3)\nendless()", box)
    assert ran.returncode == 1
    assert box.step() == "step"
    assert "in endless" in box.trace()


def test_who_is_done_in_time_is_not(box: CrashLog) -> None:
    ran = run("clock.set(0.3)\nclock.stop()\ntime.sleep(0.8)\nprint('done')", box)
    assert (ran.returncode, ran.stdout) == (0, "done\n")
    assert box.trace() == ""


def test_time_is_counted_anew(box: CrashLog) -> None:
    ran = run("clock.set(0.3)\nclock.set(90)\ntime.sleep(0.8)\nprint('done')", box)
    assert (ran.returncode, ran.stdout) == (0, "done\n")


def test_each_step_has_the_whole_limit(box: CrashLog) -> None:
    code = "for _ in range(8):\n    clock.set(0.4)\n    time.sleep(0.1)\nprint('done')"
    ran = run(code, box)
    assert (ran.returncode, ran.stdout) == (0, "done\n")


def test_many_short_steps_share_a_timer(box: CrashLog, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[float] = []

    def dump_later(seconds: float, **_: object) -> None:
        made.append(seconds)

    monkeypatch.setattr(faulthandler, "dump_traceback_later", dump_later)
    clock = TimeGuard(CrashLogWriter(box.address))
    for _ in range(100):
        clock.set(60)
    assert made == [pytest.approx(63)]
    clock.set(20)
    clock.stop()
    clock.set(20)
    assert made[1:] == [pytest.approx(21)] * 2


def test_who_grows_bit_by_bit_is_ended(box: CrashLog) -> None:
    # Not by the system, which refuses what is asked for, but by the thread that looks.
    code = (
        "memory._limit_address_space = lambda megabytes: None\n"
        "memory.set(50)\n"
        "kept = [bytes([n % 251]) * (1 << 20) for n in range(200)]\n"
        "time.sleep(60)"
    )
    ran = run(code, box)
    assert ran.returncode == OUT_OF_MEMORY, ran.stderr
    assert "Thread" in box.trace()


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux refuses memory that is asked for at once")
def test_too_much_at_once_is_refused(box: CrashLog) -> None:
    code = "memory.set(200)\ntry:\n    bytearray(4 << 30)\nexcept MemoryError:\n    print('refused')"
    ran = run(code, box)
    assert (ran.returncode, ran.stdout) == (0, "refused\n")


def test_growth_is_counted_from_the_start(box: CrashLog) -> None:
    guard = MemoryGuard(CrashLogWriter(box.address))
    assert guard.used() > 0
    assert not guard.has_grown(100_000)
    assert guard.has_grown(-100_000)
