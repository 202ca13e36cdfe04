"""What is read of a client is held, then handed over, each byte once and in order."""

from __future__ import annotations

import os
import queue
from collections.abc import Iterator

import pytest

from nirls.server.lsp.inbox import Inbox

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
