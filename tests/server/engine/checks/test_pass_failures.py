"""What is kept of passes that went wrong."""

from __future__ import annotations

from nirls.server.engine.checks.check_settings import CheckSettings
from nirls.server.engine.checks.pass_failures import PassFailure, PassFailures
from nirls.server.engine.worker.job import Cause

ONE, TWO = (b"one",), (b"one", b"two")


def failure(
    pass_name: str, texts: tuple[bytes, ...] = ONE, cause: Cause = Cause.TIME, detail: str = ""
) -> PassFailure:
    return PassFailure(pass_name, texts, CheckSettings(), cause, detail)


def test_a_pass_is_left_off_for_the_texts_it_failed_on() -> None:
    failures = PassFailures()
    failures.add(failure("a"))
    failures.add(failure("b", TWO))
    assert set(failures.left_off(ONE)) == {"a"}
    assert set(failures.left_off(TWO)) == {"b"}
    assert failures.left_off((b"two",)) == {}
    message = "a could not be run: it took too long; the pass is disabled for this text"
    assert failures.left_off(ONE)["a"] == message


def test_a_failure_is_told_of_once_for_its_texts() -> None:
    failures = PassFailures()
    told: list[PassFailure] = []
    failures.listener = told.append
    for _ in range(2):
        failures.add(failure("a"))
    failures.add(failure("a", TWO))
    assert [one.texts for one in told] == [ONE, TWO]


def test_the_latest_failure_is_the_last_one_or_that_of_a_pass() -> None:
    failures = PassFailures()
    assert failures.latest() is None
    for name in ("a", "b"):
        failures.add(failure(name))
    assert [getattr(failures.latest(name), "pass_name", None) for name in (None, "a", "c")] == [
        "b",
        "a",
        None,
    ]


def test_messages_say_what_happened() -> None:
    raised = failure("a", cause=Cause.RAISED, detail="ValueError: no")
    assert raised.message == "a could not be run: ValueError: no"
    assert failure("a", cause=Cause.DIED, detail="exit status 9").message == (
        "a could not be run: it ended its process (exit status 9)"
    )
