"""Everything outside of the bodies of two shaders that must be the same for a proof."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence

from nirls.ir.model.control_flow import FunctionImpl
from nirls.ir.model.instructions import CallInstr, DerefInstr
from nirls.ir.model.shader import Function, Shader, Variable

_GATHERED = (
    *("flrp_lowered", "io_lowered", "inputs", "outputs", "uniforms", "name", "label", "internal"),
    *("inputs_", "outputs_", "patch_", "per_primitive_", "system_values_", "bit_sizes_", "num_", "textures_"),
    *("images_", "samplers_", "known_interpolation", "needs_", "uses_", "writes_memory", "source_"),
    *("divergence", "perspective_varyings", "linear_varyings", "tcs_cross_", "tcs_same_", "io_", "scratch"),
)
"""Starts of header fields that describe the code, and are gathered from it."""

_REQUESTED = frozenset(("uses_sample_shading",))
"""Fields with such a start that the API may set: this one makes a fragment shader run for each sample."""


def same_surroundings(before: Shader, after: Shader) -> bool:
    """Whether two readable shaders agree in the stage, the header fields that matter, and their interface."""
    if before.stage is not after.stage or any(one.damage or one.unreadable for one in (before, after)):
        return False
    return _header_fields(before) == _header_fields(after) and _declares_alike(before, after)


def bodies(before: Shader, after: Shader) -> tuple[tuple[FunctionImpl, FunctionImpl], ...] | None:
    """Pair the bodies of the functions that run; None if the functions differ."""
    functions = [_functions_that_run(shader) for shader in (before, after)]
    if [_signature(one) for one in functions[0]] != [_signature(one) for one in functions[1]]:
        return None
    return tuple(
        (one.impl, other.impl)
        for one, other in zip(*functions, strict=True)
        if one.impl is not None and other.impl is not None
    )


def ambiguous_names(shaders: Sequence[Shader], impls: Sequence[FunctionImpl]) -> set[str]:
    """Return the names that several variables of a side have."""
    found: set[str] = set()
    for shader, impl in zip(shaders, impls, strict=True):
        names = Counter(variable.name for variable in (*shader.variables, *impl.locals))
        found |= {name for name, times in names.items() if times > 1}
    return found


def declaration(variable: Variable, mode: str) -> Hashable:
    """Return the declaration of a variable, with another mode if that does not matter."""
    return (
        *(variable.name, mode, variable.type_name, variable.interpolation, variable.precision),
        *(variable.qualifiers, variable.access, variable.image_format, variable.location),
        *(variable.driver_location, variable.data, variable.trailing, variable.initializer),
    )


def _functions_that_run(shader: Shader) -> list[Function]:
    """Return the functions that the entry points call, directly or not; all if that is not certain."""
    waiting = [one for one in shader.functions if one.is_entrypoint]
    reached: set[Function] = set()
    while waiting:
        function = waiting.pop()
        if function in reached:
            continue
        reached.add(function)
        for instr in () if function.impl is None else function.impl.instrs():
            if isinstance(instr, CallInstr):
                if instr.is_indirect or instr.callee is None:
                    return shader.functions
                waiting.append(instr.callee)
    return [one for one in shader.functions if one in reached] if reached else shader.functions


def _signature(function: Function) -> Hashable:
    return function.name, function.params, function.is_entrypoint, function.impl is None


def _header_fields(shader: Shader) -> Hashable:
    """Return the fields of the header that affect results."""
    return frozenset(
        (item.key, item.value)
        for item in shader.header
        if item.key in _REQUESTED or not item.key.startswith(_GATHERED)
    )


def _declares_alike(before: Shader, after: Shader) -> bool:
    """Whether inputs and outputs of the same name that both sides access are declared alike.

    A variable that one side accesses, or none, does not matter: each access says what it accesses.
    """
    interfaces = [_accessed_interface(shader) for shader in (before, after)]
    return all(declared == interfaces[1].get(name, declared) for name, declared in interfaces[0].items())


def _accessed_interface(shader: Shader) -> dict[tuple[str, str], Hashable]:
    """Return the declarations of the inputs and outputs that derefs lead to."""
    accessed = (instr.var for instr in shader.instrs() if isinstance(instr, DerefInstr))
    return {
        (variable.mode, variable.name): declaration(variable, variable.mode)
        for variable in accessed
        if variable is not None and variable.mode in ("shader_in", "shader_out")
    }
