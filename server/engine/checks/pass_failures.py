"""Failures of passes by texts; a failed pass is disabled for these texts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from nirls.server.engine.checks.check_settings import CheckSettings
from nirls.server.engine.checks.dump_findings import could_not_be_run
from nirls.server.engine.checks.pass_jobs import LeftOff, Texts
from nirls.server.engine.documents.lru_cache import KEPT_TEXT, LruCache
from nirls.server.engine.worker.job import Cause


@dataclass(frozen=True, slots=True)
class PassFailure:
    """Failure of a pass on linked dumps, or on one dump alone, under these settings.

    `detail` is the exception or another description, `trace` the stack trace; "" if unknown.
    """

    pass_name: str
    texts: Texts
    settings: CheckSettings
    cause: Cause
    detail: str = ""
    trace: str = ""

    @property
    def message(self) -> str:
        """Description of the failure, as a sentence without its period."""
        if self.cause is Cause.RAISED:
            return could_not_be_run(self.pass_name, self.detail)
        detail = f" ({self.detail})" if self.detail else ""
        return f"{self.pass_name} could not be run: it {self.cause.value}{detail}"


class PassFailures:
    """Failures of this session. Thread-safe."""

    def __init__(self) -> None:
        self._by_place: LruCache[tuple[Texts, str], PassFailure] = LruCache(KEPT_TEXT)
        self.listener: Callable[[PassFailure], None] = _nobody

    def add(self, failure: PassFailure) -> None:
        """Disable the pass for the texts of the failure and notify the listener."""
        place = (failure.texts, failure.pass_name)
        if place in self._by_place:
            return
        self._by_place.put(place, failure, sum(map(len, failure.texts)) + len(failure.trace))
        self.listener(failure)

    def left_off(self, texts: Texts) -> LeftOff:
        """Passes disabled for these texts, with a message for each."""
        return {
            failure.pass_name: f"{failure.message}; the pass is disabled for this text"
            for failure in self._by_place.values()
            if failure.texts == texts
        }

    def latest(self, pass_name: str | None = None) -> PassFailure | None:
        """Latest failure, optionally of one pass; None if there is none."""
        pass_failures = reversed(self._by_place.values())
        return next(
            (pass_failure for pass_failure in pass_failures if pass_name in (None, pass_failure.pass_name)),
            None,
        )


def _nobody(_failure: PassFailure) -> None:
    """Default listener that does nothing."""
