"""The entity at the cursor: a value, register, block, variable, opcode, slot and so on."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from nirls.ir.model.control_flow import Block, FunctionImpl, If
from nirls.ir.model.instructions import (
    CallInstr,
    DerefInstr,
    Instr,
    IntrinsicInstr,
    ParallelCopyInstr,
    PhiInstr,
    operation_name,
)
from nirls.ir.model.shader import Function, HeaderField, Shader, Variable
from nirls.ir.model.values import Def, Register
from nirls.ir.text.structure import EDGES
from nirls.server.ide.cursor.places import Node, Places, body_range

_WORD = re.compile(rb"%\d+|@?[A-Za-z_\x80-\xff][A-Za-z0-9_\x80-\xff]*|\d+|~0|!")
_VALUE = re.compile(rb"(?:%|ssa_)(\d{1,9})\Z")
ANY_VALUE = re.compile(rb"%\d+|\bssa_\d+")
_REGISTER = re.compile(rb"g?r(\d{1,9})\Z")
_BLOCK = re.compile(rb"(?:b|block_)(\d{1,9})\Z")
_SLOT = re.compile(rb"(?:VARYING_SLOT|VERT_ATTRIB|FRAG_RESULT)_[A-Z0-9_]+\Z")
_COMMENT = re.compile(rb"//|/\*")


@dataclass(frozen=True, slots=True)
class CursorToken:
    """The word under the cursor and the node on its line."""

    start: int
    end: int
    text: bytes
    node: Node | None
    impl: FunctionImpl | None


@dataclass(frozen=True, slots=True)
class OpcodeEntity:
    """The opcode of an ALU or texture instruction, or the keyword of another kind of instruction."""

    name: str
    instr: Instr


@dataclass(frozen=True, slots=True)
class IntrinsicEntity:
    """The name of an intrinsic."""

    name: str
    instr: IntrinsicInstr


@dataclass(frozen=True, slots=True)
class IndexEntity:
    """A constant index of an intrinsic, by its name or value."""

    name: str
    instr: IntrinsicInstr


@dataclass(frozen=True, slots=True)
class SlotEntity:
    """The name of a varying slot, vertex attribute or fragment result."""

    name: str
    node: Node


@dataclass(frozen=True, slots=True)
class HeaderKeyEntity:
    """A field of the header."""

    field: HeaderField


Entity = (
    Def
    | Register
    | Block
    | Variable
    | Function
    | OpcodeEntity
    | IntrinsicEntity
    | IndexEntity
    | SlotEntity
    | HeaderKeyEntity
)


def token_at(places: Places, text: bytes, offset: int) -> CursorToken | None:
    """Find the word at a byte offset, or the one that ends there; None between words."""
    line_start = text.rfind(b"\n", 0, offset) + 1
    line_end = text.find(b"\n", offset)
    line_end = len(text) if line_end < 0 else line_end
    # Search near the cursor only: a line may have a megabyte.
    from_, to = max(line_start, offset - 256), min(line_end, offset + 256)
    found = None
    for match in _WORD.finditer(text, from_, to):
        if match.start() <= offset <= match.end():
            found = match
            if offset < match.end():
                break
        if match.start() > offset:
            break
    if found is None:
        return None
    on_line = places.on_line_of(offset)
    node, impl = on_line if on_line is not None else (None, None)
    return CursorToken(found.start(), found.end(), found[0], node, impl)


def entity_at(shader: Shader, places: Places, offset: int) -> tuple[CursorToken, Entity] | None:
    """Find the word at a byte offset of the dump and its entity; None for an unknown word."""
    token = token_at(places, shader.source, offset)
    if token is None:
        return None
    if token.node is None:
        return _end_of_edge(shader, token)
    entity = _entity_of(shader, token)
    if isinstance(entity, Variable):
        token = _whole_name(shader.source, token, entity) or token
    return None if entity is None else (token, entity)


def _end_of_edge(shader: Shader, token: CursorToken) -> tuple[CursorToken, Block] | None:
    """Find a block that is named in a `preds:` or `succs:` comment on its own line."""
    label = _BLOCK.match(token.text)
    line_start = shader.source.rfind(b"\n", 0, token.start) + 1
    if label is None or not EDGES.match(shader.source, line_start):
        return None
    impl = next((impl for impl in shader.impls() if _holds(shader, impl, token.start)), None)
    block = None if impl is None else _block(None, impl, int(label[1]))
    return None if block is None else (replace(token, impl=impl), block)


def _holds(shader: Shader, impl: FunctionImpl, offset: int) -> bool:
    body = body_range(shader, impl)
    return body is not None and body[0] <= offset <= body[1]


def _entity_of(shader: Shader, token: CursorToken) -> Entity | None:
    node, word = token.node, token.text
    if isinstance(node, HeaderField):
        return HeaderKeyEntity(node)
    if _SLOT.match(word) and node is not None:
        return SlotEntity(word.decode(), node)
    if isinstance(node, Variable):
        return node if _whole_name(shader.source, token, node) is not None else None
    if isinstance(node, Function):
        return node
    if isinstance(node, FunctionImpl):
        return node.function
    if isinstance(node, Register):
        return node if _REGISTER.match(word) else None
    if token.impl is None or node is None:
        return None
    if _is_in_comment(shader.source, token) and not isinstance(node, Block):
        return None
    if match := _VALUE.match(word):
        return _value(shader, token, int(match[1]))
    if match := _BLOCK.match(word):
        return _block(node, token.impl, int(match[1]))
    if (match := _REGISTER.match(word)) and (register := _register(node, token.impl, int(match[1]))):
        return register
    if isinstance(node, Instr):
        return _part_of_instr(shader.source, node, token)
    return None


def _value(shader: Shader, token: CursorToken, number: int) -> Def | None:
    node = token.node
    candidates: list[Def | None] = []
    if isinstance(node, Instr):
        read = [src.def_ for src in node.all_srcs()]
        own = node.defs()
        is_destination = token.start == start_of_destination(shader.source, node)
        candidates = [*own, *read] if is_destination else [*read, *own]
    elif isinstance(node, If):
        candidates = [node.condition.def_]
    return next((value for value in candidates if value is not None and value.index == number), None)


def start_of_destination(text: bytes, instr: Instr) -> int:
    """Return the offset of the name of the instruction's def; -1 if it has none."""
    if instr.span is None or (instr.def_ is None and not isinstance(instr, ParallelCopyInstr)):
        return -1
    match = ANY_VALUE.search(text, instr.span.start, instr.span.end)
    return match.start() if match is not None else -1


def _block(node: Node | None, impl: FunctionImpl, number: int) -> Block | None:
    if isinstance(node, Block) and node.index == number:
        return node
    if isinstance(node, PhiInstr):
        for src in node.sources:
            if src.pred.index == number:
                return src.pred
    blocks = (*impl.blocks(), impl.end_block)
    return next((block for block in blocks if block.index == number), None)


def _register(node: Node, impl: FunctionImpl, number: int) -> Register | None:
    if not isinstance(node, Instr | If):
        return None
    return next((reg for reg in impl.registers if reg.index == number), None)


def _part_of_instr(text: bytes, instr: Instr, token: CursorToken) -> Entity | None:
    word = token.text.decode("utf-8", "replace")
    if isinstance(instr, IntrinsicInstr):
        name = word.removeprefix("@")
        if name == instr.name:
            return IntrinsicEntity(instr.name, instr)
        return IndexEntity(word, instr)
    if (
        isinstance(instr, DerefInstr)
        and instr.var is not None
        and _whole_name(text, token, instr.var) is not None
    ):
        return instr.var
    if isinstance(instr, CallInstr) and instr.callee is not None and word == instr.callee_name:
        return instr.callee
    name = operation_name(instr)
    return OpcodeEntity(name, instr) if word == name else None


def _whole_name(text: bytes, token: CursorToken, variable: Variable) -> CursorToken | None:
    """Extend a word to the variable name around it, such as `lights[0].color`; None if not part of it."""
    name = variable.name.encode("utf-8", "surrogatepass")
    start = text.rfind(name, max(token.end - len(name), 0), token.start + len(name)) if name else -1
    return None if start < 0 else replace(token, start=start, end=start + len(name), text=name)


def _is_in_comment(text: bytes, token: CursorToken) -> bool:
    line_start = text.rfind(b"\n", 0, token.start) + 1
    match = _COMMENT.search(text, max(line_start, token.start - 4096), token.start)
    return match is not None and text.find(b"*/", match.start(), token.start) < 0
