"""The file between a worker and its parent, and what becomes of work when it is gone or holds nonsense."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from nirls.server.worker.black_box import BlackBox, Recorder
from nirls.server.worker.budget import Budget
from nirls.server.worker.failure import Cause, JobFailedError
from nirls.server.worker.process import WorkerProcess
from tests.server.worker import jobs


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where temporary files are made."""
    found = tmp_path / "temporary"
    found.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(found))
    return found


@pytest.fixture
def worker(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[WorkerProcess]:
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[3]))
    made = WorkerProcess(Budget(seconds=60.0))
    yield made
    made.stop()


def test_steps_and_traces_come_through(folder: Path) -> None:
    box = BlackBox()
    recorder = Recorder(box.path)
    assert (box.step(), box.trace()) == ("", "")
    recorder.begin("opt_dce")
    os.write(recorder.trace_file, b"File x, line 3")
    assert (box.step(), box.trace()) == ("opt_dce", "File x, line 3")
    box.clear()
    assert (box.step(), box.trace()) == ("", "")
    box.remove()
    box.remove()
    assert list(folder.iterdir()) == []


@pytest.mark.parametrize("nonsense", [b"", b"\0", b"\xff" * 100_000, os.urandom(1000)])
def test_nonsense_is_text(folder: Path, nonsense: bytes) -> None:
    box = BlackBox()
    box.path.write_bytes(nonsense)
    assert isinstance(box.step() + box.trace(), str)


def test_a_deleted_file_is_made_anew(folder: Path) -> None:
    box = BlackBox()
    box.path.unlink()
    assert (box.step(), box.trace()) == ("", "")
    box.clear()
    assert box.path.parent == folder
    Recorder(box.path).begin("opt_cse")
    assert box.step() == "opt_cse"


def test_without_a_place_for_files_there_is_nothing_to_read(folder: Path) -> None:
    box = BlackBox()
    box.path.unlink()
    folder.rmdir()
    box.clear()
    Recorder(box.path).begin("opt_cse")
    assert (box.step(), box.trace()) == ("", "")
    box.remove()
    assert Path(os.devnull).exists()


def test_a_worker_goes_on_without_its_file(worker: WorkerProcess, folder: Path) -> None:
    assert worker.call(None, sum, (1, 2)) == 3
    for path in folder.iterdir():
        path.unlink()
    assert worker.call(None, sum, (2, 2)) == 4
    with pytest.raises(JobFailedError) as raised:
        worker.call(None, jobs.die)
    assert raised.value.cause is Cause.DIED
    folder.rmdir()
    assert worker.call(None, sum, (3, 2)) == 5


def test_a_worker_goes_on_when_its_file_is_changed(worker: WorkerProcess, folder: Path) -> None:
    assert worker.call(None, sum, (1, 2)) == 3
    for path in folder.iterdir():
        path.write_bytes(b"\xff" * 10_000)
    with pytest.raises(JobFailedError) as raised:
        worker.call(None, jobs.die)
    assert raised.value.cause is Cause.DIED
    assert worker.call(None, sum, (2, 2)) == 4
