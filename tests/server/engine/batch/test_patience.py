from __future__ import annotations

import signal
import sys
import threading
import time

import pytest

from nirls.server.engine.batch.patience import OutOfPatienceError, patience
from nirls.server.engine.worker import steps
from nirls.server.engine.worker.job import Budget

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs timers that send signals")


def loop_for_ever() -> None:
    while True:
        time.sleep(0.01)


def eat_for_ever(kept: list[bytes]) -> None:
    while True:
        kept.append(b"x" * (1 << 20) + b"y")
        time.sleep(0.001)


def test_work_that_takes_too_long_is_given_up() -> None:
    with pytest.raises(OutOfPatienceError), patience(Budget(seconds=0.3)):
        loop_for_ever()


def test_work_that_takes_too_much_memory_is_given_up() -> None:
    kept: list[bytes] = []
    with pytest.raises(OutOfPatienceError), patience(Budget(seconds=300, megabytes=50)):
        eat_for_ever(kept)
    assert len(kept) < 10_000


def test_each_step_has_the_time_for_itself() -> None:
    with patience(Budget(seconds=3.0)):
        started = time.monotonic()
        while time.monotonic() < started + 4.5:
            steps.begin("another")
            time.sleep(0.01)
    assert time.monotonic() - started >= 4.5


def test_nothing_is_left_behind() -> None:
    before = signal.getsignal(signal.SIGALRM)
    with patience(Budget(seconds=0.2)):
        pass
    time.sleep(0.6)
    assert signal.getsignal(signal.SIGALRM) is before
    assert signal.getitimer(signal.ITIMER_REAL)[0] == 0
    steps.begin("nobody asks")


def test_in_a_thread_there_is_no_limit() -> None:
    done = []

    def work() -> None:
        with patience(Budget(seconds=0.0)):
            done.append(True)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert done == [True]
