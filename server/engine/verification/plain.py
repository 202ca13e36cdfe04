"""JSON form of verdicts."""

from __future__ import annotations

from typing import Any

from nirls.passes.translation_validation.first_difference import FirstDifference
from nirls.passes.translation_validation.verdict import Counterexample
from nirls.server.engine.verification.unit import TransitionVerdict


def plain_counterexample(found: TransitionVerdict, from_line: int, line: int) -> dict[str, Any] | None:
    """Convert a counterexample to JSON values; `from_line` and `line` are the first lines of the dumps."""
    if found.counterexample is None:
        return None
    example = found.counterexample
    return {
        "output": example.what,
        "before": example.before,
        "after": example.after,
        "invocation": example.lane,
        "seed": example.seed,
        "world": example.world,
        "inputs": _inputs(example),
        "instruction": None
        if found.instruction is None
        else _instruction(found.instruction, from_line, line),
    }


def _inputs(example: Counterexample) -> list[dict[str, str]]:
    return [{"name": one.name, "value": one.value} for one in example.inputs]


def _instruction(found: FirstDifference, from_line: int, line: int) -> dict[str, Any]:
    return {
        "before": found.before,
        "after": found.after,
        "from_line": None if found.before_line is None else found.before_line + from_line,
        "line": None if found.after_line is None else found.after_line + line,
        "values": [
            {
                "before_name": value.before_name,
                "after_name": value.after_name,
                "before": value.before,
                "after": value.after,
            }
            for value in found.values
        ],
    }
