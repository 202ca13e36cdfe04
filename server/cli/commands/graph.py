"""`nirls graph`: pictures for Graphviz."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer


class GraphName(StrEnum):
    """What `graph` draws; see `nirls.server.ide.graphs.kinds.GraphKind`."""

    CONTROL_FLOW = "cfg"
    VALUES = "values"
    DOMINATORS = "dominators"
    POST_DOMINATORS = "post-dominators"
    VARYINGS = "varyings"


class GraphFormat(StrEnum):
    """How `graph` writes."""

    DOT = "dot"
    SVG = "svg"


def graph(
    kind: Annotated[GraphName, typer.Argument(metavar="KIND", help="What to draw.", show_choices=True)],
    files: Annotated[
        list[str],
        typer.Argument(metavar="FILE[#N]...", help="A dump, or the dumps of linked stages for varyings."),
    ],
    value: Annotated[
        int | None,
        typer.Option("--value", metavar="N", help="For values: only what %N is made of, and who reads it."),
    ] = None,
    format_: Annotated[
        GraphFormat, typer.Option("--format", "-f", help="How to write it.")
    ] = GraphFormat.DOT,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FILE", help="Where to write it.")
    ] = None,
) -> None:
    """Draw a shader with Graphviz: cfg, values, dominators, post-dominators; varyings of a pipeline."""
    from nirls.server.cli import graph as graphs
    from nirls.server.cli import outputs

    dot = graphs.dot_of(kind.value, files, value)
    text = (graphs.svg_of(dot) if format_ is GraphFormat.SVG else dot).encode()
    if output is None:
        outputs.write_to_stdout([text])
    else:
        outputs.write_file(output, text)
