"""The graph of varyings of a pipeline: outputs and matching inputs by scalar slot."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from nirls.ir.io.access import io_accesses
from nirls.ir.model.shader import Shader
from nirls.ir.model.slots import VARYING_SLOTS, slot_number
from nirls.ir.model.span import Span
from nirls.server.ide.graphs.graph import Edge, Graph, Node, NodeKind, cut, place_of

MOST_NODES = 600
_CHANNELS = "xyzw"


@dataclass(frozen=True, slots=True)
class SlotNode:
    """A scalar slot that a stage writes or reads, with the span of the first access or declaration."""

    location: int
    component: int
    name: str
    span: Span | None

    @property
    def text(self) -> str:
        """The slot and channel, such as `VAR0.x`."""
        known = 0 <= self.location < len(VARYING_SLOTS)
        slot = VARYING_SLOTS[self.location] if known else str(self.location)
        return f"{slot}.{_CHANNELS[self.component & 3]}"


def varyings_graph(shaders: Sequence[Shader], title: str) -> Graph:
    """Build the graph: outputs of each stage on the left, inputs of the next on the right, an edge per match.

    Outputs that are not read and inputs that are not written have their own style. Patch outputs and
    indirect accesses count for all slots that they may access.
    """
    graph = Graph(f"varyings of {title}", left_to_right=True)
    previous: dict[tuple[int, int], str] = {}
    for position, shader in enumerate(shaders):
        stage = "stage" if shader.stage is None else shader.stage.abbreviation
        inputs = {} if position == 0 else scalars_of(shader, outputs=False)
        outputs = {} if position + 1 == len(shaders) else scalars_of(shader, outputs=True)
        following = {} if not outputs else scalars_of(shaders[position + 1], outputs=False)
        for key, scalar in sorted(inputs.items()):
            node = f"in_{position}_{key[0] & 0xFFFF}_{key[1]}"
            kind = NodeKind.INPUT if key in previous else NodeKind.UNMATCHED
            _add(graph, node, scalar, kind, position, f"{position + 1} {stage} inputs")
            if key in previous:
                graph.edges.append(Edge(previous[key], node))
        previous = {}
        for key, scalar in sorted(outputs.items()):
            node = f"out_{position}_{key[0] & 0xFFFF}_{key[1]}"
            kind = NodeKind.OUTPUT if key in following or key[0] in _READ_BY_HARDWARE else NodeKind.UNMATCHED
            _add(graph, node, scalar, kind, position, f"{position + 1} {stage} outputs")
            previous[key] = node
    return _limited(graph)


_READ_BY_HARDWARE = frozenset(
    VARYING_SLOTS.index(name)
    for name in (
        "POS",
        "PSIZ",
        "CLIP_DIST0",
        "CLIP_DIST1",
        "CULL_DIST0",
        "CULL_DIST1",
        "CLIP_VERTEX",
        "LAYER",
        "VIEWPORT",
        "TESS_LEVEL_OUTER",
        "TESS_LEVEL_INNER",
        "VIEWPORT_MASK",
    )
)


def _add(graph: Graph, name: str, scalar: SlotNode, kind: NodeKind, shader: int, group: str) -> None:
    label = scalar.text if not scalar.name else f"{scalar.text}  {scalar.name}"
    graph.nodes.append(Node(name, (cut(label),), kind, place_of(scalar.span, shader), group))


def _limited(graph: Graph) -> Graph:
    if len(graph.nodes) <= MOST_NODES:
        return graph
    graph.left_out = len(graph.nodes) - MOST_NODES
    del graph.nodes[MOST_NODES:]
    kept = {node.name for node in graph.nodes}
    graph.edges = [edge for edge in graph.edges if edge.source in kept and edge.target in kept]
    return graph


def scalars_of(shader: Shader, *, outputs: bool) -> dict[tuple[int, int], SlotNode]:
    """Return the scalar slots of inputs or outputs: accessed ones if I/O is lowered, else declared ones."""
    found: dict[tuple[int, int], SlotNode] = {}
    for scalar in _accessed(shader, outputs=outputs):
        found.setdefault((scalar.location, scalar.component), scalar)
    if not found:
        for scalar in _declared(shader, outputs=outputs):
            found.setdefault((scalar.location, scalar.component), scalar)
    return found


def _accessed(shader: Shader, *, outputs: bool) -> Iterator[SlotNode]:
    for access in io_accesses(shader):
        if (
            access.instr.io_semantics is None
            or access.is_output is not outputs
            or access.is_store is not outputs
        ):
            continue
        name = (access.instr.comment or "").strip().strip("/*").strip()
        for slot, component in sorted(access.places):
            yield SlotNode(slot, component, name, access.instr.span)


def _declared(shader: Shader, *, outputs: bool) -> Iterator[SlotNode]:
    for variable in shader.variables_of_mode("shader_out" if outputs else "shader_in"):
        slot, _, channels = (variable.location or "").partition(".")
        if slot.startswith("VARYING_SLOT_"):
            for channel in channels or _CHANNELS:
                yield SlotNode(slot_number(slot), _CHANNELS.find(channel) & 3, variable.name, variable.span)
