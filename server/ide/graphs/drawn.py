"""A drawn graph as plain data, which a worker process can return."""

from __future__ import annotations

from dataclasses import dataclass

from nirls.server.ide.graphs.dot import to_dot
from nirls.server.ide.graphs.graph import NodePlace
from nirls.server.ide.graphs.kinds import GraphKind, GraphSubject, NoGraphError, graph_of
from nirls.server.ide.graphs.svg import LayoutError, can_lay_out, to_svg


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
    if wants_svg and can_lay_out():
        try:
            svg = to_svg(dot)
        except LayoutError:
            svg = None
    places = tuple((node.name, node.place) for node in graph.nodes if node.place is not None)
    return Drawn(graph.title, dot, svg, graph.left_out, graph.cut_blocks, places)
