"""Long turns of the event loop are logged, with what they did; waiting is no turn."""

from __future__ import annotations

import asyncio
import logging
import time

import pytest

from nirls.server.lsp.watchdog import EventLoopWatchdog


def _busy(seconds: float) -> None:
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        pass


def _run(seconds: float, rest: float = 0.0) -> None:
    watchdog = EventLoopWatchdog(0.05)

    async def work() -> None:
        await asyncio.sleep(rest)
        _busy(seconds)
        await asyncio.sleep(rest)

    with asyncio.Runner(loop_factory=watchdog.new_event_loop) as runner:
        runner.run(work())
    watchdog.stop()


def test_a_long_turn_is_logged_with_its_stack(caplog: pytest.LogCaptureFixture) -> None:
    _run(0.4)
    (record,) = caplog.records
    assert record.levelno == logging.WARNING
    assert record.getMessage().startswith("the server was busy for 0.4 s")
    assert "_busy" in record.getMessage()


@pytest.mark.parametrize(("seconds", "rest"), [(0.0, 0.2), (0.02, 0.0)])
def test_waiting_and_short_turns_are_not_logged(
    seconds: float, rest: float, caplog: pytest.LogCaptureFixture
) -> None:
    _run(seconds, rest)
    assert caplog.records == []


def test_a_stack_is_that_of_its_turn(caplog: pytest.LogCaptureFixture) -> None:
    watchdog = EventLoopWatchdog(0.05)
    watchdog._sample = (-1.0, "an earlier turn")
    watchdog.turn_began()
    time.sleep(0.1)
    watchdog.turn_ended()
    assert "was busy" in caplog.text
    assert "an earlier turn" not in caplog.text
