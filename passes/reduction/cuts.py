"""Reduction steps on shaders (cuts); each may change the shader's results.

A cut identifies its place by a number in printed order, so that it applies to every clone of the shader.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from nirls.ir.model.clone import clone_shader
from nirls.ir.model.control_flow import Block, FunctionImpl, If, Loop
from nirls.ir.model.control_flow_edit import Replacement, replace_nodes
from nirls.ir.model.instructions import (
    AluInstr,
    CallInstr,
    DerefInstr,
    Instr,
    IntrinsicInstr,
    JumpInstr,
    LoadConstInstr,
    PhiInstr,
    TexInstr,
)
from nirls.ir.model.shader import Shader, Variable
from nirls.ir.model.values import Def
from nirls.passes.cleanup.opt_dce import opt_dce


class ReductionCut(NamedTuple):
    """One reduction step.

    `shader` is the number of the shader, `place` that of the instruction, if, loop, variable, function or
    header line, depending on `kind`.
    """

    kind: str
    shader: int
    place: int


NO_LOOP, NO_IF = "no loop", "no if"
THEN_BRANCH, ELSE_BRANCH = "then branch", "else branch"
EFFECT, FUNCTION = "effect", "function"
ZERO, ONE = "zero", "one"
SOURCES = ("first source", "second source", "third source")
VARIABLE, HEADER = "variable", "header"

KINDS: tuple[str, ...] = (
    FUNCTION,
    NO_LOOP,
    NO_IF,
    THEN_BRANCH,
    ELSE_BRANCH,
    EFFECT,
    ZERO,
    *SOURCES,
    ONE,
    VARIABLE,
    HEADER,
)
"""Kinds of cuts in the order of application: large cuts first."""

_NEEDED_HEADERS = frozenset(("shader", "workgroup_size", "workgroup-size", "local-size"))
_ONE_BITS = {1: 1, 8: 1, 16: 0x3C00, 32: 0x3F800000, 64: 0x3FF0000000000000}


def cuts_of(shaders: Sequence[Shader], kind: str) -> list[ReductionCut]:
    """Find all cuts of a kind, in printed order."""
    return [
        ReductionCut(kind, number, place)
        for number, shader in enumerate(shaders)
        for place in _places(shader, kind)
    ]


def cut(shaders: Sequence[Shader], cuts: Iterable[ReductionCut]) -> list[Shader]:
    """Apply cuts of one kind to clones of the shaders, and remove code that becomes dead."""
    wanted: dict[tuple[int, str], set[int]] = {}
    for place in cuts:
        wanted.setdefault((place.shader, place.kind), set()).add(place.place)
    copies = list(shaders)
    for (number, kind), places in wanted.items():
        copy = copies[number] = clone_shader(shaders[number])
        _make(copy, kind, places)
        for impl in copy.impls():
            impl.link_blocks()
        opt_dce(copy)
    return copies


def _places(shader: Shader, kind: str) -> list[int]:
    if kind == VARIABLE:
        used = {id(instr.var) for instr in shader.instrs() if isinstance(instr, DerefInstr)}
        return [n for n, variable in enumerate(variables_of(shader)) if id(variable) not in used]
    if kind == HEADER:
        return [n for n, item in enumerate(shader.header) if item.key not in _NEEDED_HEADERS]
    entry = shader.entrypoint
    if kind == FUNCTION:
        called = {id(instr.callee) for instr in shader.instrs() if isinstance(instr, CallInstr)}
        return [
            n
            for n, function in enumerate(shader.functions)
            if id(function) not in called and (entry is None or function is not entry.function)
        ]
    if entry is None:
        return []
    if kind in NODE_KINDS:
        return [n for n, node in enumerate(_nested(entry)) if isinstance(node, NODE_KINDS[kind])]
    return [n for n, instr in enumerate(entry.instrs()) if _CAN[kind](instr)]


def variables_of(shader: Shader) -> list[Variable]:
    """Return the variables of a shader, and then those of its functions: the places of `VARIABLE`."""
    return [*shader.variables, *(variable for impl in shader.impls() for variable in impl.locals)]


def _make(shader: Shader, kind: str, places: set[int]) -> None:
    if kind == VARIABLE:
        gone = {id(variable) for n, variable in enumerate(variables_of(shader)) if n in places}
        for variables in (shader.variables, *(impl.locals for impl in shader.impls())):
            variables[:] = [variable for variable in variables if id(variable) not in gone]
        return
    if kind in (HEADER, FUNCTION):
        items: list[object] = shader.header if kind == HEADER else shader.functions  # type: ignore[assignment]
        items[:] = [item for n, item in enumerate(items) if n not in places]
        return
    entry = shader.entrypoint
    assert entry is not None
    if kind in NODE_KINDS:
        chosen = {node for n, node in enumerate(_nested(entry)) if n in places}
        replace_nodes(entry, lambda node, before, after: _kept(node, kind) if node in chosen else None)
        return
    instrs = list(entry.instrs())
    for place in sorted(places):
        _DO[kind](instrs[place])


def _nested(impl: FunctionImpl) -> list[If | Loop]:
    return [node for node in impl.cf_nodes() if not isinstance(node, Block)]


NODE_KINDS: dict[str, type[If] | type[Loop]] = {
    NO_LOOP: Loop,
    NO_IF: If,
    THEN_BRANCH: If,
    ELSE_BRANCH: If,
}
"""Kinds of cuts whose places number ifs and loops."""


def _kept(node: If | Loop, kind: str) -> Replacement:
    if isinstance(node, If) and kind == THEN_BRANCH:
        return node.then_body
    if isinstance(node, If) and kind == ELSE_BRANCH:
        return node.else_body
    return ()


def _has_effect(instr: Instr) -> bool:
    """Whether an instruction can be removed without leaving an undefined use."""
    return instr.def_ is None and instr.reg_dest is None and not isinstance(instr, JumpInstr)


def _can_be_constant(instr: Instr) -> bool:
    value = instr.def_
    if value is None or not value.uses or value.bit_size not in _ONE_BITS:
        return False
    return isinstance(instr, AluInstr | PhiInstr | TexInstr) or (
        isinstance(instr, IntrinsicInstr) and instr.name.startswith("load_")
    )


def _can_be_zero(instr: Instr) -> bool:
    if isinstance(instr, LoadConstInstr):
        return any(instr.values)
    return _can_be_constant(instr)


def _replacing_source(instr: Instr, number: int) -> Def | None:
    """Return a source of an ALU instruction if it can replace the result (same width and bit size)."""
    value = instr.def_
    if not isinstance(instr, AluInstr) or value is None or not value.uses or number >= len(instr.sources):
        return None
    def_ = instr.sources[number].def_
    shape = (value.num_components, value.bit_size)
    return def_ if def_ is not None and (def_.num_components, def_.bit_size) == shape else None


def _replaced_by_source(number: int) -> Callable[[Instr], None]:
    def replace(instr: Instr) -> None:
        source = _replacing_source(instr, number)
        if source is not None and instr.def_ is not None:
            instr.def_.replace_all_uses_with(source)

    return replace


def _has_replacing_source(number: int) -> Callable[[Instr], bool]:
    return lambda instr: _replacing_source(instr, number) is not None


def _constant_maker(bits: Callable[[int], int]) -> Callable[[Instr], None]:
    def replace(instr: Instr) -> None:
        value, block = instr.def_, instr.block
        if value is None or block is None:
            return
        constant = LoadConstInstr([bits(value.bit_size)] * value.num_components)
        twin = constant.make_def(value.index, value.num_components, value.bit_size)
        position = instr
        while isinstance(position, PhiInstr) and position.next is not None:
            position = position.next
        if isinstance(position, PhiInstr):
            block.append(constant)
        else:
            block.insert_before(position, constant)
        value.replace_all_uses_with(twin)
        instr.remove()

    return replace


_CAN: dict[str, Callable[[Instr], bool]] = {
    EFFECT: _has_effect,
    **{kind: _has_replacing_source(number) for number, kind in enumerate(SOURCES)},
    ZERO: _can_be_zero,
    ONE: _can_be_constant,
}
_DO: dict[str, Callable[[Instr], None]] = {
    EFFECT: Instr.remove,
    **{kind: _replaced_by_source(number) for number, kind in enumerate(SOURCES)},
    ZERO: _constant_maker(lambda bit_size: 0),
    ONE: _constant_maker(lambda bit_size: _ONE_BITS[bit_size]),
}
