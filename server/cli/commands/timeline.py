"""`nirls timeline`: the list of passes in a log."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import typer
from rich.table import Table
from rich.text import Text

from nirls.ir.text.parse import parse_dump
from nirls.ir.text.release import estimated_release
from nirls.server.cli import outputs
from nirls.server.cli.arguments import FormatOption, Log, ShaderOption, TableFormat
from nirls.server.cli.commands.diff import show_unified
from nirls.server.cli.errors import CommandError
from nirls.server.cli.opening import file_with_dumps
from nirls.server.cli.progress import with_progress
from nirls.server.cli.tables import COLUMNS, count_text, table_console
from nirls.server.engine.document import Piece, Snapshot
from nirls.server.engine.input_files import InputFile
from nirls.server.engine.printable_text import printable
from nirls.server.engine.timeline.dump_digest import DumpDigest
from nirls.server.engine.timeline.plain import plain_timeline
from nirls.server.engine.timeline.timeline import Change, ShaderTimeline, Step, timeline_of
from nirls.server.ide.snapshot_diff import SnapshotTexts, texts_of_dumps

_COLORS = {
    Change.CODE: "green",
    Change.DECLARATIONS: "cyan",
    Change.HEADER: "cyan",
    Change.FIRST: "bold",
    Change.SKIPPED: "yellow",
    Change.NONE: "dim",
}


def timeline(
    log: Log,
    all_: Annotated[bool, typer.Option("--all", "-a", help="Also list passes without changes.")] = False,
    shader: ShaderOption = None,
    diff_: Annotated[
        int | None, typer.Option("--diff", metavar="N", help="Print the diff of pass N of the shader.")
    ] = None,
    format_: FormatOption = TableFormat.TEXT,
) -> None:
    """List the passes of a log that changed each shader, with the size before and after."""
    file = file_with_dumps(log)
    snapshot, found = read_timeline(file)
    found = chosen(found, shader)
    if diff_ is not None:
        step, texts = pass_texts(snapshot, found, diff_)
        show_unified(texts, f"before {step.name}", f"after {step.name}")
    elif format_ is TableFormat.JSON:
        write_json(found, hidden=all_, releases=estimated_releases(snapshot, found))
    else:
        show_tables(found, hidden=all_)
        releases = ", ".join(estimated_releases(snapshot, found))
        if releases:
            table_console().print(Text(f"printed by Mesa {releases}, or a release near it", "dim"))


def read_timeline(file: InputFile) -> tuple[Snapshot, list[ShaderTimeline]]:
    """The timelines of a log, with a progress bar for a long one."""
    snapshot = Snapshot.of(file.data)
    digests: dict[bytes, DumpDigest] = {}
    for dump in with_progress(snapshot.dumps(), "reading dumps"):
        text = dump.piece.text
        if text not in digests:
            digests[text] = DumpDigest(text)
            _ = digests[text].counts

    def digest(piece: Piece) -> DumpDigest:
        return digests[piece.text]

    return snapshot, timeline_of(snapshot, digest)


def chosen(shaders: Sequence[ShaderTimeline], wanted: str | None) -> list[ShaderTimeline]:
    """The shaders that `--shader` names by number, stage, or part of the title. Raises CommandError."""
    if wanted is None:
        return list(shaders)
    if wanted.isdecimal() and 1 <= int(wanted) <= len(shaders):
        return [shaders[int(wanted) - 1]]
    found = [shader for shader in shaders if wanted == shader.stage] or [
        shader for shader in shaders if wanted in shader.title
    ]
    if not found:
        raise CommandError(f"no shader {wanted!r}; there are {_titles(shaders)}")
    return found


def pass_texts(
    snapshot: Snapshot, shaders: Sequence[ShaderTimeline], number: int
) -> tuple[Step, SnapshotTexts]:
    """The texts before and after a pass of the one shader that there is. Raises CommandError."""
    if len(shaders) != 1:
        raise CommandError(f"which shader? choose with --shader one of {_titles(shaders)}")
    step = next((step for step in shaders[0].steps if step.number == number), None)
    if step is None:
        raise CommandError(f"{shaders[0].title} has {len(shaders[0].steps)} passes, not {number}")
    if step.dump is None or step.previous is None:
        reason = (
            "is the first snapshot"
            if step.change is Change.FIRST
            else "printed no snapshot: it changed nothing"
        )
        raise CommandError(f"pass {number}, {step.name}, {reason}")
    dumps = snapshot.dumps()
    return step, texts_of_dumps(dumps[step.previous].piece.text, dumps[step.dump].piece.text)


def estimated_releases(snapshot: Snapshot, shaders: Sequence[ShaderTimeline]) -> list[str]:
    """Return the Mesa releases that the first dumps of the shaders look like, without repetitions."""
    firsts = [next((step.dump for step in shader.steps if step.dump is not None), None) for shader in shaders]
    texts = {snapshot.dump(number).piece.text for number in firsts if number is not None}
    return sorted({estimated_release(parse_dump(text)) for text in texts}, reverse=True)


def write_json(shaders: Sequence[ShaderTimeline], *, hidden: bool, releases: Sequence[str]) -> None:
    """Write what `nirls/timeline` answers, and the estimated Mesa releases."""
    outputs.write_json({"releases": list(releases), "shaders": plain_timeline(shaders, hidden=hidden)})


def show_tables(shaders: Sequence[ShaderTimeline], *, hidden: bool) -> None:
    """Write a table for each shader."""
    console = table_console()
    for number, shader in enumerate(shaders, 1):
        if number > 1:
            console.print()
        console.print(Text(printable(f"{number}. {shader.title}"), "bold"))
        console.print(_table(shader, hidden=hidden))
        left_out = len(shader.steps) - len(shader.visible_steps())
        if left_out and not hidden:
            console.print(Text(f"not shown: {left_out} that changed nothing (--all)", "dim"))


def _table(shader: ShaderTimeline, *, hidden: bool) -> Table:
    table = Table(box=None, pad_edge=False)
    table.add_column("#", justify="right")
    table.add_column("pass", overflow="fold")
    table.add_column("changed")
    for name in COLUMNS:
        table.add_column(name, justify="right")
    table.add_column("line", justify="right")
    for step in shader.steps if hidden else shader.visible_steps():
        table.add_row(
            str(step.number),
            Text(printable(step.name), "" if step.change.is_visible else "dim"),
            Text(step.change.value, _COLORS[step.change]),
            *(count_text(step.before, step.after, name) for name in COLUMNS),
            str(step.line + 1),
        )
    return table


def _titles(shaders: Sequence[ShaderTimeline]) -> str:
    return ", ".join(f"{number} ({printable(shader.title)})" for number, shader in enumerate(shaders, 1))
