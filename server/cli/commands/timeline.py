"""`nirls timeline`: the list of passes in a log."""

from __future__ import annotations

import re
import sys
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Annotated

import typer
from rich.text import Text

from nirls.ir.text.release import printing_release
from nirls.server.cli import outputs
from nirls.server.cli.arguments import FormatOption, Log, ShaderOption, TableFormat
from nirls.server.cli.commands.diff import show_unified
from nirls.server.cli.errors import CommandError
from nirls.server.cli.opening import file_with_dumps
from nirls.server.cli.progress import reading, with_progress
from nirls.server.cli.tables import aligned, count_text, table_console
from nirls.server.cli.value_histories import dump_of, history_of, show_blame, show_history, step_of, value_in
from nirls.server.engine.base.shown_text import printable
from nirls.server.engine.documents.document import Snapshot
from nirls.server.engine.timeline.dump_digest import COUNT_NAMES, DumpDigest
from nirls.server.engine.timeline.plain import plain_timeline
from nirls.server.engine.timeline.timeline import ChangeKind, PassRun, ShaderTimeline, TimelineReader
from nirls.server.ide.history.snapshot_diff import SnapshotTexts, texts_of_dumps
from nirls.server.ide.history.snapshot_pressure import pressures_of
from nirls.server.ide.history.value_history import is_value

_COLORS = {
    ChangeKind.CODE: "green",
    ChangeKind.DECLARATIONS: "cyan",
    ChangeKind.HEADER: "cyan",
    ChangeKind.FIRST: "bold",
    ChangeKind.SKIPPED: "yellow",
    ChangeKind.NONE: "dim",
}


def timeline(
    log: Log,
    all_: Annotated[bool, typer.Option("--all", "-a", help="Also list passes without changes.")] = False,
    shader: ShaderOption = None,
    name: Annotated[
        str | None, typer.Option("--name", metavar="TEXT", help="Only passes with TEXT in their name.")
    ] = None,
    touches: Annotated[
        str | None,
        typer.Option(
            "--touches",
            metavar="WHAT",
            help="Only passes that changed lines with a value (%12) or a name (VAR1).",
        ),
    ] = None,
    verify: Annotated[
        bool, typer.Option("--verify", help="Verify each pass as `nirls verify` does, and list the verdicts.")
    ] = False,
    different: Annotated[
        bool, typer.Option("--different", help="Only passes whose result computes something else.")
    ] = False,
    pressure: Annotated[
        bool, typer.Option("--pressure", help="List the register pressure in SSA form.")
    ] = False,
    diff_: Annotated[
        str | None,
        typer.Option(
            "--diff",
            metavar="N",
            help="Print the diff of pass N of the shader; A..B: from the snapshot of pass A to that of B.",
        ),
    ] = None,
    follow: Annotated[
        str | None,
        typer.Option(
            "--follow", metavar="VALUE", help="List the passes that made, rewrote or removed a value."
        ),
    ] = None,
    blame: Annotated[
        bool, typer.Option("--blame", help="Print each instruction with the pass that changed it last.")
    ] = False,
    at: Annotated[
        int | None,
        typer.Option(
            "--at",
            metavar="N",
            help="The pass after whose snapshot values are numbered and blamed; the last one by default.",
        ),
    ] = None,
    format_: FormatOption = TableFormat.TEXT,
) -> None:
    """List the passes of a log that changed each shader, with the size before and after."""
    file = file_with_dumps(log)
    with reading():
        snapshot = Snapshot.of(file.data)
    in_order = timelines_of(snapshot)
    is_json = format_ is TableFormat.JSON
    if not (shader or diff_ or follow or blame or is_json or pressure or touches):
        # Each shader is listed as soon as it is read.
        verdicts = _verdicts(file.data) if verify or different else None
        show_tables(snapshot, in_order, Details(verdicts, name=name, only_different=different), hidden=all_)
        return
    shader_timelines = chosen(list(in_order), shader)
    if diff_ is not None:
        texts, names = diff_texts(snapshot, shader_timelines, diff_)
        show_unified(texts, *names)
        return
    if follow is not None:
        show_history(snapshot, only_one(shader_timelines), follow, at, as_json=is_json)
        return
    if blame:
        show_blame(snapshot, only_one(shader_timelines), at, as_json=is_json)
        return
    details = Details(
        _verdicts(file.data) if verify or different else None,
        pressures_in(snapshot, shader_timelines) if pressure else None,
        None if touches is None else touching(snapshot, shader_timelines, touches, at),
        name,
        only_different=different,
    )
    if is_json:
        releases = estimated_releases(snapshot, shader_timelines)
        write_json(shader_timelines, details, hidden=all_, releases=releases)
        return
    show_tables(snapshot, shader_timelines, details, hidden=all_)


@dataclass(frozen=True, slots=True)
class Details:
    """The columns of the list besides sizes, and the passes to list.

    `verdicts` (with their reasons) and `pressures` are by dump number; None is not listed. `touched` are the
    dump numbers of the only passes to list.
    """

    verdicts: Mapping[int, tuple[str, str]] | None = None
    pressures: Mapping[int, int] | None = None
    touched: Container[int] | None = None
    name: str | None = None
    only_different: bool = False

    def wants(self, step: PassRun) -> bool:
        """Whether a pass is listed."""
        if self.name is not None and self.name not in step.name:
            return False
        if self.touched is not None and step.dump not in self.touched:
            return False
        return not self.only_different or self.verdict(step) == "different"

    def verdict(self, step: PassRun) -> str:
        """Return the verdict on a pass, "" without one."""
        found = None if self.verdicts is None or step.dump is None else self.verdicts.get(step.dump)
        return "" if found is None else found[0]

    def pressure(self, step: PassRun) -> str:
        """Return the register pressure before and after a pass."""
        known = self.pressures or {}
        sides = [None if dump is None else known.get(dump) for dump in (step.previous, step.dump)]
        shown = [str(side) for side in sides if side is not None]
        return shown[-1] if len(set(shown)) == 1 else " → ".join(shown)


def _verdicts(data: bytes) -> dict[int, tuple[str, str]]:
    # It imports the passes and the evaluator, which takes longer than the timeline of most logs.
    from nirls.server.cli.log_verdicts import verdicts_in

    return verdicts_in(data)


def pressures_in(snapshot: Snapshot, shaders: Sequence[ShaderTimeline]) -> dict[int, int]:
    """Return the register pressure of each dump of the shaders by its number."""
    texts = {number: snapshot.dump(number).piece.text for shader in shaders for number in shader.dumps}
    distinct = sorted(set(texts.values()))
    known = {text: pressures_of([text])[0] for text in with_progress(distinct, "measuring registers")}
    return {number: known[text] for number, text in texts.items()}


def touching(
    snapshot: Snapshot, shaders: Sequence[ShaderTimeline], what: str, at: int | None
) -> frozenset[int]:
    """Return the dumps after passes that changed lines with a value or name. Raises CommandError."""
    if is_value(what):
        history, dump, index = value_in(snapshot, only_one(shaders), what, at)
        steps = history.touching_value(dump, index)
    else:
        steps = [step for shader in shaders for step in history_of(snapshot, shader).touching(what)]
    return frozenset(step.dump for step in steps if step.dump is not None)


def timelines_of(snapshot: Snapshot) -> Iterator[ShaderTimeline]:
    """Read the timelines of a log, each when it is asked for, with a progress bar for a long log."""
    with reading():
        digest = cache(DumpDigest)
        reader = TimelineReader(snapshot, lambda piece: digest(piece.text))
    return map(reader.timeline, with_progress(reader.tracks, "reading shaders"))


def chosen(shaders: Sequence[ShaderTimeline], wanted: str | None) -> list[ShaderTimeline]:
    """The shaders that `--shader` names by number, stage, or part of the title. Raises CommandError."""
    if wanted is None:
        return list(shaders)
    if wanted.isdecimal() and 1 <= int(wanted) <= len(shaders):
        return [shaders[int(wanted) - 1]]
    shader_timelines = [shader for shader in shaders if wanted == shader.stage] or [
        shader for shader in shaders if wanted in shader.title
    ]
    if not shader_timelines:
        raise CommandError(f"no shader {wanted!r}; there are {_titles(shaders)}")
    return shader_timelines


def only_one(shaders: Sequence[ShaderTimeline]) -> ShaderTimeline:
    """Return the one shader that there is. Raises CommandError if there are several."""
    if len(shaders) != 1:
        raise CommandError(f"which shader? choose with --shader one of {_titles(shaders)}")
    return shaders[0]


def diff_texts(
    snapshot: Snapshot, shaders: Sequence[ShaderTimeline], wanted: str
) -> tuple[SnapshotTexts, tuple[str, str]]:
    """Return the texts and titles of the sides of a pass `N`, or of snapshots `A..B`. Raises CommandError."""
    numbers = re.fullmatch(r"(\d{1,9})(?:\.\.(\d{1,9}))?", wanted)
    if numbers is None:
        raise CommandError(f"--diff takes the number of a pass, or A..B, not {wanted!r}")
    shader = only_one(shaders)
    step = step_of(shader, int(numbers[1]))
    if numbers[2] is None:
        if step.previous is None and step.dump is not None:
            raise CommandError(f"pass {step.number}, {step.name}, is the first snapshot")
        before, after = step.previous, dump_of(step)
        names = (f"before {step.name}", f"after {step.name}")
    else:
        other = step_of(shader, int(numbers[2]))
        before, after = dump_of(step), dump_of(other)
        names = (f"after {step.name} ({step.number})", f"after {other.name} ({other.number})")
    texts = [snapshot.dump(number).piece.text for number in (before, after) if number is not None]
    return texts_of_dumps(*texts), names


def estimated_releases(snapshot: Snapshot, shaders: Sequence[ShaderTimeline]) -> list[str]:
    """Return the Mesa releases that the first dumps of the shaders look like, without repetitions."""
    texts = {snapshot.dump(number).piece.text for shader in shaders for number in shader.dumps[:1]}
    return sorted({printing_release(text) for text in texts}, reverse=True)


def write_json(
    shaders: Sequence[ShaderTimeline], details: Details, *, hidden: bool, releases: Sequence[str]
) -> None:
    """Write what `nirls/timeline` answers, and the estimated Mesa releases."""
    plain = plain_timeline(
        shaders,
        hidden=hidden,
        verdicts=details.verdicts,
        pressures=details.pressures,
        wanted=details.wants,
    )
    outputs.write_json({"releases": list(releases), "shaders": plain})


def show_tables(
    snapshot: Snapshot, shaders: Iterable[ShaderTimeline], details: Details, *, hidden: bool
) -> None:
    """Write a table for each shader, and the estimated Mesa releases."""
    console = table_console()
    listed = []
    for number, shader in enumerate(shaders, 1):
        listed.append(shader)
        if number > 1:
            console.print()
        console.print(Text(printable(f"{number}. {shader.title}"), "bold"))
        console.print(_table(shader, details, hidden=hidden), soft_wrap=True)
        left_out = len(shader.steps) - len(shader.visible_steps())
        if left_out and not hidden:
            console.print(Text(f"not shown: {left_out} that changed nothing (--all)", "dim"))
        sys.stdout.flush()
    releases = estimated_releases(snapshot, listed)
    if releases:
        console.print(Text(f"printed by {', '.join(releases)}", "dim"))


def _table(shader: ShaderTimeline, details: Details, *, hidden: bool) -> Text:
    head = ["#", "pass", "changed", *COUNT_NAMES]
    right = [0, *range(3, len(head))]
    if details.pressures is not None:
        right.append(len(head))
        head.append("pressure")
    if details.verdicts is not None:
        head.append("verdict")
    right.append(len(head))
    head.append("line")
    rows = [[Text(name, "bold") for name in head]]
    rows += [
        [
            Text(str(step.number)),
            Text(printable(step.label), "" if step.change.is_visible else "dim"),
            Text(step.change.value, _COLORS[step.change]),
            *(count_text(step.before, step.after, name) for name in COUNT_NAMES),
            *([] if details.pressures is None else [Text(details.pressure(step))]),
            *([] if details.verdicts is None else [Text(details.verdict(step))]),
            Text(str(step.line + 1)),
        ]
        for step in (shader.steps if hidden else shader.visible_steps())
        if details.wants(step)
    ]
    return aligned(rows, right)


def _titles(shaders: Sequence[ShaderTimeline]) -> str:
    return ", ".join(f"{number} ({printable(shader.title)})" for number, shader in enumerate(shaders, 1))
