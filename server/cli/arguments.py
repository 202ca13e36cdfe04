"""Arguments and options shared by several commands, and their shell completion."""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from nirls.passes.varyings.interface.driver_profiles import DETECT, NAMES
from nirls.server.cli.errors import CommandError


def complete_passes(incomplete: str) -> Iterator[tuple[str, str]]:
    """Yield the passes for the last word of `PASS,PASS`, with their summaries."""
    from nirls.passes import registry  # most commands do without passes

    done, comma, word = incomplete.rpartition(",")
    for declared in registry.all_passes():
        if declared.name.startswith(word):
            yield f"{done}{comma}{declared.name}", declared.summary


def complete_code(incomplete: str) -> Iterator[tuple[str, str]]:
    """Yield the codes for `explain`, with their titles."""
    from nirls.passes import registry  # most commands do without passes
    from nirls.server.engine.checks.finding_codes import finding_codes  # most commands do without passes

    for code, declared in finding_codes(registry.all_passes()).items():
        if code.startswith(incomplete):
            yield code, declared.title


def complete_driver(incomplete: str) -> list[str]:
    """Return the driver profiles that start so, and `detect`."""
    return [name for name in (DETECT, *NAMES) if name.startswith(incomplete)]


class TableFormat(StrEnum):
    """Output format of a command with a table."""

    TEXT = "text"
    JSON = "json"


Files = Annotated[
    list[str],
    typer.Argument(metavar="FILE", help="Files with dumps, folders of them, or - for standard input."),
]
Log = Annotated[str, typer.Argument(metavar="LOG", help="A log printed after every pass, or -.")]
Passes = Annotated[
    list[str],
    typer.Option(
        "--pass",
        "-p",
        metavar="PASS[,PASS]",
        help="The passes to run, in order.",
        autocompletion=complete_passes,
    ),
]
PassOptions = Annotated[
    list[str] | None,
    typer.Option("--option", "-o", metavar="NAME=VALUE", help="An option of a pass, or PASS.NAME=VALUE."),
]
ShaderOption = Annotated[
    str | None,
    typer.Option(
        "--shader", metavar="SHADER", help="Only the shader with this number, stage, or part of the title."
    ),
]
FormatOption = Annotated[TableFormat, typer.Option("--format", "-f", help="Output format.")]
InPlace = Annotated[bool, typer.Option("--in-place", "-i", help="Change the files.")]
ShowDiff = Annotated[bool, typer.Option("--diff", help="Also print a diff of the changes.")]
OutDir = Annotated[
    Path | None, typer.Option("--out-dir", metavar="DIR", help="Write each result to a file in this folder.")
]
Output = Annotated[
    Path | None,
    typer.Option("--output", "-o", metavar="FILE", help="The file to write instead of standard output."),
]
Config = Annotated[
    Path | None,
    typer.Option(
        "--config", metavar="FILE", help="The nirls.toml to use instead of the nearest one above the files."
    ),
]
Driver = Annotated[
    str | None,
    typer.Option(
        "--driver",
        metavar="DRIVER",
        help="The driver profile for linking, or detect; `nirls passes` lists the options it sets.",
        autocompletion=complete_driver,
    ),
]
Jobs = Annotated[
    int, typer.Option("--jobs", "-j", min=0, help="Number of worker processes; 0 for one per core.")
]
UsesCache = Annotated[
    bool,
    typer.Option(
        "--cache/--no-cache",
        help="Use and keep results by content, in the user's cache folder (`nirls cache`).",
    ),
]
Cluster = Annotated[
    str | None,
    typer.Option(
        "--cluster", metavar="SCHEDULER", help="Compute on the workers of a Dask scheduler, tcp://HOST:PORT."
    ),
]


def known_driver(name: str | None) -> str:
    """Return the driver profile that `--driver` names, `detect` if none. Raises CommandError."""
    if name is None:
        return DETECT
    if name not in (DETECT, *NAMES):
        raise CommandError(f"there is no driver profile {name!r}; there are {', '.join((DETECT, *NAMES))}")
    return name
