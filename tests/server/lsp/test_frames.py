"""Where messages begin and end."""

from __future__ import annotations

import os

import pytest

from nirls.server.lsp.frames import Frame, NoFrameError, frame_at, send


def test_messages_follow_each_other() -> None:
    data = b"Content-Length: 2\r\n\r\n{}Content-Type: x\r\ncontent-length:3\r\n\r\n[1]"
    first = frame_at(data, 0)
    assert first == Frame(0, 21, 23)
    second = frame_at(data, first.end)
    assert second is not None
    assert data[second.body : second.end] == b"[1]"
    assert second.end == len(data)


def test_the_body_may_be_yet_to_come_and_the_header_too() -> None:
    assert frame_at(b"Content-Length: 99\r\n\r\n{", 0) == Frame(0, 22, 121)
    assert frame_at(b"Content-Length: 99\r\n", 0) is None
    assert frame_at(b"", 0) is None


@pytest.mark.parametrize("data", [b"Length: 3\r\n\r\n{{{", b"Content-Length: x\r\n\r\n", b"x" * 70_000])
def test_what_is_no_message_is_told_apart(data: bytes) -> None:
    with pytest.raises(NoFrameError):
        frame_at(data, 0)


def test_what_is_sent_is_read_again() -> None:
    source, sink = os.pipe()
    send(sink, b'{"a":1}')
    os.close(sink)
    with os.fdopen(source, "rb") as file:
        data = file.read()
    frame = frame_at(data, 0)
    assert frame is not None
    assert data[frame.body : frame.end] == b'{"a":1}'
    assert frame.end == len(data)
