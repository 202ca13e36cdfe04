"""`nirls preview`: how large the dumps of files are before and after passes, with nothing written."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass

from rich.console import Console
from rich.table import Table
from rich.text import Text

from nirls.server.command_line.optimize import Optimizer
from nirls.server.command_line.workspace import Workspace
from nirls.server.document import Snapshot
from nirls.server.printable_text import printable
from nirls.server.timeline.dump_digest import Counts, DumpDigest
from nirls.server.timeline.plain import plain_counts

_COLUMNS = ("instructions", "blocks", "inputs", "outputs", "registers")
_WIDE = 200


@dataclass(frozen=True, slots=True)
class Effect:
    """What passes make of a dump. `number` counts the dumps of the file from 1."""

    file: str
    number: int
    stage: str
    pipeline: str | None
    before: Counts
    after: Counts


def effects(workspace: Workspace, optimizer: Optimizer) -> list[Effect]:
    """The sizes of all dumps of the files that were named, after the optimizer has run."""
    names = {
        (member.dump.document, member.dump.number): pipeline.name
        for pipeline in workspace.pipelines
        for member in pipeline.members
    }
    found = []
    for document in workspace.named():
        after = Snapshot.of(optimizer.new_text(document)).dumps()
        for dump, new in zip(document.dumps, after, strict=True):
            digest = DumpDigest(dump.piece.text)
            pipeline = names.get((document.file.name, dump.number))
            stage = digest.identity.stage
            counts = digest.counts, DumpDigest(new.piece.text).counts
            found.append(Effect(document.file.name, dump.number + 1, stage, pipeline, *counts))
    return found


def write_json(found: Sequence[Effect]) -> None:
    """Write the sizes as a list of objects."""
    plain = [
        {
            "file": one.file,
            "dump": one.number,
            "stage": one.stage,
            "pipeline": one.pipeline,
            "before": plain_counts(one.before),
            "after": plain_counts(one.after),
        }
        for one in found
    ]
    json.dump(plain, sys.stdout, indent=2)
    sys.stdout.write("\n")


def show_table(found: Sequence[Effect]) -> None:
    """Write a row for each dump."""
    console = Console() if sys.stdout.isatty() else Console(width=_WIDE, no_color=True)
    table = Table(box=None, pad_edge=False)
    for name in ("dump", "stage", "pipeline"):
        table.add_column(name, overflow="fold")
    for name in _COLUMNS:
        table.add_column(name, justify="right")
    for one in found:
        table.add_row(
            Text(printable(f"{one.file}#{one.number}")),
            Text(printable(one.stage)),
            Text(printable(one.pipeline or "")),
            *(count_text(one.before, one.after, name) for name in _COLUMNS),
        )
    console.print(table)


def count_text(before: Counts | None, after: Counts | None, name: str) -> Text:
    """`12 → 9`, green for less, red for more; the number alone where it stays, "" for none."""
    new = "" if after is None else str(getattr(after, name))
    old = new if before is None else str(getattr(before, name))
    if old == new:
        return Text(new)
    return Text(f"{old} → {new}", "green" if int(new) < int(old) else "red")
