"""`nirls stats`: comparison of two logs or folders shader by shader."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from nirls.ir.model.shader import Shader
from nirls.ir.text.parse import parse_dump
from nirls.server.cli import outputs
from nirls.server.cli.arguments import Output
from nirls.server.cli.errors import CommandError
from nirls.server.cli.progress import reading, with_progress
from nirls.server.engine.base.shown_text import printable_line
from nirls.server.engine.documents.document import Snapshot
from nirls.server.engine.files.input_files import InputFile, read_inputs
from nirls.server.engine.pipelines.dump_facts import dump_facts
from nirls.server.engine.pipelines.shader_sequence import shaders_in_order
from nirls.server.ide.history.stats import (
    ShaderCounts,
    ShaderKey,
    StatsComparison,
    compare,
    keyed,
    percent_text,
    plain_comparison,
    spread_text,
)
from nirls.server.ide.report.page import stats_page

_MOST_SHOWN = 10
"""Largest number of shaders listed per metric in text, those with the largest change."""


class StatsFormat(StrEnum):
    """Output format of the comparison."""

    TEXT = "text"
    JSON = "json"
    HTML = "html"


class SnapshotChoice(StrEnum):
    """Snapshot of each shader that is compared."""

    FIRST = "first"
    LAST = "last"


def stats(
    before: Annotated[str, typer.Argument(metavar="A", help="A log or a folder of logs, or -.")],
    after: Annotated[str, typer.Argument(metavar="B", help="The log or folder to compare it with, or -.")],
    format_: Annotated[StatsFormat, typer.Option("--format", "-f", help="Output format.")] = StatsFormat.TEXT,
    output: Output = None,
    snapshot: Annotated[
        SnapshotChoice, typer.Option("--snapshot", help="The snapshot of each shader to count.")
    ] = SnapshotChoice.LAST,
) -> None:
    """Compare two logs or folders shader by shader: instructions, registers, varyings, helped and hurt.

    Shaders are matched by file (in folders), stage, and hash of the source or name. Lower is better.
    """
    stats_comparison = compare(_counts_of(before, snapshot), _counts_of(after, snapshot))
    if format_ is StatsFormat.JSON:
        text = json.dumps(plain_comparison(stats_comparison), indent=2) + "\n"
    elif format_ is StatsFormat.HTML:
        text = stats_page(before, after, stats_comparison)
    else:
        text = "\n".join(_text_lines(before, after, stats_comparison)) + "\n"
    outputs.write_to(output, text.encode())


def _counts_of(name: str, choice: SnapshotChoice) -> Mapping[ShaderKey, ShaderCounts]:
    with reading():
        files = read_inputs([name])
        for file in files:
            if not file.has_dumps:
                raise CommandError(file.why_no_dumps)
        folder = Path(name) if name != "-" and os.path.isdir(name) else None
        shaders = [one for file in files for one in _shaders_of(file, folder, choice)]
    return keyed(
        (file, stage, identity, parse())
        for file, stage, identity, parse in with_progress(shaders, "counting")
    )


def _shaders_of(
    file: InputFile, folder: Path | None, choice: SnapshotChoice
) -> Iterator[tuple[str, str, str, Callable[[], Shader]]]:
    dumps = Snapshot.of(file.data).dumps()
    place = "" if folder is None or file.path is None else file.path.relative_to(folder).as_posix()
    for shader in shaders_in_order([dump_facts(dump.piece.text) for dump in dumps]):
        facts = shader.facts
        stage = facts.stage.abbreviation if facts.stage is not None else "?"
        source = None if facts.source is None else facts.source.strip("{}").partition(",")[0]
        number = shader.numbers[0 if choice is SnapshotChoice.FIRST else -1]
        yield place, stage, source or facts.name or "", partial(parse_dump, dumps[number].piece.text)


def _text_lines(before: str, after: str, found: StatsComparison) -> Iterator[str]:
    yield printable_line(f"{before} -> {after}: {found.shaders} shaders in both")
    for title, keys in (("only in the first", found.only_before), ("only in the second", found.only_after)):
        if keys:
            yield printable_line(f"{len(keys)} {title}: {_listed([key.title for key in keys])}")
    for metric in found.metrics:
        if not metric.helped and not metric.hurt:
            continue
        yield ""
        total = percent_text(metric.before, metric.after)
        affected = percent_text(metric.affected_before, metric.affected_after)
        yield f"total {metric.name}: {metric.before} -> {metric.after} ({total})"
        yield (
            f"{metric.name} in affected shaders:"
            f" {metric.affected_before} -> {metric.affected_after} ({affected})"
        )
        for title, changes in (("helped", metric.helped), ("HURT", metric.hurt)):
            if not changes:
                continue
            yield f"{title}: {len(changes)} ({spread_text(changes)})"
            for key, old, new in changes[:_MOST_SHOWN]:
                yield printable_line(f"    {key.title}: {old} -> {new} ({percent_text(old, new)})")
            if len(changes) > _MOST_SHOWN:
                yield f"    and {len(changes) - _MOST_SHOWN} more"
        yield f"unchanged: {metric.unchanged}"
    unchanged = [metric.name for metric in found.metrics if not metric.helped and not metric.hurt]
    if unchanged:
        yield ""
        yield f"unchanged in all shaders: {', '.join(unchanged)}"


def _listed(words: Sequence[str]) -> str:
    shown = ", ".join(words[:_MOST_SHOWN])
    return shown if len(words) <= _MOST_SHOWN else f"{shown} and {len(words) - _MOST_SHOWN} more"
