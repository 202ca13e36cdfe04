"""`nirls reduce`: reduction of dumps on which a pass fails, or a program of the user says yes."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from nirls.ir.analysis.assumptions import Assumptions
from nirls.ir.model.clone import clone_shader
from nirls.ir.model.shader import Shader
from nirls.ir.validation import new_errors
from nirls.passes.declaration import Pass
from nirls.passes.reduction import reduce_shaders
from nirls.passes.reduction.reduce import Holds, count_instructions
from nirls.passes.reduction.search import ReductionEnd, Search
from nirls.server.cli import INTERRUPTED, outputs
from nirls.server.cli.arguments import Config, Files, OutDir, Output, complete_passes
from nirls.server.cli.errors import CommandError, complain
from nirls.server.cli.opening import files_with_dumps, opened, project_for
from nirls.server.cli.optimize import for_driver, pass_runs
from nirls.server.cli.reduction import ReductionByScript, script_of
from nirls.server.engine.batch.run import available_cores
from nirls.server.engine.checks.pass_jobs import run_in_place
from nirls.server.engine.files.linked_files import LinkedFiles
from nirls.server.engine.pipelines.pipelines import DumpRef
from nirls.verification.options import VerificationOptions
from nirls.verification.verdict import Different
from nirls.verification.verify_shaders import verify_shaders


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
    passes: Annotated[
        list[str] | None,
        typer.Option(
            "--pass",
            "-p",
            metavar="PASS[,PASS]",
            help="The passes to run, in order; with --test, before each test.",
            autocompletion=complete_passes,
        ),
    ] = None,
    options: Annotated[
        list[str] | None,
        typer.Option("--option", metavar="NAME=VALUE", help="An option of a pass, or PASS.NAME=VALUE."),
    ] = None,
    test: Annotated[
        str | None,
        typer.Option(
            "--test",
            metavar="SCRIPT",
            help="A program that exits with status 0 if the files named as its last arguments still show"
            " what they are reduced for; with passes, the results follow the files.",
        ),
    ] = None,
    when: Annotated[
        When | None,
        typer.Option("--when", help="Without --test: the failure to preserve.", show_default="different"),
    ] = None,
    jobs: Annotated[
        int | None,
        typer.Option("--jobs", "-j", min=0, help="With --test: tries at once; one per core for 0."),
    ] = None,
    output: Output = None,
    out_dir: OutDir = None,
    seconds: Annotated[
        float, typer.Option("--seconds", metavar="S", help="Time limit of the reduction.")
    ] = 120.0,
    config: Config = None,
) -> None:
    """Shrink dumps to minimal ones that still show a failure.

    Without --test, the first dump or pipeline on which the passes fail. With it, the files as a whole:
    dumps, the text between them, then what is in the shaders. -o and --out-dir are written with each
    smaller result; Ctrl-C ends the reduction with the smallest so far.
    """
    if test is None:
        if not passes:
            raise CommandError("give a test with --test SCRIPT, or a pass with -p")
        if out_dir is not None:
            raise CommandError("--out-dir is for --test")
        if jobs is not None:
            raise CommandError("--jobs is for --test")
        _reduce_for_pass(
            files, pass_runs(passes, options or []), when or When.DIFFERENT, output, seconds, config
        )
        return
    if when is not None:
        raise CommandError("--when is what nirls tests for, so it has no use beside --test")
    runs = pass_runs(passes, options or []) if passes else []
    script = script_of(test)
    inputs = files_with_dumps(files)
    if len(inputs) > 1 and out_dir is None:
        raise CommandError(f"{len(inputs)} files need a folder for their results: --out-dir DIR")
    if output is not None and out_dir is not None:
        raise CommandError("--output and --out-dir exclude each other")
    work = ReductionByScript(inputs, project_for(inputs, config), runs, script, output, out_dir)
    summary, end = work.run(seconds, jobs or available_cores())
    _finish(summary, end)


def _reduce_for_pass(
    files: Sequence[str],
    runs: Sequence[Pass],
    when: When,
    output: Path | None,
    seconds: float,
    config: Path | None,
) -> None:
    workspace = opened(files, config)
    reduced = reduce_workspace(workspace, runs, when, seconds)
    if reduced is None:
        raise CommandError(f"nothing to reduce: {', '.join(run.name for run in runs)}: {when.none_found}")
    text, summary, end = reduced
    outputs.write_to(output, [text])
    _finish(summary, end)


def _finish(summary: str, end: ReductionEnd) -> None:
    complain(summary)
    if end is ReductionEnd.INTERRUPTED:
        raise typer.Exit(INTERRUPTED)


def reduce_workspace(
    workspace: LinkedFiles, runs: Sequence[Pass], when: When, seconds: float | None
) -> tuple[bytes, str, ReductionEnd] | None:
    """Shrink the first dump or pipeline on which the passes fail in the way `when`.

    Returns the reduced dumps, a summary, and why the search ended; None if there is no failure. Pipelines are
    tried if one of the passes runs on pipelines.
    """
    for dumps in _units(workspace, runs):
        shaders = [workspace.shader(dump) for dump in dumps]
        holds = _property(when, shaders, [for_driver(run, workspace, dumps[0]) for run in runs])
        if not holds(shaders):
            continue
        result = reduce_shaders(shaders, holds, Search.lasting(seconds))
        text = b"\n".join(shader.source for shader in result.shaders)
        summary = reduction_summary(count_instructions(shaders), result.instructions, result.end)
        return text, summary, result.end
    return None


def reduction_summary(before: int, after: int, end: ReductionEnd) -> str:
    """Describe a reduction by the numbers of instructions before and after it."""
    early = "" if end is ReductionEnd.COMPLETE else f", and {end.value}"
    return f"reduced {before} instructions to {after}{early}"


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
