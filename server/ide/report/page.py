"""A report as one HTML page that loads nothing, runs nothing, and says so in its security policy."""

from __future__ import annotations

import base64
import hashlib
import importlib.metadata
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from nirls.server.engine.printable_text import printable
from nirls.server.engine.timeline.plain import plain_counts
from nirls.server.ide.report.contents import Report, ReportedShader

_HERE = Path(__file__).parent
_COLUMNS = ("instructions", "blocks", "inputs", "outputs", "registers")


def page(report: Report) -> str:
    """The page. Whatever comes from the log is text in it, with control characters shown as escapes."""
    environment = Environment(
        loader=FileSystemLoader(_HERE), autoescape=True, undefined=StrictUndefined, trim_blocks=True
    )
    environment.filters["shown"] = printable
    style = (_HERE / "style.css").read_text(encoding="utf-8")
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    return environment.get_template("page.html.j2").render(
        report=report,
        shaders=[_shader(shader) for shader in report.shaders],
        columns=_COLUMNS,
        style=Markup(style),  # ours, from the package
        style_hash=f"sha256-{digest}",
        version=_version(),
    )


def _shader(shader: ReportedShader) -> dict[str, Any]:
    timeline = shader.timeline
    return {
        "title": timeline.title,
        "first": plain_counts(timeline.first),
        "last": plain_counts(timeline.last),
        "total": len(timeline.steps),
        "changed": len(timeline.visible_steps()),
        "passes": [
            {
                "step": entry.step,
                "diff": entry.diff,
                "before": plain_counts(entry.step.before),
                "after": plain_counts(entry.step.after),
            }
            for entry in shader.passes
        ],
    }


def _version() -> str:
    try:
        return importlib.metadata.version("nirls")
    except importlib.metadata.PackageNotFoundError:
        return "0"
