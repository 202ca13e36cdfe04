"""What memory a session takes is measured by process; `make fuzz` holds sessions of 10,000 edits."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tools.fuzz import long_sessions, memory
from tools.fuzz.long_sessions import LongSession
from tools.fuzz.memory import Growth, growths, memory_over
from tools.lsp_client import LspClient


def growth(*together: float) -> Growth:
    return Growth("made up", 1000, tuple((one,) for one in together))


def test_growth_is_told_from_noise() -> None:
    warm_up = [100.0 + number for number in range(20)]
    assert growth(*warm_up, *(150.0 + number % 5 for number in range(80))).is_flat
    assert not growth(*warm_up, *(150.0 + number / 5 for number in range(80))).is_flat
    assert growth(*warm_up, *(150.0 - number / 5 for number in range(80))).is_flat


def test_what_is_cached_at_the_start_is_no_growth_and_one_peak_is_none() -> None:
    assert growth(*range(20), *[200.0] * 79, 900.0).is_flat


def test_processes_are_told_apart() -> None:
    samples = tuple((100.0, 50.0 if number > 20 else 0.0, float(number)) for number in range(100))
    found = Growth("made up", 1000, samples)
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

    class Hoarder:
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def hold(client: LspClient, folder: Path) -> Iterator[None]:
        assert client.process.stdin is not None
        assert client.process.stdout is not None
        while True:
            client.process.stdin.write("line\n")  # type: ignore[arg-type]
            client.process.stdin.flush()
            client.process.stdout.readline()
            yield

    monkeypatch.setattr(memory, "start", lambda *_, **__: Hoarder)
    found = memory_over(LongSession("hoarding", hold, 1.0), 60)
    assert not found.is_flat
    assert len(found.samples) == 60
    first, last = found.samples[0][0], found.samples[-1][0]
    assert 50 < last - first < 70


def test_each_session_has_its_share_of_the_edits(monkeypatch: pytest.MonkeyPatch) -> None:
    """A few steps of each in a short log, which say nothing of memory."""
    monkeypatch.setattr(long_sessions, "_LINES", 300)
    found = {one.name: one for one in growths(10)}
    assert {name: one.steps for name, one in found.items()} == {
        "keys": 10,
        "large edits": 1,
        "documents opened and closed": 2,
        "edits with requests of all kinds": 2,
    }
    assert all(one.processes["server"][0] > 10 for one in found.values())
    assert "worker 2" in found["keys"].processes
