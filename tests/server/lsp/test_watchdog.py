"""Long turns of the event loop are seen, with what they did; waiting is no turn."""

from __future__ import annotations

import asyncio
import time

import pytest

from nirls.server.lsp.watchdog import EventLoopWatchdog, LongTurn


def _busy(seconds: float) -> None:
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        pass


def _run(seconds: float, rest: float = 0.0) -> list[LongTurn]:
    watchdog = EventLoopWatchdog(0.05)
    found: list[LongTurn] = []
    watchdog.report = found.append

    async def work() -> None:
        await asyncio.sleep(rest)
        _busy(seconds)
        await asyncio.sleep(rest)

    with asyncio.Runner(loop_factory=watchdog.new_event_loop) as runner:
        runner.run(work())
    watchdog.stop()
    return found


def test_a_long_turn_is_reported_with_its_stack(caplog: pytest.LogCaptureFixture) -> None:
    (turn,) = _run(0.4)
    assert turn.seconds > 0.35
    assert "_busy" in turn.stack
    assert "the server was busy for" in caplog.text


@pytest.mark.parametrize(("seconds", "rest"), [(0.0, 0.2), (0.02, 0.0)])
def test_waiting_and_short_turns_are_not_reported(seconds: float, rest: float) -> None:
    assert _run(seconds, rest) == []


def test_a_stack_is_that_of_its_turn() -> None:
    watchdog = EventLoopWatchdog(0.05)
    found: list[LongTurn] = []
    watchdog.report = found.append
    watchdog._sample = (-1.0, "an earlier turn")
    watchdog.turn_began()
    time.sleep(0.1)
    watchdog.turn_ended()
    assert [turn.stack for turn in found] == [""]
