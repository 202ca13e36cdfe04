"""Passes that went wrong, for which texts, and how: they are left off there until the text is another."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from nirls.server.engine.checking import CheckSettings, could_not_be_run
from nirls.server.engine.lru_cache import KEPT_TEXT, LruCache
from nirls.server.engine.pass_jobs import LeftOff, Texts
from nirls.server.engine.worker.job import Cause


@dataclass(frozen=True, slots=True)
class PassFailure:
    """A pass that was not done for linked dumps, or for one dump alone, under these settings.

    `detail` is the exception or what else is known, `trace` where it happened, "" if nobody can say.
    """

    pass_name: str
    texts: Texts
    settings: CheckSettings
    cause: Cause
    detail: str = ""
    trace: str = ""

    @property
    def message(self) -> str:
        """What happened, as a sentence without its period."""
        if self.cause is Cause.RAISED:
            return could_not_be_run(self.pass_name, self.detail)
        detail = f" ({self.detail})" if self.detail else ""
        return f"{self.pass_name} could not be run: it {self.cause.value}{detail}"


class PassFailures:
    """The failures of this session. Threads may add to it."""

    def __init__(self) -> None:
        self._by_place: LruCache[tuple[Texts, str], PassFailure] = LruCache(KEPT_TEXT)
        self.listener: Callable[[PassFailure], None] = _nobody

    def add(self, failure: PassFailure) -> None:
        """Leave the pass off for these texts from now on."""
        place = (failure.texts, failure.pass_name)
        if place in self._by_place:
            return
        self._by_place.put(place, failure, sum(map(len, failure.texts)) + len(failure.trace))
        self.listener(failure)

    def left_off(self, texts: Texts) -> LeftOff:
        """The passes that are left off for these texts, with what is said of each."""
        return {
            failure.pass_name: f"{failure.message}; it is left off for this text"
            for failure in self._by_place.values()
            if failure.texts == texts
        }

    def latest(self, pass_name: str | None = None) -> PassFailure | None:
        """The last failure, or the last one of a pass."""
        found = reversed(self._by_place.values())
        return next((one for one in found if pass_name in (None, one.pass_name)), None)


def _nobody(_failure: PassFailure) -> None:
    """Before somebody listens."""
