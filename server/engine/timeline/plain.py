"""A timeline as plain JSON values, for `nirls timeline --format json` and the request `nirls/timeline`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from nirls.server.engine.timeline.dump_digest import Counts
from nirls.server.engine.timeline.timeline import ShaderTimeline, Step


def plain_timeline(shaders: Sequence[ShaderTimeline], *, hidden: bool = False) -> list[dict[str, Any]]:
    """The shaders with their passes; with `hidden` also those that changed nothing.

    Lines, dumps and shaders count from 0, passes from 1 with the hidden ones counted.
    """
    return [_plain_shader(number, shader, hidden) for number, shader in enumerate(shaders)]


def _plain_shader(number: int, shader: ShaderTimeline, hidden: bool) -> dict[str, Any]:
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
        "passes": [_plain_step(step) for step in steps],
    }


def _plain_step(step: Step) -> dict[str, Any]:
    return {
        "number": step.number,
        "name": step.name,
        "change": step.change.value,
        "line": step.line,
        "dump": step.dump,
        "previous": step.previous,
        "before": plain_counts(step.before),
        "after": plain_counts(step.after),
    }


def plain_counts(counts: Counts | None) -> dict[str, int] | None:
    """The counts by their names."""
    if counts is None:
        return None
    return {
        "instructions": counts.instructions,
        "blocks": counts.blocks,
        "inputs": counts.inputs,
        "outputs": counts.outputs,
        "registers": counts.registers,
    }
