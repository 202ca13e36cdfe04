"""Collection of failures of a trial, step by step."""

from __future__ import annotations

import traceback
from dataclasses import dataclass
from types import TracebackType

from nirls.server.engine.worker import steps


@dataclass(frozen=True, slots=True)
class Wrong:
    """Something that went wrong: at which step, what was raised or is not as it must be, and where."""

    step: str
    detail: str
    trace: str = ""

    @property
    def signature(self) -> tuple[str, str]:
        """The same for what is probably the same mistake: the place in our code that raised, and what."""
        ours = [line.strip() for line in self.trace.splitlines() if line.lstrip().startswith("File ")]
        place = ours[-1] if ours else self.step
        return place, self.detail.partition(":")[0]


class _Step:
    """The context of one step."""

    __slots__ = ("allowed", "name", "wrong")

    def __init__(self, name: str, allowed: tuple[type[Exception], ...], wrong: list[Wrong]) -> None:
        self.name, self.allowed, self.wrong = name, allowed, wrong

    def __enter__(self) -> None:
        steps.begin(self.name)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool:
        if isinstance(error, Exception) and not isinstance(error, self.allowed):
            text = "".join(traceback.format_exception(error))
            self.wrong.append(Wrong(self.name, f"{type(error).__name__}: {error}"[:500], text))
        return isinstance(error, Exception)


class Notes:
    """Collects what goes wrong; each step is announced, so that one that never ends is known by name."""

    def __init__(self) -> None:
        self.wrong: list[Wrong] = []

    def step(self, name: str, *allowed: type[Exception]) -> _Step:
        """Run a step; nothing that it raises goes further. Exceptions that are `allowed` are answers."""
        return _Step(name, allowed, self.wrong)

    def expect(self, holds: bool, step: str, what: str) -> None:
        """Note what is not as it must be."""
        if not holds:
            self.wrong.append(Wrong(step, what[:500]))
