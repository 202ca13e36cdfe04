"""What a worker writes as it goes is read when it is gone."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from nirls.server.worker.black_box import BlackBox, Recorder


@pytest.fixture
def box() -> Iterator[BlackBox]:
    made = BlackBox()
    yield made
    made.remove()


def test_nothing_was_written(box: BlackBox) -> None:
    assert (box.step(), box.trace()) == ("", "")


def test_the_last_step_is_known_and_where_it_was(box: BlackBox) -> None:
    recorder = Recorder(box.path)
    recorder.begin("a step with a long name")
    recorder.begin("schön")
    assert (box.step(), box.trace()) == ("schön", "")
    os.write(recorder.trace_file, b'Thread 1\n  File "x.py", line 3 in f\n')
    assert box.step() == "schön"
    assert box.trace() == 'Thread 1\n  File "x.py", line 3 in f\n'


def test_a_trace_may_come_without_a_step(box: BlackBox) -> None:
    os.write(Recorder(box.path).trace_file, b"trace")
    assert (box.step(), box.trace()) == ("", "trace")


def test_a_name_may_be_of_any_length(box: BlackBox) -> None:
    recorder = Recorder(box.path)
    recorder.begin("ü" * 1000)
    assert box.step().startswith("ü" * 100)
    assert box.trace() == ""


def test_it_can_be_used_again(box: BlackBox) -> None:
    recorder = Recorder(box.path)
    recorder.begin("old")
    os.write(recorder.trace_file, b"trace")
    box.clear()
    assert (box.step(), box.trace()) == ("", "")


def test_it_may_be_gone(box: BlackBox) -> None:
    box.remove()
    assert (box.step(), box.trace()) == ("", "")
    box.remove()
