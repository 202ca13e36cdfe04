"""The kinds of graphs, and their construction from the texts of linked dumps."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from nirls.ir.model.control_flow import FunctionImpl, If
from nirls.ir.model.instructions import Instr
from nirls.ir.model.shader import Shader
from nirls.ir.model.values import Def
from nirls.ir.text.parse import parse_dump
from nirls.server.ide.entities import entity_at
from nirls.server.ide.graphs.control_flow import (
    MOST_LINES,
    MOST_LINES_OF_WHOLE_BLOCKS,
    control_flow_graph,
    dominator_tree,
)
from nirls.server.ide.graphs.graph import Graph
from nirls.server.ide.graphs.value_graph import value_graph
from nirls.server.ide.graphs.varyings import varyings_graph
from nirls.server.ide.places import Places


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
