"""Lines of a printed shader, each with the piece of IR that it prints."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum, auto
from typing import NamedTuple

from nirls.ir.model.control_flow import Block, CfNode, FunctionImpl, If, Loop
from nirls.ir.model.instructions import Instr
from nirls.ir.model.shader import Dialect, Function, HeaderField, Shader, Variable
from nirls.ir.model.values import Register


class LineSlot(NamedTuple):
    """A line to print: its content, function body, nesting depth, and block."""

    kind: LineKind
    node: LineNode
    impl: FunctionImpl | None
    depth: int
    block: Block | None = None


def layout(shader: Shader, dialect: Dialect) -> Iterator[LineSlot]:
    """Yield the lines of a shader from the header to the closing brace of the last function."""
    for item in shader.header:
        yield LineSlot(LineKind.HEADER, item, None, 0)
    for variable in shader.variables:
        yield LineSlot(LineKind.VARIABLE, variable, None, 0)
    last = max((i for i, function in enumerate(shader.functions) if function.impl is not None), default=-1)
    for position, function in enumerate(shader.functions):
        yield LineSlot(LineKind.FUNCTION, function, None, 0)
        if function.impl is None:
            continue
        yield LineSlot(LineKind.BLANK, function, None, 0)
        yield from _impl_lines(function.impl, dialect)
        if position < last or position + 1 < len(shader.functions):
            yield LineSlot(LineKind.BLANK, function.impl, None, 0)


def _impl_lines(impl: FunctionImpl, dialect: Dialect) -> Iterator[LineSlot]:
    modern = dialect is Dialect.MODERN
    yield LineSlot(LineKind.IMPL, impl, impl, 0)
    if impl.preamble is not None:
        yield LineSlot(LineKind.PREAMBLE, impl, impl, 1)
    for variable in impl.locals:
        yield LineSlot(LineKind.LOCAL, variable, impl, 1)
    if not modern:
        for reg in impl.registers:
            # A broken dump may use registers that it does not declare.
            if reg.num_components:
                yield LineSlot(LineKind.REGISTER, reg, impl, 1)
    # Each level: the rest of a body, and the lines that follow it.
    stack: list[tuple[Iterator[CfNode], If | Loop | None, bool]] = [(iter(impl.body), None, False)]
    while stack:
        nodes, owner, is_second = stack[-1]
        depth = len(stack)
        node = next(nodes, None)
        if node is None:
            stack.pop()
            if owner is None:
                continue
            outer = depth - 1
            if isinstance(owner, If) and not is_second:
                yield LineSlot(LineKind.ELSE, owner, impl, outer)
                stack.append((iter(owner.else_body), owner, True))
            elif isinstance(owner, Loop) and not is_second and owner.continue_body:
                yield LineSlot(LineKind.CONTINUE, owner, impl, outer)
                stack.append((iter(owner.continue_body), owner, True))
            else:
                yield LineSlot(LineKind.END, owner, impl, outer)
        elif isinstance(node, Block):
            yield LineSlot(LineKind.BLOCK, node, impl, depth, node)
            if not modern:
                yield LineSlot(LineKind.PREDECESSORS, node, impl, depth, node)
            instr = node.first
            while instr is not None:
                yield LineSlot(LineKind.INSTR, instr, impl, depth, node)
                instr = instr.next
            if not modern or node.first is not None:
                yield LineSlot(LineKind.SUCCESSORS, node, impl, depth, node)
        elif isinstance(node, If):
            yield LineSlot(LineKind.IF, node, impl, depth)
            stack.append((iter(node.then_body), node, False))
        else:
            yield LineSlot(LineKind.LOOP, node, impl, depth)
            stack.append((iter(node.body), node, False))
    yield LineSlot(LineKind.END_BLOCK, impl.end_block, impl, 1)
    yield LineSlot(LineKind.END, impl, impl, 0)


LineNode = HeaderField | Variable | Function | FunctionImpl | Register | Block | If | Loop | Instr


class LineKind(Enum):
    """Role of a line for its node."""

    HEADER = auto()
    VARIABLE = auto()
    FUNCTION = auto()
    BLANK = auto()
    IMPL = auto()
    PREAMBLE = auto()
    LOCAL = auto()
    REGISTER = auto()
    BLOCK = auto()
    PREDECESSORS = auto()
    INSTR = auto()
    SUCCESSORS = auto()
    IF = auto()
    ELSE = auto()
    LOOP = auto()
    CONTINUE = auto()
    END = auto()
    END_BLOCK = auto()


@dataclass(frozen=True, slots=True)
class RenderedLine:
    """One line of text, without its newline, and the IR that it prints.

    `END` is the closing brace of an if, a loop or a function; `BLANK` is an empty line around a body.
    """

    kind: LineKind
    node: LineNode
    text: str
