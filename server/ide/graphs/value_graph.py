"""The data flow graph of a function, or of the inputs and direct uses of one value."""

from __future__ import annotations

from collections import deque

from nirls.ir.model.control_flow import FunctionImpl, If
from nirls.ir.model.instructions import Instr, JumpInstr, LoadConstInstr, PhiInstr, TexInstr
from nirls.ir.model.shader import Shader
from nirls.ir.model.walks import makers
from nirls.server.ide.graphs.graph import Edge, Graph, Node, NodeKind, instr_text, place_of

MOST_NODES = 300


def value_graph(shader: Shader, impl: FunctionImpl, focus: Instr | If | None = None) -> Graph:
    """Build the data flow graph, with edges from each value to its uses.

    With `focus`, only its transitive inputs, nearest first, and the direct uses of its result.
    """
    if focus is None:
        chosen: list[Instr] = [instr for instr in impl.instrs() if not isinstance(instr, JumpInstr)]
        title = f"values of {impl.function.name}"
    else:
        chosen = _around(focus)
        text = "the condition" if isinstance(focus, If) else instr_text(shader, focus)
        title = f"what {text} is made of"
    graph = Graph(title, left_out=max(0, len(chosen) - MOST_NODES))
    names = {instr: f"value_{place}" for place, instr in enumerate(chosen[:MOST_NODES])}
    for instr, name in names.items():
        kind = NodeKind.FOCUS if instr is focus else _kind(instr)
        graph.nodes.append(Node(name, (instr_text(shader, instr),), kind, place_of(instr.span)))
        for source, is_back in _sources(instr):
            if source in names:
                graph.edges.append(Edge(names[source], name, "", is_back))
    return graph


def _around(focus: Instr | If) -> list[Instr]:
    """Return the focus, its transitive inputs by distance, and its direct uses."""
    start = [focus] if isinstance(focus, Instr) else list(makers([focus.condition]))
    seen = dict.fromkeys(start)
    queue = deque(start)
    while queue and len(seen) < 4 * MOST_NODES:
        for source in makers(queue.popleft().all_srcs()):
            if source not in seen:
                seen[source] = None
                queue.append(source)
    readers: list[Instr] = []
    if isinstance(focus, Instr) and focus.def_ is not None:
        readers = [user for user in focus.def_.users() if isinstance(user, Instr) and user not in seen]
    nearest = list(seen)
    room = max(MOST_NODES - len(readers), len(start))
    return [*nearest[:room], *readers, *nearest[room:]]


def _sources(instr: Instr) -> list[tuple[Instr, bool]]:
    """Return the instructions that define the sources, without duplicates, and whether over a back edge."""
    is_phi = isinstance(instr, PhiInstr)
    return [(maker, is_phi and _is_later(maker, instr)) for maker in dict.fromkeys(makers(instr.all_srcs()))]


def _is_later(maker: Instr, phi: Instr) -> bool:
    return maker.span is not None and phi.span is not None and maker.span.start > phi.span.start


def _kind(instr: Instr) -> NodeKind:
    if isinstance(instr, LoadConstInstr):
        return NodeKind.CONSTANT
    if isinstance(instr, PhiInstr):
        return NodeKind.PHI
    if instr.def_ is None and not isinstance(instr, TexInstr):
        return NodeKind.EFFECT
    return NodeKind.INSTR
