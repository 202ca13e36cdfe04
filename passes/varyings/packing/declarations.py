"""Declarations of packed varyings: `decl_var` lines name the slots that packing has assigned.

Mesa leaves the declarations as they are, since lowered I/O does not need them; here they name accesses.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace

from nirls.ir.io.access import HALVES_OF_A_SLOT
from nirls.ir.io.variables import variable_place, variable_slots
from nirls.ir.model.glsl_types import LeafType, array_parts, leaf_type, type_name_of
from nirls.ir.model.shader import Shader, Variable
from nirls.ir.model.slots import slot_name
from nirls.ir.model.stage import Stage

_LETTERS = "xyzw"


@dataclass(frozen=True, slots=True)
class _Scalar:
    """One component of a variable: its vec4 within the variable, its lane there, and its storage number."""

    row: int
    lane: int
    number: int

    def follows(self, other: _Scalar) -> bool:
        """Whether two components are next to each other in one vec4."""
        return (
            self.number // 2 == other.number // 2 + 1
            and self.number // HALVES_OF_A_SLOT == other.number // HALVES_OF_A_SLOT
        )


def redeclare(shader: Shader, mode: str, moved: Mapping[int, int], accessed: Collection[int]) -> bool:
    """Rewrite the declarations of one mode after scalars have moved; return whether any changed.

    `moved` maps old to new storage numbers (`scalar_slots`), `accessed` are the old numbers of all accesses.
    A variable whose scalars are no longer next to each other is split. A variable without accesses goes if
    another one has taken its place. Structs, compact arrays and 64-bit types are left alone.
    """
    taken = {new // 2 for new in moved.values()}
    variables: list[Variable] = []
    for variable in shader.variables:
        scalars = _scalars(variable, shader.stage) if variable.mode == mode else []
        live = [
            replace(scalar, number=number)
            for scalar in scalars
            for number in (scalar.number, scalar.number + 1)
            if number in accessed
        ]
        placed = [replace(scalar, number=moved.get(scalar.number, scalar.number)) for scalar in live]
        if placed != live:
            variables += _declared(variable, shader.stage, scalars, placed)
        elif live or not any(scalar.number // 2 in taken for scalar in scalars):
            variables.append(variable)
    changed = any(variable not in shader.variables for variable in variables)
    changed = changed or len(variables) != len(shader.variables)
    shader.variables = variables
    return changed


def _shape(variable: Variable, stage: Stage | None) -> tuple[LeafType, int] | None:
    """Return the type of a variable's vectors and their number; None for types that are left alone."""
    leaf = leaf_type(_vector_of(variable.type_name))
    rows = variable_slots(variable, stage)
    if leaf is None or rows is None or leaf.bit_size == 64 or variable_place(variable, stage).compact:
        return None
    return leaf, rows


def _vector_of(type_name: str) -> str:
    parts = array_parts(type_name)
    while parts is not None:
        type_name = parts[0]
        parts = array_parts(type_name)
    return type_name


def _scalars(variable: Variable, stage: Stage | None) -> list[_Scalar]:
    place, shape = variable_place(variable, stage), _shape(variable, stage)
    if shape is None or isinstance(place.slot, str):
        return []
    leaf, rows = shape
    return [
        _Scalar(row, lane, (place.slot + row) * HALVES_OF_A_SLOT + (place.component + lane) * 2)
        for row in range(rows)
        for lane in range(leaf.num_components)
    ]


def _declared(
    variable: Variable, stage: Stage | None, before: list[_Scalar], placed: list[_Scalar]
) -> list[Variable]:
    """Return the declarations of a variable's scalars at their new places."""
    shifts = {new.number - old.number for old, new in zip(before, placed, strict=False)}
    if len(placed) == len(before) and len(shifts) == 1 and not shifts.pop() % HALVES_OF_A_SLOT:
        return [_moved(variable, stage, placed)]
    runs: list[list[_Scalar]] = []
    for scalar in placed:
        if runs and scalar.row == runs[-1][-1].row and scalar.follows(runs[-1][-1]):
            runs[-1].append(scalar)
        else:
            runs.append([scalar])
    shape = _shape(variable, stage)
    if shape is None:
        raise ValueError("a variable that moves consists of vectors")
    leaf, rows = shape
    parts = array_parts(variable.type_name) if variable_place(variable, stage).arrayed else None
    vertices = "" if parts is None else f"[{parts[1]}]"
    found = []
    for run in runs:
        name = variable.name
        if len(runs) > 1:
            row = f"[{run[0].row}]" if rows > 1 else ""
            lanes = "".join(_LETTERS[scalar.lane] for scalar in run)
            name += row + (f".{lanes}" if len(run) < leaf.num_components else "")
        type_name = type_name_of(replace(leaf, num_components=len(run))) + vertices
        found.append(_moved(replace(variable, name=name, type_name=type_name), stage, run))
    found[0].span = variable.span
    for other in found[1:]:
        other.span = other.comment = None
    return found


def _moved(variable: Variable, stage: Stage | None, scalars: list[_Scalar]) -> Variable:
    """Return a variable at the storage of its scalars."""
    number = scalars[0].number
    slot = slot_name(number // HALVES_OF_A_SLOT, stage, is_output=variable.mode == "shader_out")
    first = number % HALVES_OF_A_SLOT // 2
    letters = _LETTERS[first : first + len(scalars)] if len(scalars) <= len(_LETTERS) - first else ""
    is_whole_vec4s = scalars[-1].row != scalars[0].row
    return replace(variable, location=slot if is_whole_vec4s else f"{slot}.{letters}")
