"""Signs of long work, on terminals only."""

from __future__ import annotations

import io
import sys
import time
from collections.abc import Callable, Iterator

import pytest

from nirls.server.cli import progress
from nirls.server.cli.progress import reading, status, with_progress


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture(autouse=True)
def _patience(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "_PATIENCE", 0.1)


@pytest.fixture
def written(monkeypatch: pytest.MonkeyPatch) -> Callable[[io.StringIO, Callable[[], object]], str]:
    def run(stream: io.StringIO, work: Callable[[], object]) -> str:
        monkeypatch.setattr(sys, "stderr", stream)
        work()
        return stream.getvalue()

    return run


def slowly(items: range, seconds: float) -> Iterator[int]:
    for item in items:
        time.sleep(seconds)
        yield item


@pytest.mark.parametrize("stream", [io.StringIO(), Terminal()])
@pytest.mark.parametrize("count", [3, 50])
def test_items_come_through(monkeypatch: pytest.MonkeyPatch, stream: io.StringIO, count: int) -> None:
    monkeypatch.setattr(sys, "stderr", stream)
    assert list(with_progress(range(count), "working")) == list(range(count))


def test_bar_is_for_terminals_and_long_work_only(
    written: Callable[[io.StringIO, Callable[[], object]], str],
) -> None:
    assert "working" in written(Terminal(), lambda: list(with_progress(range(50), "working")))
    assert written(Terminal(), lambda: list(with_progress(range(3), "working"))) == ""
    assert written(io.StringIO(), lambda: list(with_progress(range(50), "working"))) == ""


def test_few_items_that_take_long_have_a_bar(
    written: Callable[[io.StringIO, Callable[[], object]], str],
) -> None:
    def work() -> None:
        for _ in with_progress(range(2), "packing"):
            time.sleep(0.6)

    assert "packing" in written(Terminal(), work)
    assert "packing" in written(
        Terminal(), lambda: list(progress.progressing(slowly(range(2), 0.6), 2, "packing"))
    )
    assert written(io.StringIO(), work) == ""


def test_reading_is_shown_where_it_takes_long(
    written: Callable[[io.StringIO, Callable[[], object]], str],
) -> None:
    def work(seconds: float) -> None:
        with reading():
            time.sleep(seconds)

    assert "reading" in written(Terminal(), lambda: work(0.8))
    assert written(Terminal(), lambda: work(0.0)) == ""
    assert written(io.StringIO(), lambda: work(0.3)) == ""


def test_status_is_for_terminals_only(monkeypatch: pytest.MonkeyPatch) -> None:
    for stream in (Terminal(), io.StringIO()):
        monkeypatch.setattr(sys, "stderr", stream)
        with status("first") as shown:
            shown("second [x]")
        assert ("second [x]" in stream.getvalue()) == stream.isatty()
