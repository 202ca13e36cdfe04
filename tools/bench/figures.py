"""Figures by size, and what can be said of them: growth, targets, and how they were the last time."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rich.table import Table


@dataclass(frozen=True)
class Row:
    """A figure for each size, in milliseconds or megabytes, and the target for the largest (or all)."""

    what: str
    figures: tuple[float, ...]
    target: str = ""


@dataclass(frozen=True)
class Group:
    """Rows over the same sizes."""

    name: str
    title: str
    sizes: tuple[int, ...]
    rows: tuple[Row, ...]


def group_of(
    name: str,
    title: str,
    sizes: Sequence[int],
    measured: Sequence[Mapping[str, float]],
    targets: Mapping[str, str],
) -> Group:
    """The group of figures that were measured for each size."""
    rows = [Row(what, tuple(one[what] for one in measured), targets.get(what, "")) for what in measured[0]]
    return Group(name, title, tuple(sizes), tuple(rows))


def exponent(figures: Sequence[float], sizes: Sequence[int]) -> float:
    """k where the figures grow as size to the power of k, from the first size to the last; 1 is linear."""
    if len(sizes) < 2 or figures[0] <= 0 or figures[-1] <= 0:
        return 0.0
    return math.log(figures[-1] / figures[0]) / math.log(sizes[-1] / sizes[0])


def plain(groups: Sequence[Group], unit: float) -> dict[str, Any]:
    """All figures as JSON values; `unit` is the speed of the machine, see `tools.bench.timing`."""
    return {
        "unit": unit,
        **{
            group.name: {
                row.what: {
                    "figures": dict(zip(map(str, group.sizes), row.figures, strict=True)),
                    "exponent": exponent(row.figures, group.sizes),
                    "target": row.target or None,
                }
                for row in group.rows
            }
            for group in groups
        },
    }


def change(group: Group, row: Row, unit: float, last: Mapping[str, Any]) -> float | None:
    """The relative change of the figure for the largest size since the last run, 0.1 for a tenth more.

    Times are compared in units of how fast each machine was. None if there is nothing to compare with.
    """
    known = last.get(group.name, {}).get(row.what, {}).get("figures", {}).get(str(group.sizes[-1]))
    if not known or not row.figures[-1]:
        return None
    is_time = row.what.endswith("ms")
    factor = last["unit"] / unit if is_time else 1.0
    return float(row.figures[-1] * factor / known - 1)


def table(group: Group, unit: float, last: Mapping[str, Any]) -> Table:
    """The rows with their growth from the first size to the last, and the change since the last time."""
    result = Table(title=group.title, title_justify="left")
    result.add_column("what")
    for size in group.sizes:
        result.add_column(f"{size:,}", justify="right")
    for name in ("growth", "target", "since last"):
        result.add_column(name, justify="right")
    for row in group.rows:
        growth = (
            f"{row.figures[-1] / row.figures[0]:.1f}x, n^{exponent(row.figures, group.sizes):.2f}"
            if row.figures[0]
            else ""
        )
        since = change(group, row, unit, last)
        shown = "" if since is None else f"{since:+.0%}"
        result.add_row(row.what, *(f"{figure:,.1f}" for figure in row.figures), growth, row.target, shown)
    return result
