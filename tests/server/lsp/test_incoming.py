"""Messages come out whole and in order, however their bytes come in."""

from __future__ import annotations

import pytest

from nirls.server.lsp.incoming import Incoming

MESSAGES = [b"{}", b"[1]", b'{"text":"' + b"x" * 1000 + b'"}', "\u00e9\r\n\r\n".encode(), b""]
WIRE = b"".join(b"Content-Length: %d\r\n\r\n%b" % (len(body), body) for body in MESSAGES)


@pytest.mark.parametrize("size", [1, 2, 7, 40, 10_000])
def test_messages_do_not_depend_on_how_they_arrive(size: int) -> None:
    taken: list[bytes] = []
    incoming = Incoming(taken.append)
    for start in range(0, len(WIRE), size):
        incoming.feed(WIRE[start : start + size])
    assert taken == MESSAGES


def test_a_message_is_taken_once_it_is_complete() -> None:
    taken: list[bytes] = []
    incoming = Incoming(taken.append)
    incoming.feed(b"Content-Length: 2\r\n\r\n{")
    assert taken == []
    incoming.feed(b"}Content-")
    assert taken == [b"{}"]


@pytest.mark.parametrize(
    "odd", [b"Length: 3\r\n\r\n", b"Content-Length: x\r\n\r\n", b"\r\n\r\n", b"x" * 70_000]
)
def test_what_is_no_message_is_skipped(odd: bytes, caplog: pytest.LogCaptureFixture) -> None:
    taken: list[bytes] = []
    incoming = Incoming(taken.append)
    incoming.feed(odd)
    incoming.feed(WIRE)
    assert taken == MESSAGES
    assert "no message" in caplog.text


def test_a_message_that_ends_all_is_not_taken_again() -> None:
    taken: list[bytes] = []

    def take(body: bytes) -> None:
        taken.append(body)
        if body == b"{}":
            raise SystemExit

    incoming = Incoming(take)
    with pytest.raises(SystemExit):
        incoming.feed(WIRE)
    assert taken == MESSAGES[:1]
