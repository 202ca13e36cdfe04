"""Text for people: escaped untrusted text, and tracebacks."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from nirls.server.engine.base.shown_text import printable, printable_line, trace_text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain %5", "plain %5"),
        ("\tx", "        x"),
        ("\x1b]0;title\x07", "\\x1b]0;title\\x07"),
        ("größe\u202e", "größe\\u202e"),
        ("", ""),
        ("a ##[add-mask]e", "a ##\\x5badd-mask]e"),
    ],
)
def test_printable(text: str, shown: str) -> None:
    assert printable(text) == shown


@pytest.mark.parametrize(
    ("text", "shown"), [("::error::a", "./::error::a"), ("\t::a", "./        ::a"), ("a::b", "a::b")]
)
def test_printable_line(text: str, shown: str) -> None:
    assert printable_line(text) == shown


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
