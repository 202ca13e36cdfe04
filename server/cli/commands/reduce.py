"""`nirls reduce`: reduction of dumps on which a pass fails."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from typing import Annotated

import typer

from nirls.ir.analysis.assumptions import Assumptions
from nirls.ir.model.clone import clone_shader
from nirls.ir.model.shader import Shader
from nirls.ir.validation import new_errors
from nirls.passes.declaration import Pass
from nirls.passes.reduction import reduce_shaders
from nirls.passes.reduction.reduce import Holds, count_instructions
from nirls.server.cli import outputs
from nirls.server.cli.arguments import Config, Files, Output, Passes
from nirls.server.cli.errors import CommandError, complain
from nirls.server.cli.opening import opened
from nirls.server.cli.optimize import for_driver, pass_runs
from nirls.server.engine.checks.pass_jobs import run_in_place
from nirls.server.engine.files.linked_files import LinkedFiles
from nirls.server.engine.pipelines.pipelines import DumpRef
from nirls.verification import Different, VerificationOptions, verify_shaders


class When(StrEnum):
    """The failure that `reduce` preserves."""

    DIFFERENT = "different"
    """The result does something else."""
    INVALID = "invalid"
    """The result has new validation errors."""
    CRASH = "crash"
    """A pass raises."""

    @property
    def none_found(self) -> str:
        """Message for a pass that never fails in this way."""
        return {
            When.DIFFERENT: "no result is different from what went in",
            When.INVALID: "no result is invalid",
            When.CRASH: "no run fails",
        }[self]


def reduce(
    files: Files,
    passes: Passes,
    options: Annotated[
        list[str] | None,
        typer.Option("--option", metavar="NAME=VALUE", help="An option of a pass, or PASS.NAME=VALUE."),
    ] = None,
    when: Annotated[When, typer.Option("--when", help="The failure to preserve.")] = When.DIFFERENT,
    output: Output = None,
    seconds: Annotated[
        float, typer.Option("--seconds", metavar="S", help="Time limit of the reduction.")
    ] = 120.0,
    config: Config = None,
) -> None:
    """Shrink the first dump or pipeline on which a pass fails to a minimal one that still fails."""
    runs = pass_runs(passes, options or [])
    workspace = opened(files, config)
    reduced = reduce_workspace(workspace, runs, when, seconds)
    if reduced is None:
        raise CommandError(f"nothing to reduce: {', '.join(run.name for run in runs)}: {when.none_found}")
    text, summary = reduced
    outputs.write_to(output, text)
    complain(summary)


def reduce_workspace(
    workspace: LinkedFiles, runs: Sequence[Pass], when: When, seconds: float | None
) -> tuple[bytes, str] | None:
    """Shrink the first dump or pipeline on which the passes fail in the way `when`.

    Returns the reduced dumps and a summary, None if there is no failure. Pipelines are tried if one of the
    passes runs on pipelines.
    """
    for dumps in _units(workspace, runs):
        shaders = [workspace.shader(dump) for dump in dumps]
        holds = _property(when, shaders, [for_driver(run, workspace, dumps[0]) for run in runs])
        if not holds(shaders):
            continue
        result = reduce_shaders(shaders, holds, seconds=seconds)
        text = b"\n".join(shader.source for shader in result.shaders)
        return text, reduction_summary(count_instructions(shaders), result.instructions, result.is_complete)
    return None


def reduction_summary(before: int, after: int, is_complete: bool) -> str:
    """Describe a reduction by the numbers of instructions before and after it."""
    end = "" if is_complete else ", and time ran out"
    return f"reduced {before} instructions to {after}{end}"


def _property(when: When, shaders: Sequence[Shader], runs: Sequence[Pass]) -> Holds:
    """The test of each candidate; a crash must keep its exception type."""
    if when is When.DIFFERENT:
        return lambda candidate: _is_different(candidate, runs)
    if when is When.INVALID:
        return lambda candidate: _is_invalid(candidate, runs)
    error = _error(shaders, runs)
    return lambda candidate: error is not None and _error(candidate, runs) is error


def _units(workspace: LinkedFiles, runs: Sequence[Pass]) -> list[tuple[DumpRef, ...]]:
    of_pipelines = [run for run in runs if run.scope == "pipeline"]
    if not of_pipelines:
        return [(dump,) for dump in workspace.dumps()]
    return workspace.groups(unlinked=all(run.alone for run in of_pipelines))


def _after(shaders: Sequence[Shader], runs: Sequence[Pass]) -> list[Shader] | None:
    """Copies of the shaders as the passes leave them; None if they change nothing."""
    copies = [clone_shader(shader) for shader in shaders]
    changed = [run_in_place(run, copies) for run in runs]
    return copies if any(changed) else None


def _after_if_it_runs(shaders: Sequence[Shader], runs: Sequence[Pass]) -> list[Shader] | None:
    try:
        return _after(shaders, runs)
    except Exception:  # a failing pass is the subject of `--when crash` only
        return None


def _is_different(shaders: Sequence[Shader], runs: Sequence[Pass]) -> bool:
    after = _after_if_it_runs(shaders, runs)
    if after is None or new_errors(shaders, after):
        return False
    options = VerificationOptions(
        most_runs=4,
        lanes=32,
        least_lanes=8,
        iteration_limit=200,
        assumptions=Assumptions.together(run.assumptions(shaders) for run in runs),
    )
    return isinstance(verify_shaders(shaders, after, options), Different)


def _is_invalid(shaders: Sequence[Shader], runs: Sequence[Pass]) -> bool:
    after = _after_if_it_runs(shaders, runs)
    return after is not None and bool(new_errors(shaders, after))


def _error(shaders: Sequence[Shader], runs: Sequence[Pass]) -> type[Exception] | None:
    """The kind of exception that the passes end with."""
    try:
        _after(shaders, runs)
    except Exception as error:
        return type(error)
    return None
