"""`nirls reduce`: the smallest dumps on which passes still go wrong."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from nirls.ir.clone import clone_shader
from nirls.ir.shader import Shader
from nirls.passes.reduction import reduce_shaders
from nirls.passes.reduction.reduce import count_instructions
from nirls.passes.translation_validation import (
    Different,
    ValidationOptions,
    new_errors,
    validate_pass,
)
from nirls.server.command_line.optimize import PassRun
from nirls.server.command_line.workspace import Workspace


@dataclass(frozen=True, slots=True)
class Reduced:
    """The text of the small dumps, and what to tell about them."""

    text: bytes
    summary: str


def reduce_workspace(
    workspace: Workspace, runs: Sequence[PassRun], when: StrEnum, seconds: float | None
) -> Reduced | None:
    """Shrink the first dump or pipeline on which the passes go wrong as `when` says; None if there is none.

    `when` is `different` (the result does something else), `invalid` (it has new validation errors) or
    `crash` (a pass raises). Pipelines are looked at if one of the passes needs linked stages.
    """
    goes_wrong = _PROPERTIES[when.value]

    def holds(shaders: Sequence[Shader]) -> bool:
        return goes_wrong(shaders, runs)

    for shaders in _units(workspace, runs):
        if not holds(shaders):
            continue
        result = reduce_shaders(shaders, holds, seconds=seconds)
        text = b"\n".join(shader.source for shader in result.shaders)
        return Reduced(text, _summary(count_instructions(shaders), result.instructions, result.is_complete))
    return None


def _summary(before: int, after: int, is_complete: bool) -> str:
    end = "" if is_complete else ", and time ran out"
    return f"reduced {before} instructions to {after}{end}"


def _units(workspace: Workspace, runs: Sequence[PassRun]) -> list[list[Shader]]:
    if any(run.declared.scope == "pipeline" for run in runs):
        return [
            [workspace.shader(member.dump) for member in pipeline.members] for pipeline in workspace.pipelines
        ]
    return [
        [document.shader(number)] for document in workspace.named() for number in range(len(document.dumps))
    ]


def _after(shaders: Sequence[Shader], runs: Sequence[PassRun]) -> list[Shader] | None:
    """Copies of the shaders as the passes leave them; None if they change nothing."""
    copies = [clone_shader(shader) for shader in shaders]
    changed = False
    for run in runs:
        groups = [copies] if run.declared.scope == "pipeline" else [[copy] for copy in copies]
        for group in groups:
            if run.declared.scope == "pipeline" or run.declared.applies_to(group[0].stage):
                changed |= bool(run.declared.run(group, run.options))
    return copies if changed else None


def _after_if_it_runs(shaders: Sequence[Shader], runs: Sequence[PassRun]) -> list[Shader] | None:
    try:
        return _after(shaders, runs)
    except Exception:  # a pass that fails on what it is given: that is for `--when crash`
        return None


def _is_different(shaders: Sequence[Shader], runs: Sequence[PassRun]) -> bool:
    after = _after_if_it_runs(shaders, runs)
    if after is None or new_errors(shaders, after):
        return False
    options = ValidationOptions(iteration_limit=200)
    return isinstance(validate_pass(shaders, after, options), Different)


def _is_invalid(shaders: Sequence[Shader], runs: Sequence[PassRun]) -> bool:
    after = _after_if_it_runs(shaders, runs)
    return after is not None and bool(new_errors(shaders, after))


def _crashes(shaders: Sequence[Shader], runs: Sequence[PassRun]) -> bool:
    try:
        _after(shaders, runs)
    except Exception:
        return True
    return False


_PROPERTIES: dict[str, Callable[[Sequence[Shader], Sequence[PassRun]], bool]] = {
    "different": _is_different,
    "invalid": _is_invalid,
    "crash": _crashes,
}
