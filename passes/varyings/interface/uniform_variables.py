"""Uniforms, UBOs and push constants of two stages: limits, and what means the same in the other shader.

Lowered loads: `load_ubo` with a block number has no common meaning, because each stage of a GL program
numbers its own blocks, and block 0 may hold its own loose uniforms. Vulkan's descriptors (set and binding)
and push constants belong to the pipeline. But a stage may only read what the pipeline layout makes visible
to it, which dumps do not state; a stage that reads the same binding, or the same bytes, already may.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from functools import cached_property
from math import prod

from nirls.ir.effects import Access, can_reorder, effects_of
from nirls.ir.model.instructions import AluInstr, DerefInstr, Instr, IntrinsicInstr, scalar_constant
from nirls.ir.model.shader import Shader, Variable
from nirls.ir.model.values import Src
from nirls.passes.varyings.interface.accesses import intrinsics
from nirls.passes.varyings.interface.link_options import LinkOptions

_Binding = tuple[int, int]
_UBO = "UBO"


class SharedResources:
    """The resources that both shaders already read."""

    def __init__(self, first: Shader, second: Shader) -> None:
        self.first = first
        self.second = second

    def obstacle(self, instr: IntrinsicInstr) -> str:
        """Return why an instruction may have another value in the other shader; "" if it has the same.

        It must read nothing that changes, and name something that both stages share: a resource index by its
        set and binding, a descriptor by such an index, a UBO load by such a descriptor, push constants by
        their bytes. Everything else may belong to one stage.
        """
        effects = effects_of(instr)
        if not can_reorder(instr) or effects.is_everything or effects.exchange:
            return f"@{instr.name} may not be repeated"
        for access in effects.accesses:
            obstacle = self._obstacle_to_read(instr, access)
            if obstacle:
                return obstacle
        if effects.accesses or _is_descriptor(instr):
            return ""
        if "desc_type" not in instr.indices:
            return f"@{instr.name} belongs to one stage"
        if not _is_ubo(instr):
            return "it is no descriptor of a UBO"
        return "" if _binding(instr) in self._bindings else "only one stage reads this binding"

    def _obstacle_to_read(self, instr: IntrinsicInstr, access: Access) -> str:
        if access.memories == {"ubo"}:
            return "" if _names_descriptor(access.resource) else "each stage numbers its UBOs on its own"
        read = _push_constants(access)
        if read is None:
            return f"@{instr.name} belongs to one stage"
        return "" if read <= self._read_by_both else "only one stage reads these push constants"

    @cached_property
    def _bindings(self) -> frozenset[_Binding]:
        """The bindings of UBOs that both shaders read."""
        first, second = (
            frozenset(binding for instr in intrinsics(shader) if (binding := _binding(instr)) is not None)
            for shader in (self.first, self.second)
        )
        return first & second

    @cached_property
    def _read_by_both(self) -> frozenset[int]:
        """The bytes of push constants that both shaders read at known offsets."""
        first, second = (
            frozenset(
                byte
                for instr in intrinsics(shader)
                for access in effects_of(instr).accesses
                for byte in _push_constants(access) or ()
            )
            for shader in (self.first, self.second)
        )
        return first & second


def _binding(instr: IntrinsicInstr) -> _Binding | None:
    """Return set and binding of a UBO resource index, which must be the constant 0 (no array of blocks)."""
    if not instr.indices.keys() >= {"desc_set", "binding"} or not _is_ubo(instr) or not instr.sources:
        return None
    if scalar_constant(instr.sources[0].def_) != 0:
        return None
    return instr.int_index("desc_set"), instr.int_index("binding")


def _is_ubo(instr: IntrinsicInstr) -> bool:
    return instr.indices.get("desc_type") == _UBO


def _is_descriptor(instr: Instr | None) -> bool:
    """Whether an intrinsic computes the descriptor of a UBO from its resource index."""
    if not isinstance(instr, IntrinsicInstr) or not _is_ubo(instr) or not instr.sources:
        return False
    maker = instr.sources[0].def_instr
    return isinstance(maker, IntrinsicInstr) and "binding" in maker.indices


def _names_descriptor(block: Src | None) -> bool:
    """Whether a UBO load addresses its block by a descriptor, not by a number."""
    maker = None if block is None else block.def_instr
    while isinstance(maker, AluInstr) and maker.op in ("mov", "vec2"):
        maker = maker.sources[0].def_instr
    return _is_descriptor(maker)


def _push_constants(access: Access) -> frozenset[int] | None:
    """Return the bytes of push constants that an access reads; None for other memory and unknown bytes."""
    if access.memories != {"push_const"} or access.range is None or not access.range.is_constant:
        return None
    start = access.range.start.constant
    return frozenset(range(start, start + access.range.size))


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
