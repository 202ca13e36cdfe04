"""Calls between the functions of one dump."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from nirls.ir.model.control_flow import FunctionImpl
from nirls.ir.model.instructions import CallInstr
from nirls.ir.model.shader import Function, Shader
from nirls.ir.model.span import Span
from nirls.server.ide.cursor.entities import CursorToken, Entity
from nirls.server.ide.cursor.places import body_range


@dataclass(frozen=True, slots=True)
class FunctionRange:
    """A function in bytes [start, end) of the dump; its first line ends at `head_end`."""

    name: str
    start: int
    head_end: int
    end: int


@dataclass(frozen=True, slots=True)
class Calls:
    """The calls of one function by another: byte ranges of the call instructions."""

    function: FunctionRange
    ranges: tuple[tuple[int, int], ...]


def function_meant(token: CursorToken, entity: Entity) -> Function | None:
    """Return the function at the cursor, by its name or by a call."""
    if isinstance(entity, Function):
        return entity
    node = token.node
    return node.callee if isinstance(node, CallInstr) else None


def function_named(shader: Shader, name: str) -> Function | None:
    """Find a function of a dump by name."""
    return next((function for function in shader.functions if function.name == name), None)


def place_of(shader: Shader, function: Function) -> FunctionRange | None:
    """Return the range of a function's body, else of its declaration; None without both."""
    impl = function.impl
    head = function.span if impl is None or impl.span is None else impl.span
    if head is None:
        return None
    body = None if impl is None else body_range(shader, impl)
    return FunctionRange(function.name, head.start, head.end, head.end if body is None else body[1])


def incoming(shader: Shader, function: Function) -> list[Calls]:
    """Return the functions that call `function`, in printed order."""
    found = []
    for impl in shader.impls():
        ranges = tuple(_span(call) for call in _calls(impl) if call.callee is function)
        place = place_of(shader, impl.function)
        if ranges and place is not None:
            found.append(Calls(place, ranges))
    return found


def outgoing(shader: Shader, function: Function) -> list[Calls]:
    """Return the functions that `function` calls, in the order of their first calls."""
    by_callee: dict[Function, list[tuple[int, int]]] = {}
    for call in _calls(function.impl) if function.impl is not None else ():
        if call.callee is not None:
            by_callee.setdefault(call.callee, []).append(_span(call))
    places = ((place_of(shader, callee), ranges) for callee, ranges in by_callee.items())
    return [Calls(place, tuple(ranges)) for place, ranges in places if place is not None]


def _calls(impl: FunctionImpl) -> Iterator[CallInstr]:
    for instr in impl.instrs():
        if isinstance(instr, CallInstr) and isinstance(instr.span, Span):
            yield instr


def _span(call: CallInstr) -> tuple[int, int]:
    assert call.span is not None
    return call.span.start, call.span.end
