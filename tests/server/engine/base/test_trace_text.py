from __future__ import annotations

import sys
from pathlib import Path

import pytest

from nirls.server.engine.base.trace_text import trace_text


def failed() -> Exception:
    try:
        return [1, 2, 3][7] and Exception()
    except IndexError as error:
        return error


def test_frames_and_message_without_markers() -> None:
    lines = trace_text(failed()).splitlines()
    assert lines[0] == "Traceback (most recent call last):"
    assert lines[-2:] == ["    return [1, 2, 3][7] and Exception()", "IndexError: list index out of range"]


def test_no_file_of_the_working_folder_is_opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[object] = []
    watching = True

    def watch(event: str, arguments: tuple[object, ...]) -> None:
        if watching and event == "open":
            opened.append(arguments[0])

    monkeypatch.chdir(tmp_path)
    error = failed()
    sys.addaudithook(watch)
    trace_text(error)
    watching = False
    assert [name for name in opened if not Path(str(name)).is_absolute()] == []
