"""`nirls verify`: the pass of a log that changed what a shader computes."""

from __future__ import annotations

import functools
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from nirls.server.cli.arguments import Shader
from nirls.server.cli.errors import FOUND, CommandError


class VerifyFormat(StrEnum):
    """How verdicts are written."""

    TEXT = "text"
    JSON = "json"


def verify(
    logs: Annotated[
        list[str],
        typer.Argument(metavar="LOG...", help="Logs printed after every pass, folders of them, or -."),
    ],
    against: Annotated[
        str | None,
        typer.Option(
            "--against",
            metavar="LOG",
            help="Compare the last snapshots with those of the same shaders there.",
        ),
    ] = None,
    shader: Shader = None,
    jobs: Annotated[
        int, typer.Option("--jobs", "-j", min=0, help="How many processes; 0 for as many as there are cores.")
    ] = 0,
    format_: Annotated[
        VerifyFormat, typer.Option("--format", "-f", help="How to write the verdicts.")
    ] = VerifyFormat.TEXT,
    stop_at_first: Annotated[
        bool, typer.Option("--stop-at-first", help="End at the first transition that is different.")
    ] = False,
    reduce: Annotated[
        bool,
        typer.Option(
            "--reduce", help="Shrink the first transition that is different, and write it as a log."
        ),
    ] = False,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FILE", help="Where the small log goes.")
    ] = None,
    seconds: Annotated[
        float, typer.Option("--seconds", metavar="S", help="Stop shrinking after that time.")
    ] = 120.0,
    cache: Annotated[
        bool,
        typer.Option(
            "--cache/--no-cache",
            help="Use and keep results by content, in the user's cache folder (`nirls cache`).",
        ),
    ] = True,
    cluster: Annotated[
        str | None,
        typer.Option(
            "--cluster",
            metavar="SCHEDULER",
            help="Verify on the workers of a Dask scheduler, tcp://HOST:PORT.",
        ),
    ] = None,
) -> None:
    """Compare each snapshot of a shader with the one before, by running both.

    Two logs that hold one snapshot of each shader, or the same shaders, are compared with each other as
    well. Exit status: 1 if anything is different, 2 for wrong use or nothing to read.
    """
    from nirls.server.cli import verify as verification
    from nirls.server.cli.messages import complain
    from nirls.server.cli.progress import progressing
    from nirls.server.engine.batch.cluster import ClusterError, on_cluster
    from nirls.server.engine.batch.result_cache import ResultCache
    from nirls.server.engine.batch.run import available_cores, on_this_machine
    from nirls.server.engine.verification.run import verdicts_of

    comparisons = verification.comparisons(logs, against, shader)
    if cluster is not None:
        compute = functools.partial(on_cluster, scheduler=cluster)
    else:
        compute = functools.partial(on_this_machine, jobs=jobs or available_cores())
    try:
        found = verdicts_of(
            comparisons,
            ResultCache.of_user() if cache else None,
            compute,
            lambda results, total: progressing(results, total, "verifying"),
            stop_at_first=stop_at_first or reduce,
        )
    except ClusterError as error:
        raise CommandError(f"--cluster {error}") from None
    if reduce:
        complain(verification.write_reduced(found, output, seconds))
    elif format_ is VerifyFormat.JSON:
        verification.write_json(found)
    else:
        verification.show(found)
    if any(verdict.verdict == "different" for _, verdict in found):
        raise typer.Exit(FOUND)
