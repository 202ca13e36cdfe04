"""`nirls opt`: application of passes to files."""

from __future__ import annotations

from typing import Annotated

import typer

from nirls.server.cli import outputs
from nirls.server.cli.arguments import (
    Cluster,
    Config,
    Driver,
    Files,
    InPlace,
    Jobs,
    OutDir,
    Passes,
    PassOptions,
    TableFormat,
    known_driver,
)
from nirls.server.cli.computing import computing
from nirls.server.cli.errors import FOUND, CommandError, complain
from nirls.server.cli.opening import project_for, report_without_dumps
from nirls.server.cli.optimize import Optimizer, pass_runs
from nirls.server.cli.progress import reading
from nirls.server.cli.reports.json_report import json_text
from nirls.server.engine.batch.pass_runs import BUDGET
from nirls.server.engine.batch.verified import Verified, summary
from nirls.server.engine.files.input_files import read_inputs
from nirls.server.engine.files.linked_files import LinkedFiles
from nirls.verification.verdict import Equivalent


def opt(
    files: Files,
    passes: Passes,
    options: PassOptions = None,
    uniforms: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="BUFFER:BYTE=VALUE", help="A uniform's value, for inline_uniforms."),
    ] = None,
    diff: Annotated[bool, typer.Option("--diff", help="Print a diff instead of the whole text.")] = False,
    in_place: InPlace = False,
    verify: Annotated[
        bool,
        typer.Option(
            "--verify",
            help="Compare each result with its input by running both; drop all but equal ones (status 1).",
        ),
    ] = False,
    allow_unchecked: Annotated[
        bool, typer.Option("--allow-unchecked", help="With --verify: keep results that could not be checked.")
    ] = False,
    verdicts: Annotated[
        TableFormat,
        typer.Option("--verdicts", help="With --verify: format of the verdicts, on standard error."),
    ] = TableFormat.TEXT,
    out_dir: OutDir = None,
    config: Config = None,
    driver: Driver = None,
    jobs: Jobs = 0,
    cluster: Cluster = None,
) -> None:
    """Run passes on the dumps of files and print the changed files.

    Dumps of successive stages in one file are linked, and so are files named NAME.vert.nir, NAME.frag.nir.
    Exit status 3 if a pass raises; `nirls reduce --when crash` then shrinks the dump.
    """
    if allow_unchecked and not verify:
        raise CommandError("--allow-unchecked is for --verify")
    if verdicts is not TableFormat.TEXT and not verify:
        raise CommandError("--verdicts is for --verify")
    if in_place and out_dir is not None:
        raise CommandError("--in-place and --out-dir exclude each other")
    runs = pass_runs(passes, [*(options or []), *_uniform_option(uniforms or [], passes)])
    with reading():
        inputs = read_inputs(files)
    if in_place:
        outputs.refuse_standard_input(inputs)
    project = project_for(inputs, config)
    with reading():
        workspace = LinkedFiles(inputs, project)
        _ = workspace.pipelines  # which passes need
    optimizer = Optimizer(workspace, verify, allow_unchecked, known_driver(driver))
    with computing(cluster, jobs, BUDGET) as compute:
        optimizer.run(runs, compute)
    for message in optimizer.declined():
        complain(f"warning: {message}")
    results = optimizer.results()
    if in_place:
        outputs.write_in_place(results)
    if out_dir is not None:
        outputs.write_to_folder(results, out_dir)
    if diff:
        outputs.write_diff(outputs.diff(results))
    elif not in_place and out_dir is None:
        outputs.write_files_to_stdout(results)
    if verify:
        _report_verdicts(optimizer.verdicts, verdicts)
    report_without_dumps(inputs)


def _uniform_option(values: list[str], passes: list[str]) -> list[str]:
    """`--set` as the option of the pass that takes them."""
    if values and not any("inline_uniforms" in names.split(",") for names in passes):
        raise CommandError("--set is for the pass inline_uniforms; name it with -p")
    return [f"inline_uniforms.set={','.join(values)}"] if values else []


def _report_verdicts(verdicts: list[Verified], format_: TableFormat) -> None:
    """Report the verdicts; a result that was left out is a failure."""
    if format_ is TableFormat.JSON:
        typer.echo(json_text([verdict.plain() for verdict in verdicts]), err=True, nl=False)
    else:
        for verdict in verdicts:
            if verdict.is_wrong or not isinstance(verdict.verdict, Equivalent):
                complain(str(verdict))
        complain(f"verified: {summary(verdicts)}")
    if any(verdict.is_left_out for verdict in verdicts):
        raise typer.Exit(FOUND)
