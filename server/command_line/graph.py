"""`nirls graph`: pictures of dumps for Graphviz."""

from __future__ import annotations

import re
from collections.abc import Sequence

from nirls.ir.stage import Stage
from nirls.server.command_line.dump_argument import NamedDump, named_dumps
from nirls.server.command_line.errors import CommandError
from nirls.server.command_line.workspace import Workspace
from nirls.server.graphs.dot import to_dot
from nirls.server.graphs.kinds import GraphKind, GraphSubject, NoGraphError, graph_of
from nirls.server.graphs.svg import LayoutError, to_svg
from nirls.server.pipelines import Pipeline, dump_facts


def dot_of(kind: str, arguments: Sequence[str], value: int | None) -> str:
    """The picture in DOT. Raises CommandError."""
    wanted = GraphKind(kind)
    if value is not None and wanted is not GraphKind.VALUES:
        raise CommandError("--value is for values only")
    dumps = [dump for argument in arguments for dump in named_dumps(argument)]
    subject = _pipeline(dumps) if wanted is GraphKind.VARYINGS else _one(dumps, value)
    try:
        return to_dot(graph_of(wanted, subject))
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
        match = re.search(rb"(?:%%|\bssa_)(%d)\b[^\n]* = " % value, text)
        if match is None:
            raise CommandError(f"{dumps[0].name} has no value %{value}")
        offset = match.start(1)
    return GraphSubject((text,), 0, offset)


def _pipeline(dumps: Sequence[NamedDump]) -> GraphSubject:
    """Dumps of several files in the order of their stages; those of one as linking finds them."""
    if len({dump.file.name for dump in dumps}) == len(dumps):
        stages = [dump_facts(dump.dump.piece.text).stage for dump in dumps]
        order = sorted(range(len(dumps)), key=lambda place: _rank(stages[place]))
        return GraphSubject(
            tuple(dumps[place].dump.piece.text for place in order),
            title=" ".join(dump.name for dump in dumps),
        )
    files = {dump.file.name: dump.file for dump in dumps}
    workspace = Workspace.of(files.values())
    found: list[Pipeline] = workspace.pipelines
    if len(found) != 1:
        names = ", ".join(pipeline.name for pipeline in found) or "none"
        raise CommandError(
            f"the dumps make {len(found)} pipelines ({names}); name the dumps of one as FILE#N"
        )
    members = [
        workspace.documents[one.dump.document].dumps[one.dump.number].piece.text for one in found[0].members
    ]
    return GraphSubject(tuple(members), title=found[0].name)


def _rank(stage: Stage | None) -> int:
    return -1 if stage is None else list(Stage).index(stage)
