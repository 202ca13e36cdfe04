"""`nirls explain`: the documentation page of a kind of finding."""

from __future__ import annotations

import difflib
import sys
from typing import Annotated

import typer
from rich.markdown import Markdown

from nirls.passes import registry
from nirls.server.cli.arguments import complete_code
from nirls.server.cli.console import OutputConsole
from nirls.server.cli.errors import CommandError
from nirls.server.cli.outputs import write_to_stdout
from nirls.server.engine.checks.finding_codes import finding_codes
from nirls.server.ide.rule_pages import index_text, page_text


def explain(
    code: Annotated[
        str | None,
        typer.Argument(
            metavar="CODE",
            help="A finding code as printed by `check`; without it, all codes are listed.",
            autocompletion=complete_code,
        ),
    ] = None,
) -> None:
    """Print the documentation of a kind of finding, with an example."""
    show(explanation(code))


def explanation(code: str | None) -> str:
    """The page about a code, the index without one, as Markdown. Raises CommandError for an unknown code."""
    if code is None:
        return index_text()
    codes = finding_codes(registry.all_passes())
    if code not in codes:
        near = difflib.get_close_matches(code, codes, 1)
        hint = f"did you mean {near[0]}?" if near else "`nirls explain` lists all"
        raise CommandError(f"{code}: there is no such finding ({hint})")
    return page_text(code)


def show(markdown: str) -> None:
    """Write Markdown to standard output: laid out and in colours on a terminal, as it is elsewhere."""
    if not sys.stdout.isatty():
        write_to_stdout([markdown.encode()])
        return
    OutputConsole().print(Markdown(markdown))
