"""JSON form of a timeline, for `nirls timeline --format json` and the request `nirls/timeline`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from nirls.server.engine.timeline.dump_digest import DumpCounts
from nirls.server.engine.timeline.timeline import PassRun, ShaderTimeline

Verdicts = Mapping[int, tuple[str, str]]
"""Verdict and reason by the number of the dump printed after a pass."""


def plain_timeline(
    shaders: Sequence[ShaderTimeline],
    *,
    hidden: bool = False,
    verdicts: Verdicts | None = None,
    pressures: Mapping[int, int] | None = None,
    wanted: Callable[[PassRun], bool] = lambda step: True,
) -> list[dict[str, Any]]:
    """Convert shaders and their passes to JSON values; `hidden` includes passes that changed nothing.

    With `verdicts`, each pass has a `verdict`, None if not known yet; with `pressures` (by dump) the
    `pressure` before and after. Only passes that are `wanted` are listed. Lines, dumps and shaders count
    from 0, passes from 1 including hidden ones.
    """

    def plain_step(step: PassRun) -> dict[str, Any]:
        plain = _plain_step(step)
        if verdicts is not None:
            found = None if step.dump is None else verdicts.get(step.dump)
            plain["verdict"] = None if found is None else {"verdict": found[0], "reason": found[1]}
        if pressures is not None:
            sides = (step.previous, step.dump)
            plain["pressure"] = [None if dump is None else pressures.get(dump) for dump in sides]
        return plain

    return [
        {
            "number": number,
            "title": shader.title,
            "stage": shader.stage,
            "name": shader.identity.name,
            "source": shader.identity.source,
            "compilation": shader.compile_number,
            "hidden": len(shader.steps) - len(shader.visible_steps()),
            "first": plain_counts(shader.first),
            "last": plain_counts(shader.last),
            "passes": [
                plain_step(step)
                for step in (shader.steps if hidden else shader.visible_steps())
                if wanted(step)
            ],
        }
        for number, shader in enumerate(shaders)
    ]


def _plain_step(step: PassRun) -> dict[str, Any]:
    return {
        "number": step.number,
        "name": step.name,
        "unprinted": list(step.unprinted),
        "change": step.change.value,
        "line": step.line,
        "dump": step.dump,
        "previous": step.previous,
        "before": plain_counts(step.before),
        "after": plain_counts(step.after),
    }


def plain_counts(counts: DumpCounts | None) -> dict[str, int] | None:
    """Convert counts to a dict by field name."""
    return None if counts is None else asdict(counts)
