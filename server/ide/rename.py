"""Rename of a value, block, register, variable or function in a dump."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from nirls.ir.model.control_flow import Block, FunctionImpl
from nirls.ir.model.instructions import DerefInstr, Instr, IntrinsicInstr
from nirls.ir.model.shader import Dialect, Function, Shader, Variable
from nirls.ir.model.values import Def, Register
from nirls.ir.text.edits import TextEdit
from nirls.ir.text.printing.variable_names import is_named_access
from nirls.server.ide.cursor.entities import CursorToken, Entity
from nirls.server.ide.cursor.places import body_range
from nirls.server.ide.history.numbering import Numbers, number_edits
from nirls.server.ide.navigation import occurrences

_NUMBER = re.compile(r"(%|ssa_|)(\d{1,9})\Z")
_VALUE_NAME = re.compile(r"(?P<number>(?:%|ssa_|)\d*)\.(?P<name>[A-Za-z_][\w.]*)\Z")
_BLOCK_NAME = re.compile(r"(b|block_|)(\d{1,9})\Z")
_REGISTER_NAME = re.compile(r"(r|)(\d{1,9})\Z")
_VARIABLE_NAME = re.compile(r"[A-Za-z_@$][\w.@$:\[\]-]*\Z")
_FUNCTION_NAME = re.compile(r"[A-Za-z_][\w.@$:-]*\Z")


class RenameError(ValueError):
    """A rename is not possible; the message is a sentence for the user."""


def can_rename(entity: Entity) -> bool:
    """Whether the entity's name is defined by the dump, unlike those of opcodes and slots."""
    return isinstance(entity, Def | Block | Register | Variable | Function)


def rename_edits(shader: Shader, token: CursorToken, entity: Entity, new_name: str) -> list[TextEdit]:
    """Compute the edits that rename an entity, sorted. Raises RenameError."""
    match entity:
        case Def():
            return _value(shader, token, entity, new_name)
        case Block():
            return _block(shader, token, entity, new_name)
        case Register():
            return _register(shader, token, entity, new_name)
        case Variable():
            return _variable(shader, token, entity, new_name)
        case Function():
            return _function(shader, token, entity, new_name)
        case _:
            raise RenameError("Only values, blocks, registers, variables and functions can be renamed.")


def _value(shader: Shader, token: CursorToken, value: Def, new_name: str) -> list[TextEdit]:
    impl = _body(token)
    named = _VALUE_NAME.match(new_name.strip())
    if named is not None:
        edits = _named(shader, token, value, named["name"])
        if named["number"]:
            edits += _value(shader, token, value, named["number"])
        return sorted(edits, key=lambda edit: edit.start)
    prefix = "%" if shader.dialect is Dialect.MODERN else "ssa_"
    new = _number(_NUMBER, new_name, prefix, f"A value is named {prefix} and a number, or a dot and a name")
    numbers = [value.index for value in (*impl.defs(), *impl.undefined_references)]
    if new == value.index:
        return []
    if numbers.count(value.index) > 1:
        raise RenameError(f"{prefix}{value.index} is defined more than once in {impl.function.name}.")
    if new in numbers:
        raise RenameError(f"{prefix}{new} is taken in {impl.function.name}.")
    return _numbered(shader, impl, Numbers(values={value.index: new}))


def _named(shader: Shader, token: CursorToken, value: Def, name: str) -> list[TextEdit]:
    """Replace the name of debug information behind the number of a value, or add one."""
    old = "" if value.name is None else f".{value.name}"
    if old == f".{name}":
        return []
    ends = [place.end for place in occurrences(shader, token, value)]
    return [
        TextEdit(end, end + len(old.encode()), f".{name}")
        for end in ends
        if shader.source.startswith(old.encode(), end)
    ]


def _block(shader: Shader, token: CursorToken, block: Block, new_name: str) -> list[TextEdit]:
    impl = _body(token)
    prefix = "b" if shader.dialect is Dialect.MODERN else "block_"
    new = _number(_BLOCK_NAME, new_name, prefix, f"A block is named {prefix} and a number")
    numbers = [block.index for block in (*impl.blocks(), impl.end_block)]
    if new == block.index:
        return []
    if numbers.count(block.index) > 1:
        raise RenameError(f"{impl.function.name} has more than one block {prefix}{block.index}.")
    if new in numbers:
        raise RenameError(f"{prefix}{new} is taken in {impl.function.name}.")
    return _numbered(shader, impl, Numbers(blocks={block.index: new}))


def _register(shader: Shader, token: CursorToken, register: Register, new_name: str) -> list[TextEdit]:
    impl = _body(token)
    if register.index < 0:
        raise RenameError("Global registers cannot be renamed.")
    new = _number(_REGISTER_NAME, new_name, "r", "A register is named r and a number")
    if new == register.index:
        return []
    if any(register.index == new for register in impl.registers):
        raise RenameError(f"r{new} is taken in {impl.function.name}.")
    return [TextEdit(place.start, place.end, f"r{new}") for place in occurrences(shader, token, register)]


def _variable(shader: Shader, token: CursorToken, variable: Variable, new_name: str) -> list[TextEdit]:
    if not _VARIABLE_NAME.match(new_name):
        raise RenameError(f"{new_name!r} is no name of a variable.")
    if new_name == variable.name:
        return []
    impl = next((impl for impl in shader.impls() if variable in impl.locals), None)
    # A local hides a shader variable of the same name, so names must be unique among both.
    others = [
        *shader.variables,
        *(local for one in ([impl] if impl else shader.impls()) for local in one.locals),
    ]
    if any(other.name == new_name for other in others):
        raise RenameError(f"There is a variable {new_name} already.")
    if sum(other.name == variable.name for other in others) > 1:
        raise RenameError(f"{variable.name} is declared more than once; the reference is ambiguous.")
    edits = [TextEdit(place.start, place.end, new_name) for place in occurrences(shader, token, variable)]
    edits += _in_comments(shader, [impl] if impl is not None else shader.impls(), variable, new_name)
    return sorted(edits, key=lambda edit: edit.start)


def _in_comments(
    shader: Shader, impls: Iterable[FunctionImpl], variable: Variable, new_name: str
) -> Iterator[TextEdit]:
    """Yield edits of the comments that Mesa prints with variable names: deref paths and access names."""
    name = re.escape(variable.name.encode("utf-8", "surrogatepass"))
    path = re.compile(rb"&(%s)(?=[.\[\s]|\*/|$)" % name)
    alone = re.compile(rb"(?://|/\*)[ \t]*+(%s)[ \t]*+(?:\*/)?[ \t\r]*+\Z" % name)
    for impl in impls:
        for instr in impl.instrs():
            if instr.comment is None or instr.span is None:
                continue
            if isinstance(instr, DerefInstr) and instr.deref_kind != "var":
                pattern = path
            elif isinstance(instr, IntrinsicInstr) and is_named_access(instr):
                pattern = alone
            else:
                continue
            match = pattern.search(_comment_of(shader, instr))
            if match is not None:
                start = instr.span.end
                yield TextEdit(start + match.start(1), start + match.end(1), new_name)


def _comment_of(shader: Shader, instr: Instr) -> bytes:
    assert instr.span is not None
    end = shader.source.find(b"\n", instr.span.end)
    return shader.source[instr.span.end : end if end >= 0 else len(shader.source)]


def _function(shader: Shader, token: CursorToken, function: Function, new_name: str) -> list[TextEdit]:
    if not _FUNCTION_NAME.match(new_name):
        raise RenameError(f"{new_name!r} is no name of a function.")
    if new_name == function.name:
        return []
    if any(other.name == new_name for other in shader.functions):
        raise RenameError(f"There is a function {new_name} already.")
    return [TextEdit(place.start, place.end, new_name) for place in occurrences(shader, token, function)]


def _body(token: CursorToken) -> FunctionImpl:
    if token.impl is None:
        raise RenameError("This name is outside of a function.")
    return token.impl


def _number(pattern: re.Pattern[str], new_name: str, prefix: str, rule: str) -> int:
    match = pattern.match(new_name.strip())
    if match is None or match[1] not in ("", prefix):
        raise RenameError(f"{rule}, {new_name!r} is not.")
    return int(match[2])


def _numbered(shader: Shader, impl: FunctionImpl, numbers: Numbers) -> list[TextEdit]:
    body = body_range(shader, impl)
    return [] if body is None else number_edits(shader.source, *body, numbers)
