"""Textures and samplers that one side names by variables, and the other one by numbers.

Which number a variable has the linker of OpenGL says, and no dump prints it (Mesa: `gl_nir_lower_samplers`).
It is found in the texture instructions of the other side, where each variable must have numbers of its own.
A fetch needs no sampler, and Mesa prints no number of one.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from nirls.ir.model.clone import clone_shader
from nirls.ir.model.glsl_types import array_parts
from nirls.ir.model.instructions import DerefInstr, TexInstr
from nirls.ir.model.shader import Shader, Variable
from nirls.ir.model.values import Src, TexSrc

_KINDS = ("texture", "sampler")


class _Element(NamedTuple):
    """An element of a variable: a constant number, and one that is added to it."""

    variable: Variable
    number: int
    added: Src | None


def numbered_like(shader: Shader, other: Shader) -> Shader | None:
    """Return a copy of a shader with textures and samplers by the numbers that another one has for them.

    None if the texture instructions are not the same ones, or if two variables would have one number.
    """
    twins = _instrs(other)
    if [instr.op for instr in _instrs(shader)] != [twin.op for twin in twins]:
        return None
    copy = clone_shader(shader)
    for kind in _KINDS:
        first_numbers = _first_numbers(_instrs(copy), twins, kind)
        if first_numbers is None:
            return None
        for instr, twin in zip(_instrs(copy), twins, strict=True):
            number, element = _number(twin, kind), _element(instr, kind)
            if element is not None:
                own = None if number is None else first_numbers[element.variable] + element.number
                _set_number(instr, kind, own)
                _replace_deref(instr, kind, element.added)
            elif _number(instr, kind) is None:
                _set_number(instr, kind, number)
    return copy


def _first_numbers(
    instrs: Sequence[TexInstr], twins: Sequence[TexInstr], kind: str
) -> dict[Variable, int] | None:
    """Return the number of each variable, or of its first element; None if they contradict each other."""
    found: dict[Variable, int] = {}
    for instr, twin in zip(instrs, twins, strict=True):
        element, number = _element(instr, kind), _number(twin, kind)
        if instr.src_of_kind(f"{kind}_deref") is None or (number is None and kind == "sampler"):
            continue
        if element is None or number is None or twin.src_of_kind(f"{kind}_deref") is not None:
            return None
        first = number - element.number
        if found.setdefault(element.variable, first) != first:
            return None
    return None if _overlap(found) else found


def _instrs(shader: Shader) -> list[TexInstr]:
    return [instr for instr in shader.instrs() if isinstance(instr, TexInstr)]


def _element(instr: TexInstr, kind: str) -> _Element | None:
    """Return what a deref leads to; None without one, or if it is no variable or element of an array."""
    src = instr.src_of_kind(f"{kind}_deref")
    deref = None if src is None else src.def_instr
    if not isinstance(deref, DerefInstr):
        return None
    parent = deref.parent_deref
    variable = deref.root.var
    if variable is None or parent not in (None, deref.root):
        return None
    if parent is None:
        return _Element(variable, 0, None) if deref.deref_kind == "var" else None
    if deref.deref_kind != "array":
        return None
    number = deref.constant_index
    return _Element(variable, 0, deref.index) if number is None else _Element(variable, number, None)


def _number(instr: TexInstr, kind: str) -> int | None:
    return instr.texture_index if kind == "texture" else instr.sampler_index


def _set_number(instr: TexInstr, kind: str, number: int | None) -> None:
    if kind == "texture":
        instr.texture_index = number
    else:
        instr.sampler_index = number


def _replace_deref(instr: TexInstr, kind: str, added: Src | None) -> None:
    """Remove the source of a deref; a variable index becomes an offset from the number."""
    src = instr.src_of_kind(f"{kind}_deref")
    if src is None:
        return
    place = instr.sources.index(src)
    instr.sources.remove(src)
    src.clear()
    if added is not None:
        offset = TexSrc(f"{kind}_offset", added.def_)
        offset.set_owner(instr)
        instr.sources.insert(place, offset)


def _overlap(numbers: dict[Variable, int]) -> bool:
    """Return whether two variables have one number, given the first number of each."""
    spans = sorted((first, first + _length(variable)) for variable, first in numbers.items())
    return any(end > start for (_, end), (start, _) in pairwise(spans))


def _length(variable: Variable) -> int:
    parts = array_parts(variable.type_name)
    return 1 if parts is None else max(parts[1], 1)
