"""`nirls stats`: the counts of one log or folder, or the comparison of two, shader by shader."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from typing import Annotated

import typer
from rich.text import Text

from nirls.ir.finding import counted
from nirls.server.cli import outputs
from nirls.server.cli.arguments import Output
from nirls.server.cli.counting import counts_of
from nirls.server.cli.errors import FOUND, CommandError, complain
from nirls.server.cli.tables import aligned
from nirls.server.engine.base.shown_text import printable_line
from nirls.server.ide.history.backend_stats import PREFIX
from nirls.server.ide.history.stats import (
    ShaderCounts,
    ShaderKey,
    StatsComparison,
    compare,
    count_text,
    percent,
    percent_text,
    plain_comparison,
    spread_text,
)
from nirls.server.ide.report.page import stats_page

_MOST_SHOWN = 10
"""Largest number of shaders listed per metric in text, those with the largest change."""

Counts = Mapping[ShaderKey, ShaderCounts]


class StatsFormat(StrEnum):
    """Output format."""

    TEXT = "text"
    JSON = "json"
    CSV = "csv"
    HTML = "html"


class SnapshotChoice(StrEnum):
    """Snapshot of each shader that is counted."""

    FIRST = "first"
    LAST = "last"


def stats(
    before: Annotated[str, typer.Argument(metavar="A", help="A log or a folder of logs, or -.")],
    after: Annotated[
        str | None, typer.Argument(metavar="[B]", help="The log or folder to compare it with, or -.")
    ] = None,
    format_: Annotated[StatsFormat, typer.Option("--format", "-f", help="Output format.")] = StatsFormat.TEXT,
    output: Output = None,
    snapshot: Annotated[
        SnapshotChoice, typer.Option("--snapshot", help="The snapshot of each shader to count.")
    ] = SnapshotChoice.LAST,
    metrics: Annotated[
        list[str] | None,
        typer.Option("--metric", metavar="NAME", help="Only this metric, such as instructions; repeatable."),
    ] = None,
    fail_on_hurt: Annotated[
        float | None,
        typer.Option(
            "--fail-on-hurt",
            metavar="PERCENT",
            min=0.0,
            help="Exit with status 1 if the total of a metric is hurt by more than that.",
        ),
    ] = None,
) -> None:
    """Count the shaders of a log or folder, or compare two shader by shader, helped and hurt.

    Counted are instructions, registers, varyings and so on of NIR, and what back ends printed about the
    compiled shaders. Shaders are matched by file (in folders), stage, and hash of the source or name. Lower
    is better, but for threads and waves.
    """
    of_first = snapshot is SnapshotChoice.FIRST
    if after is None:
        if fail_on_hurt is not None or format_ is StatsFormat.HTML:
            raise CommandError("--fail-on-hurt and --format html are for a comparison of two")
        text = _one(_only(counts_of(before, of_first=of_first), metrics), format_)
        outputs.write_to(output, [text.encode("utf-8", "replace")])
        return
    sides = [_only(counts_of(name, of_first=of_first), metrics) for name in (before, after)]
    found = compare(*sides)
    if metrics:
        chosen = tuple(metric for metric in found.metrics if metric.name in metrics)
        found = StatsComparison(chosen, found.shaders, found.only_before, found.only_after)
    outputs.write_to(output, _comparison(before, after, found, format_))
    if fail_on_hurt is not None:
        _fail_on_hurt(found, fail_on_hurt)


def _only(counts: Counts, metrics: Sequence[str] | None) -> Counts:
    """Return the shaders with only some metrics. Raises CommandError for one that no shader has."""
    if not metrics:
        return counts
    known = dict.fromkeys(name for own in counts.values() for name in own)
    unknown = [name for name in metrics if name not in known]
    if unknown:
        raise CommandError(f"there is no metric {unknown[0]!r}; there are {', '.join(known)}")
    chosen = {key: {name: own[name] for name in metrics if name in own} for key, own in counts.items()}
    return {key: own for key, own in chosen.items() if own}


def _fail_on_hurt(found: StatsComparison, limit: float) -> None:
    hurt = [metric for metric in found.metrics if metric.hurt_percent > limit]
    for metric in hurt:
        change = percent_text(metric.before, metric.after)
        counts = f"{count_text(metric.before)} -> {count_text(metric.after)}"
        complain(f"{metric.name} is hurt by more than {limit:g}%: {counts} ({change})")
    if hurt:
        raise typer.Exit(FOUND)


def _comparison(before: str, after: str, found: StatsComparison, format_: StatsFormat) -> Iterable[bytes]:
    match format_:
        case StatsFormat.HTML:
            return stats_page(before, after, found)
        case StatsFormat.JSON:
            text = json.dumps(plain_comparison(found), indent=2) + "\n"
        case StatsFormat.CSV:
            text = _csv(_comparison_rows(found))
        case StatsFormat.TEXT:
            text = "\n".join(_text_lines(before, after, found)) + "\n"
    return [text.encode("utf-8", "replace")]


def _comparison_rows(found: StatsComparison) -> Iterator[Sequence[object]]:
    """Yield the total of each metric, and the shaders that changed."""
    yield "metric", "file", "stage", "shader", "number", "before", "after", "percent"
    for metric in found.metrics:
        yield metric.name, "", "", "total", "", metric.before, metric.after, metric.percent
        for key, old, new in (*metric.helped, *metric.hurt):
            yield (
                *(metric.name, key.file, key.stage, key.identity, key.number),
                *(old, new, percent(old, new)),
            )


def _one(counts: Counts, format_: StatsFormat) -> str:
    names = list(dict.fromkeys(name for own in counts.values() for name in own))
    if format_ is StatsFormat.JSON:
        plain = [
            {"file": key.file, "stage": key.stage, "shader": key.title, "counts": dict(own)}
            for key, own in counts.items()
        ]
        return json.dumps(plain, indent=2) + "\n"
    if format_ is StatsFormat.CSV:
        rows = [
            [key.file, key.stage, key.identity, key.number, *(own.get(name, "") for name in names)]
            for key, own in counts.items()
        ]
        return _csv([["file", "stage", "shader", "number", *names], *rows])
    tables: dict[bool, dict[ShaderKey, ShaderCounts]] = {}
    for key, own in counts.items():
        tables.setdefault(any(name.startswith(PREFIX) for name in own), {})[key] = own
    return "\n".join(_table(table) for table in tables.values())


def _table(counts: Counts) -> str:
    """Lay out the counts of shaders, with a line of totals; columns of zeros are left out."""
    names = [
        name
        for name in dict.fromkeys(name for own in counts.values() for name in own)
        if any(own.get(name) for own in counts.values())
    ]
    rows = [["shader", *(name.removeprefix(PREFIX) for name in names)]]
    for key, own in counts.items():
        cells = ["" if name not in own else count_text(own[name]) for name in names]
        rows.append([printable_line(key.title), *cells])
    totals = [count_text(sum(own.get(name, 0) for own in counts.values())) for name in names]
    if len(counts) > 1:
        rows.append([f"total of {counted(len(counts), 'shader')}", *totals])
    texts = [[Text(cell) for cell in row] for row in rows]
    lines = aligned(texts, range(1, len(names) + 1)).plain.split("\n")
    return "".join(f"{line.rstrip()}\n" for line in lines)


def _csv(rows: Iterator[Sequence[object]] | Sequence[Sequence[object]]) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue()


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
        yield f"total {metric.name}: {count_text(metric.before)} -> {count_text(metric.after)} ({total})"
        yield (
            f"{metric.name} in affected shaders:"
            f" {count_text(metric.affected_before)} -> {count_text(metric.affected_after)} ({affected})"
        )
        for title, changes in (("helped", metric.helped), ("HURT", metric.hurt)):
            if not changes:
                continue
            yield f"{title}: {len(changes)} ({spread_text(changes)})"
            for key, old, new in changes[:_MOST_SHOWN]:
                counts = f"{count_text(old)} -> {count_text(new)}"
                yield printable_line(f"    {key.title}: {counts} ({percent_text(old, new)})")
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
