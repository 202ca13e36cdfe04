"""`nirls graph`: graphs of shaders and pipelines."""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import StrEnum
from itertools import islice, pairwise
from typing import Annotated

import typer

from nirls.ir.model.stage import Stage
from nirls.server.cli import outputs
from nirls.server.cli.arguments import Output
from nirls.server.cli.errors import CommandError
from nirls.server.cli.opening import NamedDump, named_dumps
from nirls.server.engine.files.linked_files import LinkedFiles
from nirls.server.engine.pipelines.dump_facts import dump_facts
from nirls.server.engine.pipelines.pipelines import DumpRef, Pipeline
from nirls.server.ide.graphs.dot import to_dot
from nirls.server.ide.graphs.kinds import GraphKind, GraphSubject, NoGraphError, graph_of
from nirls.server.ide.graphs.svg import LayoutError, to_svg

_MOST_SHOWN = 3


class GraphFormat(StrEnum):
    """Output format of `graph`."""

    DOT = "dot"
    SVG = "svg"


def graph(
    kind: Annotated[GraphKind, typer.Argument(metavar="KIND", help="The kind of graph.", show_choices=True)],
    files: Annotated[
        list[str],
        typer.Argument(metavar="FILE[#N]", help="A dump, or the dumps of linked stages for varyings."),
    ],
    value: Annotated[
        int | None,
        typer.Option("--value", metavar="N", help="For values: only the sources and the uses of %N."),
    ] = None,
    format_: Annotated[GraphFormat, typer.Option("--format", "-f", help="Output format.")] = GraphFormat.DOT,
    output: Output = None,
) -> None:
    """Draw the control flow, dominator tree or value graph of a shader, or the varyings of a pipeline."""
    dot = dot_of(kind, files, value)
    outputs.write_to(output, [(svg_of(dot) if format_ is GraphFormat.SVG else dot).encode()])


def dot_of(kind: GraphKind, arguments: Sequence[str], value: int | None) -> str:
    """The picture in DOT. Raises CommandError."""
    if value is not None and kind is not GraphKind.VALUES:
        raise CommandError("--value is for values only")
    dumps = [dump for argument in arguments for dump in named_dumps(argument)]
    subject = _pipeline(arguments, dumps) if kind is GraphKind.VARYINGS else _one(dumps, value)
    try:
        return to_dot(graph_of(kind, subject))
    except NoGraphError as error:
        raise CommandError(str(error)) from None


def svg_of(dot: str) -> str:
    """The picture as SVG. Raises CommandError."""
    try:
        return to_svg(dot)
    except LayoutError as error:
        raise CommandError(str(error)) from None


def _one(dumps: Sequence[NamedDump], value: int | None) -> GraphSubject:
    if len(dumps) != 1:
        raise CommandError(
            f"which dump? {dumps[0].file.name} and others hold {len(dumps)}; name one as FILE#N"
        )
    text = dumps[0].dump.piece.text
    offset = None
    if value is not None:
        match = re.search(rb"(?:%%|\bssa_)(%d)(?:\.[^ =%%]{1,200})?[ \t]++= " % value, text)
        if match is None:
            raise CommandError(f"{dumps[0].name} has no value %{value}")
        offset = match.start(1)
    return GraphSubject((text,), 0, offset)


def _pipeline(arguments: Sequence[str], dumps: Sequence[NamedDump]) -> GraphSubject:
    """Dumps named one by one, in the order of their stages; those of a file as linking finds them."""
    if len(dumps) == len(arguments) > 1:
        return _named_stages(dumps)
    files = {dump.file.name: dump.file for dump in dumps}
    workspace = LinkedFiles(files.values())
    pipelines: list[Pipeline] = workspace.pipelines
    if len(dumps) == 1 and len(workspace.documents[dumps[0].file.name].snapshot.dumps()) > 1:
        here = DumpRef(dumps[0].file.name, dumps[0].dump.number)
        pipelines = [pipeline for pipeline in pipelines if here in pipeline.dumps]
    if len(pipelines) != 1:
        raise CommandError(_no_one_pipeline(dumps, pipelines, workspace.pipelines))
    return GraphSubject(tuple(map(workspace.text, pipelines[0].dumps)), title=pipelines[0].name)


def _named_stages(dumps: Sequence[NamedDump]) -> GraphSubject:
    stages = {dump: dump_facts(dump.dump.piece.text).stage for dump in dumps}
    order = sorted(dumps, key=lambda dump: _rank(stages[dump]))
    for named_dump, next_ in pairwise(order):
        stage = stages[next_]
        if stage is not None and stages[named_dump] is stage:
            raise CommandError(
                f"{named_dump.name} and {next_.name} are both {stage.abbreviation};"
                f" name one dump of each stage"
            )
    return GraphSubject(
        tuple(dump.dump.piece.text for dump in order), title=" ".join(dump.name for dump in dumps)
    )


def _no_one_pipeline(
    dumps: Sequence[NamedDump], found: Sequence[Pipeline], others: Sequence[Pipeline]
) -> str:
    """Message for an ambiguous pipeline, with the names to choose from."""
    if found:
        count = f"the dumps make {len(found)} pipelines"
    else:
        count = f"{dumps[0].name if len(dumps) == 1 else 'the file'} is linked with no other stage"
    members = (" ".join(map(str, pipeline.dumps)) for pipeline in found or others)
    shown = list(islice(members, _MOST_SHOWN))
    if not shown:
        return f"{count}; name a dump of each stage as FILE#N"
    more = len(found or others) - len(shown)
    return f"{count}; name one as {' or as '.join(shown)}" + (f" ({more} more)" if more > 0 else "")


def _rank(stage: Stage | None) -> int:
    return -1 if stage is None else list(Stage).index(stage)
