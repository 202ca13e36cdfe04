"""`nirls explain`: what a kind of finding means."""

from __future__ import annotations

from typing import Annotated

import typer

from nirls.server.cli.completion import finding_codes


def explain(
    code: Annotated[
        str | None,
        typer.Argument(
            metavar="CODE",
            help="A code as `check` prints it; all are listed without.",
            autocompletion=finding_codes,
        ),
    ] = None,
) -> None:
    """Print what a kind of finding means, why it matters, and an example."""
    from nirls.server.cli.explain import explanation, show

    show(explanation(code))
