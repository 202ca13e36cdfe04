"""What is read of a client is held, then handed over, each byte once and in order."""

from __future__ import annotations

import os
import queue
from collections.abc import Iterator

import pytest

from nirls.server.inbox import CAN_HAND_OVER, Inbox

WAIT = 30.0


@pytest.fixture
def pipe() -> Iterator[tuple[int, int]]:
    source, client = os.pipe()
    yield source, client
    os.close(source)


def test_it_waits_for_as_much_as_is_wanted(pipe: tuple[int, int]) -> None:
    source, client = pipe
    inbox = Inbox(source, b"ab")
    assert inbox.held() == b"ab"
    os.write(client, b"cd")
    assert inbox.held(4, WAIT) == b"abcd"
    assert inbox.held(5, 0.01) == b"abcd"
    os.close(client)
    assert inbox.held(5, WAIT) == b"abcd"


def test_all_is_handed_over_and_then_what_comes(pipe: tuple[int, int]) -> None:
    source, client = pipe
    inbox = Inbox(source, b"abcd")
    inbox.drop(1, 3)
    taken: queue.Queue[bytes] = queue.Queue()
    inbox.forward(taken.put)
    assert taken.get(timeout=WAIT) == b"ad"
    os.write(client, b"ef")
    assert taken.get(timeout=WAIT) == b"ef"
    os.close(client)
    assert taken.get(timeout=WAIT) == b""
    assert taken.empty()


def test_an_end_that_came_before_is_handed_over_too(pipe: tuple[int, int]) -> None:
    source, client = pipe
    inbox = Inbox(source)
    os.write(client, b"x")
    os.close(client)
    assert inbox.held(2, WAIT) == b"x"
    taken: list[bytes] = []
    inbox.forward(taken.append)
    assert taken == [b"x", b""]


@pytest.mark.skipif(not CAN_HAND_OVER, reason="a thread cannot wait for two things there")
@pytest.mark.parametrize("is_over", [False, True])
def test_somebody_else_can_read_on(pipe: tuple[int, int], is_over: bool) -> None:
    source, client = pipe
    inbox = Inbox(source, b"ab")
    os.write(client, b"cd")
    assert inbox.held(4, WAIT) == b"abcd"
    if is_over:
        os.close(client)
    assert inbox.hand_over() == b"abcd"
    assert inbox.held() == b""
    if not is_over:
        os.write(client, b"ef")
        assert os.read(inbox.source, 10) == b"ef"
        os.close(client)
    assert os.read(inbox.source, 10) == b""
