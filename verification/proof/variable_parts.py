"""Parts of variables that addresses lead to, and the cells that their content is divided into."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from nirls.ir.model.glsl_types import array_parts, bare_type, element_type, leaf_type
from nirls.ir.model.instructions import DerefInstr
from nirls.ir.model.shader import Variable
from nirls.ir.model.values import Src


@dataclass(frozen=True, slots=True)
class Wildcard:
    """The step to each of the elements of an array, in the address of a copy."""

    length: int


Step = str | int | Src | Wildcard
"""A field, a constant index, the source of another index, or all elements."""


@dataclass(frozen=True, slots=True)
class VariablePart:
    """A part of a variable: the steps that lead to it, and its type.

    `component` selects one component of a vector, None for all of it.
    """

    variable: Variable
    path: tuple[Step, ...]
    type_name: str
    component: Step | None = None

    @property
    def has_variable_index(self) -> bool:
        """Whether an index is not constant."""
        return any(isinstance(step, Src) for step in (*self.path, self.component))

    def further(self, step: Step, type_name: str) -> VariablePart:
        """Return a field or element of the part."""
        return VariablePart(self.variable, (*self.path, step), type_name)

    @property
    def wildcards(self) -> list[Wildcard]:
        """The steps to all elements of arrays."""
        return [step for step in self.path if isinstance(step, Wildcard)]


@dataclass(frozen=True, slots=True)
class Cell:
    """A component of a scalar or vector of a variable; the whole content if `path` is None."""

    variable: Variable
    path: tuple[Step, ...] | None = None
    component: int = 0
    bit_size: int = 0

    def moved(self, start: VariablePart, to: VariablePart) -> Cell | None:
        """Return the cell at the same position below another place; None if it is not below `start`."""
        if self.path is None or self.variable is not start.variable:
            return None
        length = len(start.path)
        if len(self.path) < length:
            return None
        chosen: list[Step] = []
        for step, wanted in zip(self.path, start.path, strict=False):
            if isinstance(wanted, Wildcard):
                chosen.append(step)
            elif step != wanted:
                return None
        path = [chosen.pop(0) if isinstance(step, Wildcard) else step for step in to.path]
        return Cell(to.variable, (*path, *self.path[length:]), self.component, self.bit_size)


def part_at(deref: DerefInstr, above: VariablePart | None) -> VariablePart | None:
    """Return the part that a deref leads to, from that of its parent; None if that is not certain."""
    type_name = bare_type(deref.type_name)
    if deref.deref_kind == "var":
        return _whole_variable(deref, type_name)
    if above is None or above.component is not None or deref.mode != above.variable.mode:
        return None
    if deref.deref_kind == "cast":
        return above if type_name == above.type_name else None
    if deref.deref_kind == "struct":
        is_struct = leaf_type(above.type_name) is None and array_parts(above.type_name) is None
        return above.further(deref.field, type_name) if is_struct and deref.field is not None else None
    if element_type(above.type_name) != type_name:
        return None
    if deref.deref_kind == "array_wildcard":
        parts = array_parts(above.type_name)
        return above.further(Wildcard(parts[1]), type_name) if parts is not None and parts[1] > 0 else None
    return _element(deref, above, type_name) if deref.deref_kind == "array" else None


def _whole_variable(deref: DerefInstr, type_name: str) -> VariablePart | None:
    variable = deref.var
    if variable is None or (bare_type(variable.type_name), variable.mode) != (type_name, deref.mode):
        return None
    return VariablePart(variable, (), type_name)


def _element(deref: DerefInstr, above: VariablePart, type_name: str) -> VariablePart | None:
    """Return an element of an array, or a component of a vector; None if its index is out of bounds."""
    index: Step | None = deref.index if deref.constant_index is None else deref.constant_index
    leaf = leaf_type(above.type_name)
    length = (array_parts(above.type_name) or ("", 0))[1] if leaf is None else leaf.num_components
    if index is None or (isinstance(index, int) and not 0 <= index < length):
        return None
    if leaf is not None:
        return VariablePart(above.variable, above.path, above.type_name, index)
    return above.further(index, type_name)


def elements(place: VariablePart) -> Iterator[VariablePart]:
    """Yield the elements of an array or the columns of a matrix; nothing for other types."""
    parts = array_parts(place.type_name)
    for index in range(0 if parts is None else parts[1]):
        yield place.further(index, element_type(place.type_name) or "")


def has_known_cells(type_name: str) -> bool:
    """Whether a type is a scalar or vector, or an array of them."""
    while leaf_type(type_name) is None:
        parts = array_parts(type_name)
        if parts is None or not parts[1]:
            return False
        type_name = element_type(type_name) or ""
    return True
