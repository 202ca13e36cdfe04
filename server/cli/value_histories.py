"""`nirls timeline --follow` and `--blame`: what passes did to a value, and which pass made each line."""

from __future__ import annotations

from collections.abc import Iterable

from rich.table import Table
from rich.text import Text

from nirls.ir.finding import counted
from nirls.server.cli import outputs
from nirls.server.cli.errors import CommandError
from nirls.server.cli.progress import with_progress
from nirls.server.cli.tables import table_console
from nirls.server.engine.base.shown_text import printable
from nirls.server.engine.documents.document import Snapshot
from nirls.server.engine.timeline.timeline import PassRun, ShaderTimeline
from nirls.server.ide.history.code_changes import code_change
from nirls.server.ide.history.value_history import (
    Event,
    HistoryEntry,
    ShaderHistory,
    is_value,
    plain_blame,
    plain_history,
)

_COLORS = {Event.FIRST: "bold", Event.MADE: "green", Event.REWRITTEN: "cyan", Event.REMOVED: "red"}


def history_of(snapshot: Snapshot, shader: ShaderTimeline) -> ShaderHistory:
    """Match the instructions of all snapshots of a shader, with a progress bar if there are many."""

    def text(number: int) -> bytes:
        return snapshot.dump(number).piece.text

    changes = {
        (before, after): code_change(text(before), text(after))
        for before, after in with_progress(list(shader.pairs()), "matching snapshots")
    }
    return ShaderHistory(shader, changes, text)


def step_of(shader: ShaderTimeline, number: int) -> PassRun:
    """Return a pass by its number. Raises CommandError."""
    step = next((step for step in shader.steps if step.number == number), None)
    if step is None:
        raise CommandError(f"{shader.title} has {counted(len(shader.steps), 'pass', 'passes')}, not {number}")
    return step


def dump_of(step: PassRun) -> int:
    """Return the number of the dump printed after a pass. Raises CommandError if there is none."""
    if step.dump is None:
        raise CommandError(f"pass {step.number}, {step.name}, printed no snapshot: it changed nothing")
    return step.dump


def value_in(
    snapshot: Snapshot, shader: ShaderTimeline, name: str, at: int | None
) -> tuple[ShaderHistory, int, int]:
    """Return the history of a shader, and the dump and index of a value. Raises CommandError."""
    if not is_value(name):
        raise CommandError(f"{name!r} is not a value; write %12, or ssa_12 for older Mesa")
    history = history_of(snapshot, shader)
    dump = history.last if at is None else dump_of(step_of(shader, at))
    index = history.index_of(dump, name)
    if index is None:
        where = "the last snapshot" if at is None else f"the snapshot of pass {at}"
        raise CommandError(f"{where} of {shader.title} has no {name}")
    return history, dump, index


def show_history(
    snapshot: Snapshot, shader: ShaderTimeline, name: str, at: int | None, *, as_json: bool
) -> None:
    """Write what passes did to a value. Raises CommandError."""
    history, dump, index = value_in(snapshot, shader, name, at)
    value_history = history.follow(dump, index)
    if as_json:
        outputs.write_json(plain_history(value_history, snapshot.first_line))
        return
    rows = (
        (entry.step, entry.event, snapshot.first_line(entry.dump) + entry.line, _what(entry))
        for entry in value_history.entries
    )
    console = table_console()
    console.print(Text(printable(f"{value_history.name} of {shader.title}"), "bold"))
    console.print(_table(rows))


def _what(entry: HistoryEntry) -> str:
    if entry.event is Event.REMOVED and entry.replacement:
        return f"{entry.text}    (readers use {entry.replacement})"
    return entry.text


def show_blame(snapshot: Snapshot, shader: ShaderTimeline, at: int | None, *, as_json: bool) -> None:
    """Write the instructions of a snapshot, each with the pass that changed it last. Raises CommandError."""
    history = history_of(snapshot, shader)
    dump = history.last if at is None else dump_of(step_of(shader, at))
    lines = history.blame(dump)
    if not lines:
        raise CommandError(f"{shader.title} has one snapshot: there is no pass to blame")
    first_line = snapshot.first_line(dump)
    if as_json:
        outputs.write_json(plain_blame(lines, first_line))
        return
    rows = ((blamed.step, blamed.event, first_line + blamed.line, blamed.text) for blamed in lines)
    table_console().print(_table(rows))


def _table(rows: Iterable[tuple[PassRun, Event, int, str]]) -> Table:
    """Lay out what passes did to instructions; lines count from 0."""
    table = Table(box=None, pad_edge=False)
    table.add_column("#", justify="right")
    table.add_column("pass", overflow="fold")
    table.add_column("did")
    table.add_column("line", justify="right")
    table.add_column("instruction", overflow="fold")
    for step, event, line, text in rows:
        table.add_row(
            str(step.number),
            Text(printable(step.label)),
            Text(event.value, _COLORS[event]),
            str(line + 1),
            Text(printable(text)),
        )
    return table
