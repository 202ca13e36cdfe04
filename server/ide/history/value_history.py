"""Histories over the snapshots of a shader: of a value, of each line (blame), and of a name.

All are read from the `CodeChange` of each pass, so that no IR is needed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cached_property
from typing import Any

from nirls.server.engine.timeline.timeline import PassRun, ShaderTimeline
from nirls.server.ide.history.code_changes import NEW, CodeChange, CodeLines

Changes = Mapping[tuple[int, int], CodeChange]
"""Matched instructions by the numbers of the two dumps."""

_VALUE = re.compile(r"(?:%|ssa_)(\d{1,9})\Z")


class Event(Enum):
    """The effect of a pass on a value or a line."""

    FIRST = "in first dump"
    """It is in the first snapshot."""
    MADE = "created"
    REWRITTEN = "rewritten"
    REMOVED = "removed"

    @property
    def summary(self) -> str:
        """The words before the name of the pass."""
        return "unchanged since" if self is Event.FIRST else f"{self.value} by"


@dataclass(frozen=True, slots=True)
class HistoryEntry:
    """The effect of a pass on an instruction; `line` is the one in the dump before or after it, from 0.

    `dump` is that dump: the one before the pass only for `REMOVED`. `replacement` is the value that readers
    use instead of a removed one, "" if unknown.
    """

    step: PassRun
    event: Event
    dump: int
    line: int
    text: str
    before: str = ""
    replacement: str = ""


@dataclass(frozen=True, slots=True)
class ValueHistory:
    """The effects of passes on a value, in order, and its number in each dump that has it."""

    name: str
    entries: tuple[HistoryEntry, ...]
    numbers: Mapping[int, int | None]


@dataclass(frozen=True, slots=True)
class BlamedLine:
    """A line of a dump, with the pass that changed it last, and the one that made its instruction."""

    line: int
    text: str
    event: Event
    step: PassRun
    origin: PassRun


class ShaderHistory:
    """The snapshots of a shader, with the code changes between them.

    `text` gives the text of a dump by its number.
    """

    def __init__(self, shader: ShaderTimeline, changes: Changes, text: Callable[[int], bytes]) -> None:
        self._steps = [step for step in shader.steps if step.dump is not None]
        self._step_of = {step.dump: step for step in reversed(self._steps)}
        self._changes = changes
        self._text = text
        self._lines: dict[int, list[str]] = {}

    @property
    def last(self) -> int:
        """Number of the last dump."""
        return self._steps[-1].dump or 0

    @cached_property
    def _code(self) -> dict[int, CodeLines]:
        """The instructions of each dump that a code change has."""
        found: dict[int, CodeLines] = {}
        for (before, after), change in self._changes.items():
            found[before], found[after] = change.before, change.after
        return found

    def index_of(self, dump: int, name: str, function: str | None = None) -> int | None:
        """Return the index of the instruction that defines a value such as `%12`; None if there is none."""
        match, code = _VALUE.match(name), self._code.get(dump)
        return None if match is None or code is None else code.of_value(int(match[1]), function)

    def follow(self, dump: int, index: int) -> ValueHistory:
        """Follow an instruction of a dump through all snapshots."""
        places = self._places(dump, index)
        entries = tuple(self._events(places))
        code = self._code[dump]
        numbers = {number: self._code[number].values[place] for number, place in places.items()}
        return ValueHistory(self._name(dump, code, index), entries, numbers)

    def _places(self, dump: int, index: int) -> dict[int, int]:
        """Index of an instruction in each dump that has it."""
        places = {dump: index}
        while (change := self._change_to(dump)) is not None:
            index = change.origins[index]
            if index == NEW:
                break
            dump = self._step_of[dump].previous or 0
            places[dump] = index
        for step in self._steps:
            if step.dump is None or step.previous is None or step.dump in places:
                continue
            here, change = places.get(step.previous), self._changes.get((step.previous, step.dump))
            twin = None if here is None or change is None else change.twins.get(here)
            if twin is not None:
                places[step.dump] = twin
        return places

    def _events(self, places: Mapping[int, int]) -> Iterator[HistoryEntry]:
        for step in self._steps:
            if step.dump is None:
                continue
            previous, here = step.previous, places.get(step.dump)
            before = None if previous is None else places.get(previous)
            if here is not None and before is None:
                yield self._entry(step, Event.FIRST if previous is None else Event.MADE, step.dump, here)
                continue
            if previous is None or before is None:
                continue
            change = self._changes[previous, step.dump]
            if here is None:
                new = change.replaced.get(before)
                replacement = "" if new is None else self._name(step.dump, change.after, new)
                line = change.before.lines[before]
                text = self._line(previous, line)
                yield HistoryEntry(step, Event.REMOVED, previous, line, text, replacement=replacement)
            elif here in change.rewritten:
                old = self._line(previous, change.before.lines[before])
                yield self._entry(step, Event.REWRITTEN, step.dump, here, old)

    def _entry(self, step: PassRun, event: Event, dump: int, index: int, before: str = "") -> HistoryEntry:
        line = self._code[dump].lines[index]
        return HistoryEntry(step, event, dump, line, self._line(dump, line), before)

    def blame(self, dump: int) -> list[BlamedLine]:
        """Return the instructions of a dump in printed order, each with the pass that changed it last."""
        code = self._code.get(dump)
        if code is None:
            return []
        return [
            BlamedLine(line, self._line(dump, line), *self._blame(dump, index))
            for index, line in enumerate(code.lines)
        ]

    def blame_line(self, dump: int, line: int) -> BlamedLine | None:
        """Return the pass that changed a line of a dump last; None if the line has no instruction."""
        code = self._code.get(dump)
        index = None if code is None else code.at_line(line)
        if index is None:
            return None
        return BlamedLine(line, self._line(dump, line), *self._blame(dump, index))

    def _blame(self, dump: int, index: int) -> tuple[Event, PassRun, PassRun]:
        last: PassRun | None = None
        while True:
            step, change = self._step_of[dump], self._change_to(dump)
            if change is None or change.origins[index] == NEW:
                made = Event.FIRST if step.previous is None else Event.MADE
                return (made, step, step) if last is None else (Event.REWRITTEN, last, step)
            if last is None and index in change.rewritten:
                last = step
            index, dump = change.origins[index], step.previous or 0

    def touching(self, name: str) -> list[PassRun]:
        """Return the passes that changed lines with a name such as `VAR1`."""
        word = re.compile(rf"(?<![A-Za-z0-9%]){re.escape(name)}(?!\w)")
        return [
            step
            for step in self._steps
            if any(word.search(text) for texts in self._changed_sides(step) for text in texts)
        ]

    def touching_value(self, dump: int, index: int) -> list[PassRun]:
        """Return the passes that changed lines with a value of a dump, by its numbers in other dumps."""
        numbers = self.follow(dump, index).numbers
        return [step for step in self._steps if self._changes_value(step, numbers)]

    def _changes_value(self, step: PassRun, numbers: Mapping[int, int | None]) -> bool:
        for dump, texts in zip((step.previous, step.dump), self._changed_sides(step), strict=True):
            number = None if dump is None else numbers.get(dump)
            word = re.compile(rf"(?:%|\bssa_){number}(?!\d)")
            if number is not None and any(word.search(text) for text in texts):
                return True
        return False

    def _changed_sides(self, step: PassRun) -> tuple[list[str], list[str]]:
        if step.dump is None or step.previous is None:
            return [], []
        change = self._changes.get((step.previous, step.dump))
        if change is None:
            return [], []
        old, new = change.changed_lines
        before = [self._line(step.previous, line) for line in old]
        return before, [self._line(step.dump, line) for line in new]

    def _change_to(self, dump: int) -> CodeChange | None:
        previous = self._step_of[dump].previous
        return None if previous is None else self._changes.get((previous, dump))

    def _line(self, dump: int, line: int) -> str:
        if dump not in self._lines:
            self._lines[dump] = self._text(dump).decode("utf-8", "replace").split("\n")
        lines = self._lines[dump]
        return " ".join(lines[line].split()) if 0 <= line < len(lines) else ""

    def _name(self, dump: int, code: CodeLines, index: int) -> str:
        number = code.values[index]
        if number is None:
            return ""
        return f"%{number}" if f"%{number}" in self._line(dump, code.lines[index]) else f"ssa_{number}"


def is_value(name: str) -> bool:
    """Whether a name is that of a value: `%12`, `ssa_12`."""
    return _VALUE.match(name) is not None


def shader_with(shaders: Sequence[ShaderTimeline], dump: int) -> ShaderTimeline | None:
    """Return the shader with a dump."""
    return next((shader for shader in shaders if dump in shader.dumps), None)


def blame_text(blamed: BlamedLine) -> str:
    """Describe the pass that changed a line: `created by nir_lower_io (pass 12), rewritten by ...`."""
    origin = f"{blamed.origin.name} (pass {blamed.origin.number})"
    if blamed.event is Event.FIRST:
        return f"unchanged since the first snapshot, {origin}"
    if blamed.event is Event.MADE:
        return f"created by {origin}"
    is_first = blamed.origin.previous is None
    start = "in the first snapshot" if is_first else f"created by {origin}"
    return f"{start}, last rewritten by {blamed.step.label} (pass {blamed.step.number})"


def plain_history(history: ValueHistory, first_line: Callable[[int], int]) -> dict[str, Any]:
    """Convert a history to JSON values; `first_line` gives the line of a dump in the document, from 0."""
    return {
        "value": history.name,
        "numbers": {str(dump): number for dump, number in sorted(history.numbers.items())},
        "entries": [
            {
                "pass": entry.step.label,
                "number": entry.step.number,
                "event": entry.event.value,
                "dump": entry.step.dump,
                "previous": entry.step.previous,
                "line": first_line(entry.dump) + entry.line,
                "text": entry.text,
                "before": entry.before or None,
                "replacement": entry.replacement or None,
            }
            for entry in history.entries
        ],
    }


def plain_blame(lines: Sequence[BlamedLine], first_line: int) -> list[dict[str, Any]]:
    """Convert blamed lines to JSON values; `first_line` is the line of the dump in the document, from 0."""
    return [
        {
            "line": first_line + blamed.line,
            "text": blamed.text,
            "event": blamed.event.value,
            "pass": blamed.step.label,
            "number": blamed.step.number,
            "dump": blamed.step.dump,
            "madeBy": blamed.origin.name,
            "madeByNumber": blamed.origin.number,
            "summary": blame_text(blamed),
        }
        for blamed in lines
    ]
