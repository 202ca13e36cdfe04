"""`nirls print`: dumps read and printed again."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from nirls.server.cli.arguments import Files, OutDir


class DialectName(StrEnum):
    """The dialects that `print` can write."""

    MODERN = "modern"
    CLASSIC = "classic"


class DivergenceName(StrEnum):
    """Divergence within what `print` shows."""

    SUBGROUP = "subgroup"
    VERTEX = "vertex"


def print_(
    files: Files,
    normalize: Annotated[
        bool, typer.Option("--normalize", help="Renumber values and blocks, and print in one style.")
    ] = False,
    dialect: Annotated[DialectName | None, typer.Option("--dialect", help="Print in this dialect.")] = None,
    divergence: Annotated[
        DivergenceName | None,
        typer.Option("--divergence", help="Print con or div before each value, as found by analysis."),
    ] = None,
    out_dir: OutDir = None,
) -> None:
    """Read dumps and print them again, byte for byte unless an option says otherwise."""
    from nirls.server.cli import outputs
    from nirls.server.cli.inputs import read_inputs
    from nirls.server.cli.progress import with_progress
    from nirls.server.cli.reprint import Reprint, reprinted
    from nirls.server.engine.linked_files import LinkedFiles

    wanted = Reprint(
        normalize,
        None if dialect is None else dialect.value,
        None if divergence is None else divergence.value,
    )
    workspace = LinkedFiles(read_inputs(files))
    results = [
        (workspace.file(document), reprinted(document, wanted))
        for document in with_progress(workspace.named(), "printing")
    ]
    if out_dir is not None:
        outputs.write_to_folder(results, out_dir)
    else:
        outputs.write_to_stdout(text for _, text in results)
