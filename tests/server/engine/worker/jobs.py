"""Jobs that go wrong in every way, for the tests of workers."""

from __future__ import annotations

import os
import signal
import sys
import time

from nirls.server.engine.worker import steps


def be_killed(times: int, folder: str, step: str) -> int:
    """Kill the process in the first calls; return the number of calls so far."""
    steps.begin(step)
    with open(os.path.join(folder, "calls"), "a+") as file:
        file.write("x")
        file.seek(0)
        calls = len(file.read())
    if calls <= times:
        os.kill(os.getpid(), signal.SIGKILL)
    return calls


def double(number: int) -> int:
    return 2 * number


def print_and_read() -> str:
    print("a pass may print")
    return sys.stdin.read()


def process_id() -> int:
    return os.getpid()


def raise_it() -> None:
    steps.begin("raising")
    raise ValueError("no good")


def loop() -> None:
    steps.begin("looping")
    while True:
        pass


def loop_in_c() -> None:
    """Holds the interpreter: no other thread of the process runs any more."""
    import re

    steps.begin("matching")
    re.match(r"(a+)+$", "a" * 60 + "b")


def take_turns(seconds: float) -> str:
    for number in range(4):
        steps.begin(f"step {number}")
        time.sleep(seconds)
    return "done"


def allocate_at_once() -> int:
    steps.begin("allocating")
    return len(bytearray(4 << 30))


def allocate_bit_by_bit() -> int:
    steps.begin("growing")
    return len([bytes([number % 251]) * (1 << 20) for number in range(4 << 10)])


_kept: list[bytes] = []


def grow_a_little(megabytes: int) -> int:
    _kept.append(b"x" * (megabytes << 20))
    return os.getpid()


def die() -> None:
    steps.begin("dying")
    os._exit(3)


def wait(seconds: float) -> None:
    time.sleep(seconds)
