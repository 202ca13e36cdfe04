"""`nirls passes`: the list of passes."""

from __future__ import annotations

import typer

from nirls.passes import registry
from nirls.server.cli.errors import complain


def passes() -> None:
    """List the passes, with their options."""
    for declared in registry.all_passes():
        typer.echo(declared.name)
        typer.echo(f"    {declared.summary}")
        stages = (
            "all stages"
            if declared.stages is None
            else ", ".join(sorted(stage.value.lower() for stage in declared.stages))
        )
        runs_on = "linked stages" if declared.scope == "pipeline" else f"single shaders ({stages})"
        if declared.alone:
            runs_on = f"linked stages, or single shaders ({stages})"
        typer.echo(
            f"    runs on {runs_on}; reports {'by default' if declared.default else 'when switched on'}"
        )
        if declared.codes:
            typer.echo(f"    finds {', '.join(code.code for code in declared.codes)}")
        for option in declared.options():
            typer.echo(f"    -o {option.name}={option.default}: {option.help}")
    for broken in registry.broken_passes():
        complain(f"warning: cannot be used: {broken.source}: {broken.reason}")
