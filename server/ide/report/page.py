"""A report as one HTML page without scripts or external resources, enforced by its security policy."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterator
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from nirls.server.engine.base.installed import version_of
from nirls.server.engine.base.shown_text import printable
from nirls.server.engine.timeline.dump_digest import COUNT_NAMES
from nirls.server.ide.history.stats import StatsComparison, count_text, percent_text, spread_text
from nirls.server.ide.report.contents import Report

_HERE = Path(__file__).parent
_PIECES_AT_ONCE = 1000


def page(report: Report) -> Iterator[bytes]:
    """Render a report on a log, in UTF-8, piece by piece: whole, it is larger than the log."""
    return _rendered("page.html.j2", report=report, columns=COUNT_NAMES)


def stats_page(before: str, after: str, found: StatsComparison) -> Iterator[bytes]:
    """Render a comparison of two sets of shaders, named `before` and `after`, in UTF-8."""
    return _rendered(
        "stats.html.j2",
        before=before,
        after=after,
        found=found,
        count_text=count_text,
        percent_text=percent_text,
        spread_text=spread_text,
    )


def _rendered(template: str, **values: object) -> Iterator[bytes]:
    """Render a template; all text from a log is escaped, control characters included."""
    environment = Environment(
        loader=FileSystemLoader(_HERE), autoescape=True, undefined=StrictUndefined, trim_blocks=True
    )
    environment.filters["shown"] = printable
    style = (_HERE / "style.css").read_text(encoding="utf-8")
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    stream = environment.get_template(template).stream(
        **values,
        style=Markup(style),  # ours, from the package
        style_hash=f"sha256-{digest}",
        version=version_of("nirls", "0"),
    )
    stream.enable_buffering(_PIECES_AT_ONCE)
    return (piece.encode("utf-8", "replace") for piece in stream)
