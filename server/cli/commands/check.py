"""`nirls check`: the findings of files."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.text import Text

from nirls.ir.finding import Severity, counted
from nirls.server.cli import outputs
from nirls.server.cli.arguments import Cluster, Config, Driver, Files, Jobs, UsesCache, known_driver
from nirls.server.cli.computing import computing
from nirls.server.cli.console import OutputConsole
from nirls.server.cli.errors import FOUND, CommandError, complain
from nirls.server.cli.opening import opened
from nirls.server.cli.progress import progressing, reading
from nirls.server.cli.reports.github_report import github_report
from nirls.server.cli.reports.json_report import json_report
from nirls.server.cli.reports.sarif_report import sarif_report
from nirls.server.cli.reports.text_report import by_gain, print_findings, summary, totals
from nirls.server.engine.base.shown_text import printable
from nirls.server.engine.batch.result_cache import ResultCache
from nirls.server.engine.batch.run import results_of
from nirls.server.engine.batch.workers import CHECK
from nirls.server.engine.checks.check_settings import CheckSettings, Profile
from nirls.server.engine.checks.finding_codes import PASS_FAILED
from nirls.server.engine.documents.document_driver import driver_of
from nirls.server.engine.files.baseline import Baseline
from nirls.server.engine.files.linked_files import LinkedFiles
from nirls.server.engine.files.located_findings import Check, LocatedFinding


class Format(StrEnum):
    """Report format of `check`."""

    TEXT = "text"
    JSON = "json"
    SARIF = "sarif"
    GITHUB = "github"


_WITH_EDITS = frozenset({Format.JSON, Format.SARIF})
"""The formats that can show the edits of fixes."""


class FailOn(StrEnum):
    """The least severe finding that makes `check` exit with status 1."""

    ERROR = "error"
    WARNING = "warning"
    INFORMATION = "information"
    HINT = "hint"
    NEVER = "never"


def check(
    files: Files,
    format_: Annotated[Format, typer.Option("--format", "-f", help="Output format.")] = Format.TEXT,
    fixes: Annotated[
        bool,
        typer.Option(
            "--fixes", help="With JSON or SARIF: compute the edits of the fixes, which takes longer."
        ),
    ] = False,
    verify: Annotated[
        bool,
        typer.Option(
            "--verify",
            help="With --fixes: compare each fix with its input by running both; drop wrong edits.",
        ),
    ] = False,
    fail_on: Annotated[
        FailOn, typer.Option("--fail-on", help="Exit with status 1 on findings at or above this severity.")
    ] = FailOn.WARNING,
    baseline: Annotated[
        Path | None,
        typer.Option(
            "--baseline", metavar="FILE", help="Report only findings that are not in this file of known ones."
        ),
    ] = None,
    write_baseline: Annotated[
        Path | None,
        typer.Option(
            "--write-baseline",
            metavar="FILE",
            help="Write all findings to this file instead of reporting them; the exit status is 0.",
        ),
    ] = None,
    config: Config = None,
    driver: Driver = None,
    profile: Annotated[
        Profile,
        typer.Option(
            "--profile",
            help="How much to report: quiet leaves out hints, everything runs all passes. normal follows"
            " `profile` of nirls.toml.",
        ),
    ] = Profile.NORMAL,
    every_snapshot: Annotated[
        bool,
        typer.Option(
            "--every-snapshot",
            help="In a log, report a finding on every snapshot in which it holds, not only on the newest.",
        ),
    ] = False,
    verbose: Annotated[
        bool,
        typer.Option(
            "--verbose",
            "-v",
            help="Also print which dumps are linked and why, and where passes failed.",
        ),
    ] = False,
    jobs: Jobs = 0,
    cache: UsesCache = True,
    cluster: Cluster = None,
) -> None:
    """Report validation problems of dumps, and the optimizations that passes would apply.

    Files of other stages beside a file (NAME.frag.nir beside NAME.vert.nir) are read for the link. An
    interrupted run continues with its cached results. Exit status: 1 with findings at or above
    --fail-on, 2 for invalid arguments or no readable input. A pass that fails, or takes more than
    a minute or 2 GB on a dump, is reported as the finding pass-failed; the other passes still run.
    """
    if fixes and format_ not in _WITH_EDITS:
        raise CommandError(f"--fixes is for --format {' and '.join(sorted(_WITH_EDITS))}")
    if verify and not fixes:
        raise CommandError("--verify is for --fixes")
    if baseline is not None and write_baseline is not None:
        raise CommandError("--write-baseline takes all findings, so --baseline has no use beside it")
    known = None if baseline is None else Baseline.read(baseline)
    workspace = opened(files, config, partners=True)
    project = CheckSettings.of_project(workspace.project)
    given = CheckSettings(profile=profile, repeated=every_snapshot).with_driver(known_driver(driver))
    settings = given.over(project)
    with reading():
        work = Check.of(
            workspace,
            settings,
            edits_of=("one",) if fixes else (),
            verifies=verify,
            totals=format_ is Format.TEXT,
        )
    with computing(cluster, jobs) as compute:
        done = results_of(CHECK, work.units, ResultCache.of_user() if cache else None, compute)
        findings = work.findings(dict(progressing(done, len(work.units), "checking")))
    if verbose:
        for pipeline in workspace.pipelines:
            names = " -> ".join(map(str, pipeline.dumps))
            document = workspace.documents[pipeline.dumps[0].document]
            driver_profile = driver_of(document, settings.options.get("opt_varyings", {}))
            typer.echo(
                printable(f"linked {names}: {pipeline.reason}; driver profile {driver_profile.text}"),
                err=True,
            )
        for found in (one.finding for one in findings):
            if found.code == PASS_FAILED.code:
                complain(f"{found.message}\n{found.data['trace']}".rstrip())
    if write_baseline is not None:
        made = Baseline.of(findings, write_baseline.parent)
        outputs.write_to(write_baseline, [made.text().encode()])
        written = made.counts.total()
        complain(
            f"{write_baseline}: {counted(written, 'finding')} written{_failed_text(len(findings) - written)}"
        )
        return
    if known is not None:
        new = known.new_among(findings, [document.uri for document in workspace.named()])
        findings = list(new.findings)
        complain(f"{baseline}: {counted(new.known, 'known finding')} left out{_gone_text(new.gone)}")
    write_report(findings, format_, workspace)
    if fail_on is not FailOn.NEVER:
        limit = Severity(fail_on.value).rank
        if any(found.finding.severity.rank <= limit for found in findings):
            raise typer.Exit(FOUND)


def _failed_text(failed: int) -> str:
    who = counted(failed, "failed pass", "failed passes")
    return f"; {who} left out, because nobody knows what they would find" if failed else ""


def _gone_text(gone: int) -> str:
    return f", {gone} of the baseline gone; --write-baseline drops them" if gone else ""


def write_report(findings: Sequence[LocatedFinding], format_: Format, workspace: LinkedFiles) -> None:
    """Write a report to standard output; the counts of a text go to standard error."""
    if format_ is Format.TEXT:
        _write_text(findings, workspace)
        return
    outputs.write_to_stdout([_report_in(format_)(findings).encode("utf-8", "replace")])


def _report_in(format_: Format) -> Callable[[Sequence[LocatedFinding]], str]:
    if format_ is Format.JSON:
        return json_report
    if format_ is Format.SARIF:
        return sarif_report

    return github_report


def _write_text(findings: Sequence[LocatedFinding], workspace: LinkedFiles) -> None:
    named = workspace.named()
    console = OutputConsole(soft_wrap=True, highlight=False)
    print_findings(by_gain(findings), console)
    for line in totals(findings):
        console.print(Text(line))
    Console(stderr=True, soft_wrap=True, highlight=False).print(
        summary(findings, len(named), sum(len(document.snapshot.dumps()) for document in named))
    )
