"""Counts by row and outcome, with a note for every case that is not right."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal, get_args

from rich.console import Console
from rich.table import Table

Outcome = Literal["right", "other", "wrong"]
"""`other` is a result that is neither: unchecked, better than the reference, left alone."""

OUTCOMES: tuple[Outcome, ...] = get_args(Outcome)


@dataclass(slots=True)
class CaseTally:
    """Counts of cases. A row with a case that is `wrong` fails the count."""

    cases: Counter[tuple[str, Outcome]] = field(default_factory=Counter)
    notes: Counter[tuple[str, Outcome, str]] = field(default_factory=Counter)

    def add(self, row: str, outcome: Outcome, note: str = "", times: int = 1) -> None:
        """Count a case; equal notes of a row are counted together."""
        self.cases[row, outcome] += times
        if note and times:
            self.notes[row, outcome, note] += 1

    def merge(self, other: CaseTally) -> None:
        """Add the cases and notes of another tally."""
        self.cases += other.cases
        self.notes += other.notes

    def of(self, row: str) -> tuple[int, int, int]:
        """The numbers of cases that are right, other and wrong."""
        right, other, wrong = (self.cases[row, outcome] for outcome in OUTCOMES)
        return right, other, wrong

    def noted(self, outcome: Outcome, row: str | None = None) -> list[str]:
        """The notes of an outcome, as `row: note`, or of one row without its name."""
        return [
            note if row else f"{name}: {note}"
            for name, kind, note in self.notes
            if kind == outcome and row in (None, name)
        ]

    @property
    def rows(self) -> list[str]:
        """The rows by name: the order in which pieces of work end is arbitrary."""
        return sorted({row for row, _ in self.cases})

    @property
    def is_right(self) -> bool:
        """Whether no case is wrong."""
        return not any(outcome == "wrong" and number for (_, outcome), number in self.cases.items())

    def print(self, console: Console, title: str, *, most: int) -> None:
        """Print a table with a line a row, then up to `most` notes of each row and outcome."""
        table = Table(title=title, title_justify="left")
        for heading in ("what", *OUTCOMES, "share"):
            table.add_column(heading, justify="left" if heading == "what" else "right")
        for row in self.rows:
            numbers = self.of(row)
            style = "red" if numbers[2] else "yellow" if numbers[1] else "green"
            share = f"{numbers[0] / sum(numbers):.2%}" if sum(numbers) else ""
            table.add_row(row, *(f"{number:,}" for number in numbers), share, style=style)
        console.print(table)
        for row in self.rows:
            for outcome in ("other", "wrong"):
                found = Counter(
                    {key: times for key, times in self.notes.items() if key[:2] == (row, outcome)}
                )
                for (_, _, note), times in found.most_common(most):
                    line = f"{row}: {outcome}{f' ({times})' if times > 1 else ''}: {note}"
                    console.print(line, highlight=False, markup=False, soft_wrap=True)
                if len(found) > most:
                    console.print(f"{row}: {outcome}: and {len(found) - most} more", highlight=False)


Task = Callable[[], CaseTally]
"""A piece of work for a worker process. It must be picklable."""
