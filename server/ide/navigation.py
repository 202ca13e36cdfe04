"""Definitions and references of the entity at the cursor, within one dump."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from itertools import islice

from nirls.ir.io.access import io_access
from nirls.ir.io.level import sides_by_offset
from nirls.ir.model.control_flow import Block, FunctionImpl, If
from nirls.ir.model.instructions import CallInstr, DerefInstr, Instr, IntrinsicInstr
from nirls.ir.model.shader import Function, Shader, Variable
from nirls.ir.model.span import Span
from nirls.ir.model.values import Def, Register
from nirls.server.ide.cursor.entities import (
    CursorToken,
    Entity,
    IndexEntity,
    SlotEntity,
    start_of_destination,
)
from nirls.server.ide.cursor.places import body_range


class Role(Enum):
    """The role of an occurrence."""

    DEFINITION = "definition"
    WRITE = "write"
    READ = "read"


@dataclass(frozen=True, slots=True, order=True)
class Occurrence:
    """An occurrence of an entity at bytes [start, end) of the dump."""

    start: int
    end: int
    role: Role


def occurrences(shader: Shader, token: CursorToken, entity: Entity) -> list[Occurrence]:
    """Return every occurrence of the entity in the dump, in order, including its definition."""
    found: Iterator[Occurrence]
    match entity:
        case Def():
            found = _of_value(shader, entity)
        case Register():
            found = _of_register(shader, entity)
        case Block():
            found = _of_block(shader, entity, token.impl)
        case Variable():
            found = _of_variable(shader, entity)
        case Function():
            found = _of_function(shader, entity)
        case SlotEntity(_, IntrinsicInstr() as io) | IndexEntity("base", io) if _is_by_offset(shader, io):
            found = _of_offset(shader, io)
        case SlotEntity():
            found = _of_slot(shader, entity)
        case _:
            found = iter(())
    return sorted(set(found), key=lambda place: (place.start, place.end))


def definitions(shader: Shader, token: CursorToken, entity: Entity) -> list[Occurrence]:
    """Return the definitions of the entity; for a register, its declaration and all writes."""
    places = occurrences(shader, token, entity)
    defining = [place for place in places if place.role is Role.DEFINITION]
    if isinstance(entity, Register):
        return defining + [place for place in places if place.role is Role.WRITE]
    return defining


def _of_value(shader: Shader, value: Def) -> Iterator[Occurrence]:
    number = re.compile(rb"(?:%%|\bssa_)%d\b" % value.index)
    own_start = -1
    if value.instr is not None and value.instr.span is not None:
        own_start = _own_place(shader, value, number)
        yield from _matches(shader, number, Span(own_start, value.instr.span.end, 0), Role.DEFINITION, 1)
    for user in value.users():
        for place in _matches(shader, number, user.span, Role.READ):
            is_destination = isinstance(user, Instr) and place.start == start_of_destination(
                shader.source, user
            )
            if not is_destination and place.start != own_start:
                yield place


def _own_place(shader: Shader, value: Def, number: re.Pattern[bytes]) -> int:
    instr = value.instr
    assert instr is not None
    assert instr.span is not None
    match = number.search(shader.source, instr.span.start, instr.span.end)
    return match.start() if match is not None else instr.span.start


def _of_register(shader: Shader, reg: Register) -> Iterator[Occurrence]:
    name = re.compile(rb"\bg?r%d\b" % reg.index)
    if isinstance(reg.span, Span):
        yield from _matches(shader, name, reg.span, Role.DEFINITION, 1)
    writers = {write.instr for write in reg.writes if write.instr is not None}
    readers = {src.owner for src in reg.uses if src.owner is not None}
    for node in {*writers, *readers}:
        for place in _matches(shader, name, node.span):
            is_destination = node in writers and b"=" not in shader.source[_start(node) : place.start]
            yield Occurrence(place.start, place.end, Role.WRITE if is_destination else Role.READ)


def _start(node: Instr | If) -> int:
    return 0 if node.span is None else node.span.start


def _of_block(shader: Shader, block: Block, impl: FunctionImpl | None) -> Iterator[Occurrence]:
    body = None if impl is None else body_range(shader, impl)
    if body is None:
        return
    # Labels occur in phis, gotos and comments with predecessors, but not within names.
    label = re.compile(rb"(?<![\w&.>%%-])(?:b|block_)%d\b" % block.index)
    own = -1 if block.span is None else block.span.start
    own_line_end = shader.source.find(b"\n", max(own, 0))
    for place in _matches(shader, label, Span(*body, 0)):
        is_own = own >= 0 and own <= place.start and (own_line_end < 0 or place.start < own_line_end)
        role = Role.DEFINITION if is_own else Role.READ
        if is_own:
            own = -1
        yield Occurrence(place.start, place.end, role)


def _of_variable(shader: Shader, variable: Variable) -> Iterator[Occurrence]:
    if not variable.name:
        return
    name = re.compile(re.escape(variable.name.encode("utf-8", "surrogatepass")))
    if variable.span is not None:
        # The name is the last match before the location; its letters may also occur in the type.
        location = shader.source.find(b" (", variable.span.start, variable.span.end)
        limit = variable.span.end if location < 0 else location
        for place in list(_matches(shader, name, Span(variable.span.start, limit, 0)))[-1:]:
            yield Occurrence(place.start, place.end, Role.DEFINITION)
    for instr in shader.instrs():
        if isinstance(instr, DerefInstr) and instr.var is variable:
            yield from _matches(shader, name, instr.span, Role.READ, 1)


def _of_function(shader: Shader, function: Function) -> Iterator[Occurrence]:
    name = re.compile(rb"\b%s\b" % re.escape(function.name.encode("utf-8", "surrogatepass")))
    yield from _matches(shader, name, function.span, Role.READ, 1)
    if function.impl is not None:
        yield from _matches(shader, name, function.impl.span, Role.DEFINITION, 1)
    for instr in shader.instrs():
        if isinstance(instr, CallInstr) and instr.callee is function:
            yield from _matches(shader, name, instr.span, Role.READ, 1)


def _of_slot(shader: Shader, slot: SlotEntity) -> Iterator[Occurrence]:
    name = re.compile(rb"\b%s\b" % slot.name.encode())
    for place in _matches(shader, name, Span(0, len(shader.source), 0)):
        line_start = shader.source.rfind(b"\n", 0, place.start) + 1
        declares = shader.source.startswith(b"decl_var", line_start)
        yield Occurrence(place.start, place.end, Role.DEFINITION if declares else Role.READ)


def _is_by_offset(shader: Shader, instr: IntrinsicInstr) -> bool:
    """Whether an access has an offset of the hardware as its base, and prints a slot that means nothing."""
    access = io_access(instr, shader.stage)
    return access is not None and access.is_output in sides_by_offset(shader)


def _of_offset(shader: Shader, instr: IntrinsicInstr) -> Iterator[Occurrence]:
    """Yield the base of each input, or of each output, at the same offset of the hardware."""
    own, number = io_access(instr, shader.stage), instr.int_index("base")
    place = re.compile(rb"\bbase=%d\b" % number)
    for other in shader.instrs():
        access = io_access(other, shader.stage)
        if own is None or access is None or access.is_output is not own.is_output:
            continue
        yield from _matches(shader, place, other.span, Role.WRITE if own.is_output else Role.READ, 1)


def _matches(
    shader: Shader,
    pattern: re.Pattern[bytes],
    span: Span | None,
    role: Role = Role.READ,
    at_most: int | None = None,
) -> Iterator[Occurrence]:
    if span is None:
        return
    for match in islice(pattern.finditer(shader.source, span.start, span.end), at_most):
        yield Occurrence(match.start(), match.end(), role)
