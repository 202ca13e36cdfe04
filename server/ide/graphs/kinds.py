"""The kinds of graphs, and their construction from the texts of linked dumps, also in a worker process."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum

from nirls.ir.model.control_flow import FunctionImpl, If
from nirls.ir.model.instructions import Instr
from nirls.ir.model.shader import Shader
from nirls.ir.model.values import Def
from nirls.ir.text.parse import parse_dump
from nirls.server.ide.cursor.entities import entity_at
from nirls.server.ide.cursor.places import Places
from nirls.server.ide.graphs.control_flow import (
    MOST_LINES,
    MOST_LINES_OF_WHOLE_BLOCKS,
    control_flow_graph,
    dominator_tree,
)
from nirls.server.ide.graphs.dot import to_dot
from nirls.server.ide.graphs.graph import Graph, NodePlace
from nirls.server.ide.graphs.svg import LayoutError, to_svg
from nirls.server.ide.graphs.value_graph import value_graph
from nirls.server.ide.graphs.varyings import varyings_graph


class GraphKind(StrEnum):
    """The kind of a graph."""

    CONTROL_FLOW = "cfg"
    VALUES = "values"
    DOMINATORS = "dominators"
    POST_DOMINATORS = "post-dominators"
    VARYINGS = "varyings"


class NoGraphError(Exception):
    """There is nothing to draw; the message is the reason."""


@dataclass(frozen=True, slots=True)
class GraphSubject:
    """The subject of a graph: the texts of linked dumps or of one dump, and the position of the selected one.

    `offset` is a byte offset in that dump and selects the function and the value there; None for the entry
    point and all of its values. `title` names the pipeline or the shader. `whole_blocks`: control flow with
    all instructions of each block.
    """

    texts: tuple[bytes, ...]
    position: int = 0
    offset: int | None = None
    title: str = "main"
    whole_blocks: bool = False


def graph_of(kind: GraphKind, subject: GraphSubject) -> Graph:
    """Build a graph. Raises NoGraphError."""
    if kind is GraphKind.VARYINGS:
        if len(subject.texts) < 2:
            raise NoGraphError("the shader is linked with no other stage")
        return varyings_graph([parse_dump(text) for text in subject.texts], subject.title)
    shader = parse_dump(subject.texts[subject.position])
    impl, focus = _place(shader, subject.offset)
    match kind:
        case GraphKind.CONTROL_FLOW:
            most = MOST_LINES_OF_WHOLE_BLOCKS if subject.whole_blocks else MOST_LINES
            return control_flow_graph(shader, impl, most)
        case GraphKind.VALUES:
            return value_graph(shader, impl, focus)
        case GraphKind.DOMINATORS:
            return dominator_tree(impl)
        case GraphKind.POST_DOMINATORS:
            return dominator_tree(impl, post=True)


def _place(shader: Shader, offset: int | None) -> tuple[FunctionImpl, Instr | If | None]:
    """Find the function at an offset, and the instruction on that line or of the value named there."""
    focus: Instr | If | None = None
    impl: FunctionImpl | None = None
    if offset is not None:
        places = Places(shader)
        on_line = places.on_line_of(offset)
        if on_line is not None:
            impl = on_line[1]
            focus = on_line[0] if isinstance(on_line[0], Instr | If) else None
        named = entity_at(shader, places, offset)
        if named is not None and isinstance(named[1], Def):
            focus = named[1].instr or focus
    impl = impl or shader.entrypoint or next(shader.impls(), None)
    if impl is None:
        raise NoGraphError("the dump has no function with a body")
    return impl, focus


@dataclass(frozen=True, slots=True)
class Drawn:
    """A graph, or in `why_not` the reason for none. `svg` is None without a layout; `places` by node name."""

    title: str = ""
    dot: str = ""
    svg: str | None = None
    left_out: int = 0
    cut_blocks: int = 0
    places: tuple[tuple[str, NodePlace], ...] = ()
    why_not: str | None = None


def draw(kind: str, subject: GraphSubject, wants_svg: bool) -> Drawn:
    """Draw a graph of linked dumps."""
    try:
        graph = graph_of(GraphKind(kind), subject)
    except NoGraphError as error:
        return Drawn(why_not=str(error))
    dot = to_dot(graph)
    svg = None
    if wants_svg:
        with suppress(LayoutError):
            svg = to_svg(dot)
    places = tuple((node.name, node.place) for node in graph.nodes if node.place is not None)
    return Drawn(graph.title, dot, svg, graph.left_out, graph.cut_blocks, places)
