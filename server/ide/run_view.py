"""What editors show of a run: hints behind definitions, the spread of each value, a summary. Plain data."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from nirls.ir.text.structure import STRUCTURE_LINE


@dataclass(frozen=True, slots=True)
class RunChoice:
    """What of a dump is run and shown: with its pipeline or alone, the seed, and the invocation."""

    invocation: int = 0
    seed: int = 1
    linked: bool = False


@dataclass(frozen=True, slots=True)
class RunHint:
    """A text behind a line of the dump, which counts from 0."""

    line: int
    label: str


@dataclass(frozen=True, slots=True)
class ShaderRun:
    """The values of a dump on one invocation; `spreads` describes each value on all of them.

    `idle` are the first and last lines, from 0, of the blocks that the invocation did not run. `problem` says
    why it could not be run, "" if it could; `warnings` what is wrong with given values.
    """

    invocation: int = 0
    invocations: int = 0
    stage: str = ""
    summary: str = ""
    hints: tuple[RunHint, ...] = ()
    idle: tuple[tuple[int, int], ...] = ()
    spreads: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()
    problem: str = ""

    def hints_in(self, lines: Iterable[int]) -> Iterator[RunHint]:
        """Yield the hints of some lines."""
        wanted = set(lines)
        return (hint for hint in self.hints if hint.line in wanted)


def line_of_impl(text: bytes) -> int | None:
    """Return the line of the first `impl` of a dump, from 0; None for a dump without a body."""
    function = next((match for match in STRUCTURE_LINE.finditer(text) if match["impl"] is not None), None)
    return None if function is None else text.count(b"\n", 0, function.start())
