"""What a worker writes as it goes is read when it is gone."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from nirls.server.engine.worker.crash_log import CrashLog, CrashLogWriter, _opened


@pytest.fixture
def box() -> Iterator[CrashLog]:
    made = CrashLog()
    yield made
    made.close()


def test_nothing_was_written(box: CrashLog) -> None:
    assert (box.step(), box.trace()) == ("", "")


def test_the_last_step_is_known_and_where_it_was(box: CrashLog) -> None:
    recorder = CrashLogWriter(box.address)
    recorder.begin("a step with a long name")
    recorder.begin("schön")
    assert (box.step(), box.trace()) == ("schön", "")
    os.write(recorder.trace_file, b'Thread 1\n  File "x.py", line 3 in f\n')
    assert box.step() == "schön"
    assert box.trace() == 'Thread 1\n  File "x.py", line 3 in f\n'


def test_a_trace_may_come_without_a_step(box: CrashLog) -> None:
    os.write(CrashLogWriter(box.address).trace_file, b"trace")
    assert (box.step(), box.trace()) == ("", "trace")


def test_a_name_may_be_of_any_length(box: CrashLog) -> None:
    recorder = CrashLogWriter(box.address)
    recorder.begin("ü" * 1000)
    assert box.step().startswith("ü" * 100)
    assert box.trace() == ""


def test_it_leaves_nothing_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    box = CrashLog()
    CrashLogWriter(box.address).begin("step")
    if os.name != "nt":
        assert list(tmp_path.iterdir()) == []
    box.close()
    assert list(tmp_path.iterdir()) == []
    assert (box.step(), box.trace()) == ("", "")


def test_there_may_be_no_place_for_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "gone"))
    box = CrashLog()
    CrashLogWriter(box.address).begin("step")
    assert (box.step(), box.trace()) == ("", "")
    box.close()


def test_one_with_a_name_is_opened_by_it(tmp_path: Path) -> None:
    """As on Windows, where the file has one until nobody has it open."""
    path = tmp_path / "box"
    path.write_bytes(b"")
    for name in (path, tmp_path / "gone"):
        handle = _opened(str(name))
        os.write(handle, b"step")
        os.close(handle)
    assert path.read_bytes() == b"step"
