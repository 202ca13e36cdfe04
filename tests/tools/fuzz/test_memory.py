"""A leak of any rate is told from a cache that fills; `make fuzz` holds sessions of 10,000 edits."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path

import pytest

from tools.fuzz import long_sessions, memory
from tools.fuzz.long_sessions import LongSession
from tools.fuzz.memory import LONGEST, MemoryGrowth, growths, measured, memory_over
from tools.lsp_client import LspClient

STEPS = 200


def growth(megabytes: Callable[[int], float]) -> MemoryGrowth:
    """The growth of a server that needs so much after a number of steps, and of a worker that starts late."""
    now = 0

    def steps() -> Iterator[None]:
        nonlocal now
        for now in count():  # noqa: B007
            yield

    return measured("one", steps(), STEPS, lambda: [megabytes(now), *([20.0] if now > 20 else [])])


def test_what_stays_the_same_is_flat() -> None:
    found = growth(lambda step: 100.0 + step % 3)
    assert found.is_flat
    assert found.steps == STEPS
    assert "flat" in str(found)


@pytest.mark.parametrize("full_at", [0.5, 1, 2])
def test_a_session_goes_on_until_its_caches_are_full(full_at: float) -> None:
    found = growth(lambda step: 100 + 50 * min(1.0, step / (full_at * STEPS)))
    assert found.is_flat
    assert STEPS < found.steps <= LONGEST * STEPS


@pytest.mark.parametrize("rate", [0.1, 1, 10])
def test_a_leak_never_ends(rate: float) -> None:
    found = growth(lambda step: 100 + rate * step)
    assert not found.is_flat
    assert found.steps == LONGEST * STEPS
    assert "IT GROWS" in str(found)


def test_processes_are_told_apart() -> None:
    samples = tuple((100.0, 50.0 if number > 20 else 0.0, float(number)) for number in range(100))
    found = MemoryGrowth("made up", 1000, samples, warm_up=20)
    assert list(found.processes) == ["server", "worker 1", "worker 2", "together"]
    assert found.processes["together"][99] == 249.0
    assert not found.is_flat
    head, titles, server, first, second, _ = str(found).splitlines()
    assert head == "memory, made up (1,000 steps): IT GROWS"
    assert titles.split()[:3] == ["MB", "start", "warm-up"]
    assert server.split() == ["server", *["100.0"] * 6, "0.0%"]
    assert first.split()[2:4] == ["0.0", "0.0"]
    assert second.split()[-1] != "0.0%"


def test_a_process_that_keeps_all_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not nirls, but one that takes a megabyte more at each line that it reads."""
    code = (
        "import sys\nkept = []\nfor line in sys.stdin:\n    kept.append(b'x' * (1 << 20)); print(flush=True)"
    )
    command = [sys.executable, "-c", code]

    hoarder = LspClient.__new__(LspClient)
    hoarder.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)  # type: ignore[assignment]

    def hold(client: LspClient, folder: Path) -> Iterator[None]:
        assert client.process.stdin is not None
        assert client.process.stdout is not None
        while True:
            client.process.stdin.write("line\n")  # type: ignore[arg-type]
            client.process.stdin.flush()
            client.process.stdout.readline()
            yield

    monkeypatch.setattr(memory, "start", lambda *_, **__: hoarder)
    found = memory_over(LongSession("hoarding", hold, 1.0), 60)
    assert not found.is_flat
    assert len(found.samples) == LONGEST * 60
    first, last = found.samples[0][0], found.samples[-1][0]
    assert 200 < last - first < 280


def test_each_session_has_its_share_of_the_edits(monkeypatch: pytest.MonkeyPatch) -> None:
    """A few steps of each in a short log, which say nothing of memory: some may go on as if it grew."""
    monkeypatch.setattr(long_sessions, "_LINES", 300)
    found = {one.name: one for one in growths(10)}
    shares = {
        "keys": 10,
        "large edits": 1,
        "documents opened and closed": 2,
        "edits with requests of all kinds": 2,
    }
    assert found.keys() == shares.keys()
    for name, share in shares.items():
        assert found[name].steps in {share * rounds for rounds in range(1, LONGEST + 1)}, name
    assert all(one.processes["server"][0] > 10 for one in found.values())
    assert "worker 2" in found["keys"].processes
