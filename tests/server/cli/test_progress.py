from __future__ import annotations

import io
import sys

import pytest

from nirls.server.cli.progress import status, with_progress


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize("stream", [io.StringIO(), Terminal()])
def test_items_come_through(monkeypatch: pytest.MonkeyPatch, stream: io.StringIO) -> None:
    monkeypatch.setattr(sys, "stderr", stream)
    assert list(with_progress(range(50), "working")) == list(range(50))


def test_bar_is_for_terminals_and_long_work_only(monkeypatch: pytest.MonkeyPatch) -> None:
    def written(stream: io.StringIO, count: int) -> str:
        monkeypatch.setattr(sys, "stderr", stream)
        list(with_progress(range(count), "working"))
        return stream.getvalue()

    assert "working" in written(Terminal(), 50)
    assert written(Terminal(), 3) == ""
    assert written(io.StringIO(), 50) == ""


def test_status_is_for_terminals_only(monkeypatch: pytest.MonkeyPatch) -> None:
    for stream in (Terminal(), io.StringIO()):
        monkeypatch.setattr(sys, "stderr", stream)
        with status("first") as shown:
            shown("second [x]")
        assert ("second [x]" in stream.getvalue()) == stream.isatty()
