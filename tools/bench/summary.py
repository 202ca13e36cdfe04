"""The kept figures as a table of docs/performance.md: ratios first, because they hold on any machine."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

PAGE: Final = Path(__file__).parents[2] / "docs" / "performance.md"
_BEGIN: Final = "<!-- figures: written by `python -m tools.bench --keep` -->\n"
_END: Final = "<!-- end of figures -->\n"


def summary(figures: Mapping[str, Any]) -> str:
    """The figures of logs as a table in Markdown: by MLIR's server where that was measured, and growth."""
    logs, ratios = figures["logs"], figures.get("ratios", {})
    sizes = list(next(iter(logs.values()))["figures"])
    heads = [
        "",
        *(f"{int(size):,} lines" for size in sizes),
        f"{int(sizes[-1]):,} by {int(sizes[0]):,}",
        "target",
    ]
    lines = [_line(heads), _line(["---"] * len(heads))]
    for what, row in logs.items():
        name, _, unit = what.rpartition(", ")
        own = list(row["figures"].values())
        ratio = ratios.get(name, {}).get("figures")
        cells = [f"{figure:,.1f} {unit}" for figure in own]
        if ratio is not None:
            cells = [f"**{by:.2f}** ({cell})" for by, cell in zip(ratio.values(), cells, strict=True)]
        target = "" if row["target"] is None else f"{row['target']} {unit}"
        lines.append(_line([name, *cells, f"{own[-1] / own[0]:,.1f}" if own[0] else "", target]))
    return "".join(lines)


def with_summary(text: str, figures: Mapping[str, Any]) -> str:
    """The text of the page with the table of these figures. Raises ValueError if it has no place for it."""
    start, end = text.index(_BEGIN) + len(_BEGIN), text.index(_END)
    return f"{text[:start]}\n{summary(figures)}\n{text[end:]}"


def _line(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |\n".replace("|  |", "| |")
