"""Two snapshots side by side, with the values of the invocation on which they differ."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from nirls.server.engine.verification.unit import TransitionUnit, values_of_unit
from nirls.server.ide.history.snapshot_diff import SnapshotTexts, texts_of_dumps
from nirls.server.ide.run_text import value_text
from nirls.verification.tracing.trace import Trace

SAME, OTHER_VALUE, OTHER_CODE, FIRST = " ", "\N{NOT EQUAL TO}", "|", ">"
"""Marks of a row: all is the same, another value, other code, the first instruction that differs."""

_WIDTH = 96
_CODE = 60


@dataclass(frozen=True, slots=True)
class DifferenceView:
    """The text, and the line of the first difference, from 0; None if it is not known."""

    text: str
    first: int | None


@dataclass(frozen=True, slots=True)
class _Row:
    mark: str
    left: str
    right: str


def difference_view(unit: TransitionUnit) -> DifferenceView | None:
    """Show both snapshots with their values; None if the two alone do not differ."""
    found = values_of_unit(unit)
    if found is None:
        return None
    texts = texts_of_dumps(unit.before, unit.after)
    values = [_by_line(side, found.invocation) for side in (found.before, found.after)]
    start = found.instruction
    firsts = (None, None) if start is None else (start.before_line, start.after_line)
    rows = list(_rows(texts, values, firsts))
    head = [
        f"{unit.pass_name}: both snapshots on invocation {found.invocation}",
        f"{OTHER_VALUE} another value, {OTHER_CODE} other code, {FIRST} the first instruction that differs",
        "",
        f"  {'before':{_WIDTH}}  after",
    ]
    lines = [*head, *(f"{row.mark} {row.left:{_WIDTH}}  {row.right}".rstrip() for row in rows)]
    first = next((len(head) + number for number, row in enumerate(rows) if row.mark == FIRST), None)
    return DifferenceView("\n".join(lines) + "\n", first)


def _by_line(trace: Trace, invocation: int) -> Mapping[int, str]:
    """Return the value of each line of a dump, and where a block was not run."""
    found = {
        block.lines[0]: "not run"
        for block in trace.blocks
        if block.lines is not None and not block.runs[invocation]
    }
    for value in trace.values:
        if value.line is not None and value.runs[invocation] and not value.is_constant:
            found[value.line] = value_text(value, invocation)
    return found


def _rows(
    texts: SnapshotTexts, values: Sequence[Mapping[int, str]], firsts: tuple[int | None, int | None]
) -> Iterator[_Row]:
    before, after = texts.before.split("\n"), texts.after.split("\n")
    sides = (
        (before, texts.before_lines, values[0], firsts[0]),
        (after, texts.after_lines, values[1], firsts[1]),
    )
    code = next((number for number, line in enumerate(before) if line.startswith("impl ")), 0)
    for hunk in texts.hunks():
        if hunk.before_end <= code:
            continue
        old, new = range(hunk.before, hunk.before_end), range(hunk.after, hunk.after_end)
        for number in range(max(len(old), len(new))):
            left, right = (
                _side(side[number] if number < len(side) else None, *of)
                for side, of in zip((old, new), sides, strict=True)
            )
            if hunk.is_equal and old[number] < code:
                continue
            mark = OTHER_CODE if not hunk.is_equal else SAME if left.value == right.value else OTHER_VALUE
            yield _Row(FIRST if left.is_first or right.is_first else mark, left.cell, right.cell)


@dataclass(frozen=True, slots=True)
class _Side:
    """One side of a row."""

    cell: str = ""
    value: str = ""
    is_first: bool = False


def _side(
    line: int | None,
    text: Sequence[str],
    dump_lines: Sequence[int | None],
    values: Mapping[int, str],
    first: int | None,
) -> _Side:
    if line is None:
        return _Side()
    own = dump_lines[line] if line < len(dump_lines) else None
    value = "" if own is None else values.get(own, "")
    return _Side(_cell(text[line], value), value, own is not None and own == first)


def _cell(code: str, value: str) -> str:
    """Format a line of code with its value, cut to the width of a column."""
    code = code.partition("  //")[0].rstrip()
    if not value:
        return _cut(code, _WIDTH)
    return _cut(f"{_cut(code, _CODE):{_CODE}} = {value}", _WIDTH)


def _cut(text: str, width: int) -> str:
    return text if len(text) <= width else f"{text[: width - 3]}..."
