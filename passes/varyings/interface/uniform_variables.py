"""Uniform and UBO variables of two stages: limits, and the matching variable of the other shader."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from functools import cached_property
from math import prod

from nirls.ir.model.instructions import DerefInstr
from nirls.ir.model.shader import Shader, Variable
from nirls.passes.varyings.interface.link_options import LinkOptions
from nirls.passes.varyings.interface.shared_resources import SharedResources

_ARRAY = re.compile(r"\[(\d+)\]")
_MATRIX = re.compile(r"^(?:f16|d)?mat(\d)")
_DOUBLE_SLOT = re.compile(r"^(?:d|i64|u64)vec[34]|^dmat\dx?[34]?")
_SUBROUTINE = "__subu_"
_MOVABLE_KINDS = frozenset(("var", "struct", "array"))


class UniformVariables:
    """The uniforms of two linked stages (Mesa: `nir_clone_uniform_variable`).

    Variables are matched by name; with the `spirv` option, UBOs are matched by set and binding.
    """

    def __init__(self, first: Shader, second: Shader, options: LinkOptions) -> None:
        self.first = first
        self.second = second
        self.options = options

    @cached_property
    def movable_modes(self) -> frozenset[str]:
        """The modes whose loads may move between the stages without exceeding a limit."""
        modes = []
        if self._count("uniform", uniform_components) <= self.options.max_uniform_components:
            modes.append("uniform")
        if self._count("ubo", ubo_slots) <= self.options.max_ubos:
            modes.append("ubo")
        return frozenset(modes)

    @cached_property
    def resources(self) -> SharedResources:
        """The UBO and push constant accesses of both stages that use no variables."""
        return SharedResources(self.first, self.second)

    def obstacle(self, deref: DerefInstr) -> str:
        """Return why a deref cannot be recreated in the other shader; "" if it can."""
        if deref.mode not in self.movable_modes:
            if deref.mode == "uniform":
                return f"the stages have more than {self.options.max_uniform_components} uniform components"
            if deref.mode == "ubo":
                return f"the stages have more than {self.options.max_ubos} uniform buffers"
            return f"it is a variable of the mode {deref.mode}"
        if deref.deref_kind not in _MOVABLE_KINDS:
            return f"deref_{deref.deref_kind} does not name an element of a variable"
        if deref.deref_kind == "array" and deref.const_index is None and deref.index is None:
            return "its array index is unknown"
        if deref.deref_kind != "var":
            return ""
        variable = deref.var
        if variable is None:
            return "its variable is not declared"
        if variable.name.startswith(_SUBROUTINE):
            return f"{variable.name} is a subroutine uniform, which belongs to one stage"
        for twin in (self.find(self.first, variable), self.find(self.second, variable)):
            if twin is not None and twin.type_name != variable.type_name:
                return f"{variable.name} has another type in the other stage"
        return ""

    def find(self, shader: Shader, variable: Variable) -> Variable | None:
        """Return the variable of a shader that matches one of another shader; None if there is none."""
        for candidate in shader.variables_of_mode(variable.mode):
            if candidate is variable:
                return candidate
        for candidate in shader.variables_of_mode(variable.mode):
            if self._is_same(candidate, variable):
                return candidate
        return None

    def find_or_declare(self, shader: Shader, variable: Variable) -> Variable:
        """Return the matching variable of a shader, declaring it if necessary."""
        found = self.find(shader, variable)
        if found is not None:
            return found
        copy = replace(variable, span=None)
        shader.variables.append(copy)
        return copy

    def _is_same(self, candidate: Variable, variable: Variable) -> bool:
        if self.options.spirv and variable.mode == "ubo":
            return candidate.data == variable.data
        return candidate.name == variable.name

    def _count(self, mode: str, size: Callable[[Variable], int]) -> int:
        ours = self.first.variables_of_mode(mode)
        theirs = self.second.variables_of_mode(mode)
        extra = [variable for variable in theirs if not any(self._is_same(own, variable) for own in ours)]
        return sum(size(variable) for variable in (*ours, *extra))


def uniform_components(variable: Variable) -> int:
    """Return the scalar components of a loose uniform, in whole vec4s."""
    slots = _elements(variable.type_name)
    element = _ARRAY.sub("", variable.type_name)
    matrix = _MATRIX.match(element)
    if matrix is not None:
        slots *= int(matrix[1])
    if _DOUBLE_SLOT.match(element):
        slots *= 2
    return slots * 4


def ubo_slots(variable: Variable) -> int:
    """Return the bindings of a UBO variable: an array of blocks takes one for each element."""
    return _elements(variable.type_name) if not _is_plain(variable.type_name) else 1


def _is_plain(type_name: str) -> bool:
    return re.match(r"^(?:[fdiub]?\d*vec\d|[fd]?\d*mat\d|float|double|int|uint|bool)", type_name) is not None


def _elements(type_name: str) -> int:
    return prod(max(int(size), 1) for size in _ARRAY.findall(type_name))
