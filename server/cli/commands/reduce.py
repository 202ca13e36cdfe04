"""`nirls reduce`: the smallest dumps on which passes go wrong."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from nirls.server.cli.arguments import Config, Files, Passes
from nirls.server.cli.errors import FOUND
from nirls.server.cli.messages import complain


class When(StrEnum):
    """What `reduce` shrinks for."""

    DIFFERENT = "different"
    INVALID = "invalid"
    CRASH = "crash"

    @property
    def none_found(self) -> str:
        """What to say where a pass never goes wrong in this way."""
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
    when: Annotated[
        When, typer.Option("--when", help="What is wrong with the result and must stay so.")
    ] = When.DIFFERENT,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FILE", help="Where the small dumps go.")
    ] = None,
    seconds: Annotated[
        float, typer.Option("--seconds", metavar="S", help="Stop shrinking after that time.")
    ] = 120.0,
    config: Config = None,
) -> None:
    """Shrink the first dump or pipeline on which a pass goes wrong to a small one that still shows it."""
    from nirls.server.cli import outputs
    from nirls.server.cli.opening import opened
    from nirls.server.cli.optimize import pass_runs
    from nirls.server.cli.reduce import reduce_workspace

    runs = pass_runs(passes, options or [])
    workspace = opened(files, config)
    result = reduce_workspace(workspace, runs, when, seconds)
    if result is None:
        complain(f"nothing to reduce: {', '.join(run.name for run in runs)}: {when.none_found}")
        raise typer.Exit(FOUND)
    if output is None:
        outputs.write_to_stdout([result.text])
    else:
        outputs.write_file(output, result.text)
    complain(result.summary)
