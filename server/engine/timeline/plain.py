"""JSON form of a timeline, for `nirls timeline --format json` and the request `nirls/timeline`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from nirls.server.engine.timeline.dump_digest import Counts
from nirls.server.engine.timeline.timeline import ShaderTimeline, Step

Verdicts = Mapping[int, tuple[str, str]]
"""Verdict and reason by the number of the dump printed after a pass."""


def plain_timeline(
    shaders: Sequence[ShaderTimeline], *, hidden: bool = False, verdicts: Verdicts | None = None
) -> list[dict[str, Any]]:
    """Convert shaders and their passes to JSON values; `hidden` includes passes that changed nothing.

    With `verdicts`, each pass has a `verdict`, None if not known yet. Lines, dumps and shaders count from 0,
    passes from 1 including hidden ones.
    """
    return [_plain_shader(number, shader, hidden, verdicts) for number, shader in enumerate(shaders)]


def _plain_shader(
    number: int, shader: ShaderTimeline, hidden: bool, verdicts: Verdicts | None
) -> dict[str, Any]:
    steps = shader.steps if hidden else shader.visible_steps()
    return {
        "number": number,
        "title": shader.title,
        "stage": shader.stage,
        "name": shader.identity.name,
        "source": shader.identity.source,
        "compilation": shader.compile_number,
        "hidden": len(shader.steps) - len(shader.visible_steps()),
        "first": plain_counts(shader.first),
        "last": plain_counts(shader.last),
        "passes": [_plain_step(step, verdicts) for step in steps],
    }


def _plain_step(step: Step, verdicts: Verdicts | None) -> dict[str, Any]:
    plain: dict[str, Any] = {
        "number": step.number,
        "name": step.name,
        "change": step.change.value,
        "line": step.line,
        "dump": step.dump,
        "previous": step.previous,
        "before": plain_counts(step.before),
        "after": plain_counts(step.after),
    }
    if verdicts is not None:
        found = None if step.dump is None else verdicts.get(step.dump)
        plain["verdict"] = None if found is None else {"verdict": found[0], "reason": found[1]}
    return plain


def plain_counts(counts: Counts | None) -> dict[str, int] | None:
    """Convert counts to a dict by field name."""
    if counts is None:
        return None
    return {
        "instructions": counts.instructions,
        "blocks": counts.blocks,
        "inputs": counts.inputs,
        "outputs": counts.outputs,
        "registers": counts.registers,
    }
