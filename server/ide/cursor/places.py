"""Lookup of IR nodes by their position in a dump."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator

from nirls.ir.model.control_flow import Block, FunctionImpl, If, Loop
from nirls.ir.model.instructions import Instr
from nirls.ir.model.shader import Function, HeaderField, Shader, Variable
from nirls.ir.model.span import Span
from nirls.ir.model.values import Register

Node = Instr | Block | If | Loop | FunctionImpl | Function | Variable | Register | HeaderField


class Places:
    """The nodes of a shader in text order, each with its enclosing function body."""

    __slots__ = ("_impls", "_nodes", "_shader", "_starts")

    def __init__(self, shader: Shader) -> None:
        self._shader = shader
        entries = sorted(_nodes_of(shader), key=lambda entry: entry[0])
        self._starts = [start for start, _, _ in entries]
        self._nodes = [node for _, node, _ in entries]
        self._impls = [impl for _, _, impl in entries]

    def on_line_of(self, offset: int) -> tuple[Node, FunctionImpl | None] | None:
        """Find the node on the line of a byte offset, with its function body; None if there is none."""
        text = self._shader.source
        line_start = text.rfind(b"\n", 0, offset) + 1
        line_end = text.find(b"\n", offset)
        index = bisect_left(self._starts, line_start)
        if index == len(self._starts) or (line_end >= 0 and self._starts[index] > line_end):
            return None
        return self._nodes[index], self._impls[index]

    def between(self, start: int, end: int) -> Iterator[tuple[Node, FunctionImpl | None]]:
        """Yield the nodes whose text starts in bytes [start, end), in order."""
        for index in range(bisect_left(self._starts, start), bisect_left(self._starts, end)):
            yield self._nodes[index], self._impls[index]


def body_range(shader: Shader, impl: FunctionImpl) -> tuple[int, int] | None:
    """Return the bytes [start, end) of a function body; one that is not closed ends with the dump.

    None for a body that is not in the text.
    """
    if impl.span is None:
        return None
    return impl.span.start, len(shader.source) if impl.end_span is None else impl.end_span.end


def _nodes_of(shader: Shader) -> Iterator[tuple[int, Node, FunctionImpl | None]]:
    outside: list[Node] = [*shader.header, *shader.variables, *shader.functions]
    for node in outside:
        span = _span_of(node)
        if span is not None:
            yield span.start, node, None
    for impl in shader.impls():
        inside: list[Node] = [impl, *impl.locals, *impl.registers, *impl.cf_nodes(), impl.end_block]
        for node in (*inside, *impl.instrs()):
            span = _span_of(node)
            if span is not None:
                yield span.start, node, impl


def _span_of(node: Node) -> Span | None:
    span = node.span
    return span if isinstance(span, Span) else None
