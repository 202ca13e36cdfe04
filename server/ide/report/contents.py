"""The contents of a report as plain text, not escaped."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import zip_longest

from nirls.ir.model.shader import Shader
from nirls.server.engine.timeline.timeline import PassRun, ShaderTimeline
from nirls.server.ide.graphs.varyings import scalars_of
from nirls.server.ide.history.snapshot_diff import SnapshotTexts, side_by_side

MOST_ROWS = 600
"""Largest number of rows in the diff of a pass."""


@dataclass(frozen=True, slots=True)
class DiffRow:
    """A row of a side-by-side diff: `equal`, `replace`, `delete`, `insert` or `gap`. Lines count from 1."""

    kind: str
    left_line: int | None = None
    left: str = ""
    right_line: int | None = None
    right: str = ""


@dataclass(frozen=True, slots=True)
class PassDiff:
    """The changes of a pass. `left_out` counts the omitted rows."""

    rows: tuple[DiffRow, ...]
    left_out: int = 0


@dataclass(frozen=True, slots=True)
class ReportedPass:
    """A pass with its diff; None if it printed no snapshot or is the first."""

    step: PassRun
    diff: PassDiff | None = None


@dataclass(frozen=True, slots=True)
class ReportedShader:
    """A shader with its passes."""

    timeline: ShaderTimeline
    passes: tuple[ReportedPass, ...]


@dataclass(frozen=True, slots=True)
class ReportedFinding:
    """A finding in the last snapshot of a shader. `line` counts from 1 in the log."""

    severity: str
    code: str
    message: str
    shader: str
    line: int
    excerpt: str


@dataclass(frozen=True, slots=True)
class VaryingRow:
    """A scalar slot between two stages, with its name in each; None if the stage does not use it."""

    slot: str
    written: str | None
    read: str | None


@dataclass(frozen=True, slots=True)
class VaryingTable:
    """The slots between two stages."""

    producer: str
    consumer: str
    rows: tuple[VaryingRow, ...]


@dataclass(frozen=True, slots=True)
class Report:
    """A report. `source` is the name of the log."""

    source: str
    shaders: tuple[ReportedShader, ...]
    findings: tuple[ReportedFinding, ...] = ()
    varyings: tuple[VaryingTable, ...] = ()


def pass_diff(texts: SnapshotTexts) -> PassDiff:
    """Compute the diff of two snapshots in rows."""
    rows = list(_rows(texts))
    return PassDiff(tuple(rows[:MOST_ROWS]), max(0, len(rows) - MOST_ROWS))


def varying_table(producer: Shader, consumer: Shader) -> VaryingTable:
    """List the scalar slots that either of two linked stages uses."""
    written, read = scalars_of(producer, outputs=True), scalars_of(consumer, outputs=False)
    rows = [
        VaryingRow(
            (written.get(key) or read[key]).text,
            written[key].name if key in written else None,
            read[key].name if key in read else None,
        )
        for key in sorted({*written, *read})
    ]
    names = [shader.stage.abbreviation if shader.stage else "?" for shader in (producer, consumer)]
    return VaryingTable(names[0], names[1], tuple(rows))


def _rows(texts: SnapshotTexts) -> Iterator[DiffRow]:
    for run in side_by_side(texts):
        if run.kind == "gap":
            yield DiffRow("gap")
        # One object for an equal line: most lines are, and a report keeps all of them.
        right_lines = run.left if run.kind == "equal" else run.right
        for number, (left, right) in enumerate(zip_longest(run.left, right_lines), 1):
            yield DiffRow(
                run.kind,
                None if left is None else run.left_start + number,
                left or "",
                None if right is None else run.right_start + number,
                right or "",
            )
