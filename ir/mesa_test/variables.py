"""C++ that declares variables with their modes, locations, qualifiers and initial values."""

from __future__ import annotations

import re
from typing import Final

from nirls.ir.mesa_test.access import access_expression
from nirls.ir.mesa_test.code import Code, c_string
from nirls.ir.mesa_test.initializers import write_initializer
from nirls.ir.mesa_test.types import type_expression
from nirls.ir.model.access import access_bits
from nirls.ir.model.glsl_types import opaque_kind, without_arrays
from nirls.ir.model.instructions import DerefInstr
from nirls.ir.model.shader import Shader, Variable
from nirls.ir.model.stage import Stage

MODES: Final = {
    "shader_in": "nir_var_shader_in",
    "shader_out": "nir_var_shader_out",
    "uniform": "nir_var_uniform",
    "ubo": "nir_var_mem_ubo",
    "system": "nir_var_system_value",
    "ssbo": "nir_var_mem_ssbo",
    "shared": "nir_var_mem_shared",
    "global": "nir_var_mem_global",
    "push_const": "nir_var_mem_push_const",
    "constant": "nir_var_mem_constant",
    "image": "nir_var_image",
    "shader_temp": "nir_var_shader_temp",
    "function_temp": "nir_var_function_temp",
    "shader_call_data": "nir_var_shader_call_data",
    "ray_hit_attrib": "nir_var_ray_hit_attrib",
    "task_payload": "nir_var_mem_task_payload",
    "node_payload": "nir_var_mem_node_payload",
    "node_payload_in": "nir_var_mem_node_payload_in",
}
"""The modes of variables by the words that are printed."""

_QUALIFIERS: Final = {
    "bindless": "bindless",
    "centroid": "centroid",
    "sample": "sample",
    "patch": "patch",
    "invariant": "invariant",
    "per_view": "per_view",
    "per_primitive": "per_primitive",
    "ray_query": "ray_query",
    "fb_fetch_output": "fb_fetch_output",
}
_PRECISIONS: Final = {
    "highp": "GLSL_PRECISION_HIGH",
    "mediump": "GLSL_PRECISION_MEDIUM",
    "lowp": "GLSL_PRECISION_LOW",
}
# The printer numbers variables without a name, and those whose name is taken.
_UNNAMED = re.compile(r"#\d+\Z")
_TAKEN = re.compile(r"(.+)#\d+\Z")
_LETTERS = ("xyzw", "abcdefghijklmnop")


def declare_variables(code: Code) -> None:
    """Write the declarations of the variables of the shader, in printed order."""
    for variable in code.shader.variables:
        mode = MODES.get(variable.mode or "shader_temp")
        if mode is None:
            code.refuse(f"the variable {variable.name} of mode {variable.mode}")
            continue
        if variable.mode == "function_temp":
            mode = MODES["shader_temp"]
        create = f"nir_variable_create(b->shader, {mode}"
        _declare(variable, create, code)
        _set_interpolation(variable, code)
        _set_data(variable, code)
    if code.shader.variables:
        code.line()


def declare_unprinted(shader: Shader) -> None:
    """Add the inputs and outputs that derefs name and the dump does not declare, in place.

    Mesa's printer leaves out those without a location, such as a struct before it is split.
    """
    added: dict[str, Variable] = {}
    for instr in shader.instrs():
        if not isinstance(instr, DerefInstr) or instr.deref_kind != "var" or instr.var is not None:
            continue
        if instr.mode not in ("shader_in", "shader_out") or not instr.var_name:
            continue
        variable = added.get(instr.var_name)
        if variable is None:
            variable = added[instr.var_name] = Variable(
                instr.var_name,
                instr.mode,
                instr.type_name,
                interpolation=_default_interpolation(instr.mode, shader.stage),
                location="~0",
            )
        instr.var = variable
    shader.variables += added.values()


def declare_locals(variables: list[Variable], code: Code) -> None:
    """Write the declarations of the variables of a function."""
    for variable in variables:
        _declare(variable, "nir_local_variable_create(b->impl", code)
        _set_data(variable, code)
    if variables:
        code.line()


def _declare(variable: Variable, create: str, code: Code) -> None:
    name = code.variables[variable] = code.identifier(variable.name, "var")
    taken = _TAKEN.match(variable.name)
    text = "NULL" if _UNNAMED.match(variable.name) else c_string(taken.group(1) if taken else variable.name)
    code.line(f"nir_variable *{name} =")
    with code.indented():
        code.line(f"{create}, {type_expression(variable.type_name, code)}, {text});")


def _set_interpolation(variable: Variable, code: Code) -> None:
    """Set the interpolation if it is not what `nir_variable_create` chooses for the mode and stage."""
    if variable.interpolation != _default_interpolation(variable.mode, code.shader.stage):
        code.line(f"{code.variables[variable]}->data.interpolation = {code.word(variable.interpolation)};")


def _default_interpolation(mode: str, stage: Stage | None) -> str:
    is_varying = (mode == "shader_in" and stage is not Stage.VERTEX) or (
        mode == "shader_out" and stage is not Stage.FRAGMENT
    )
    return "INTERP_MODE_SMOOTH" if is_varying else "INTERP_MODE_NONE"


def _set_data(variable: Variable, code: Code) -> None:
    name = code.variables[variable]

    def assign(member: str, value: str) -> None:
        code.line(f"{name}->data.{member} = {value};")

    for word in variable.qualifiers:
        if word in _QUALIFIERS:
            assign(_QUALIFIERS[word], "true")
        else:
            code.refuse(f"the qualifier {word} of {variable.name}")
    words = [word for word in variable.access if word != "none"]
    if words:
        bits = access_bits("|".join(words))
        if bits is None:
            code.refuse(f"the access {' '.join(words)} of {variable.name}")
        else:
            assign("access", access_expression(bits, code))
    if variable.image_format not in (None, "none") or (
        variable.image_format is not None and opaque_kind(without_arrays(variable.type_name)) != "image"
    ):
        assign("image.format", format_expression(code.word(variable.image_format)))
    if variable.precision is not None:
        word = variable.precision
        assign("precision", _PRECISIONS.get(word) or code.refuse(f"the precision {word} of {variable.name}"))
    _set_location(variable, code)
    for word in variable.trailing:
        if word == "compact":
            assign("compact", "true")
        else:
            code.refuse(f"the qualifier {word} of {variable.name}")
    if variable.initializer is not None:
        write_initializer(variable, name, code)


def format_expression(short_name: str) -> str:
    """Return the `pipe_format` of a printed short name."""
    return f"PIPE_FORMAT_{short_name.upper()}"


def _set_location(variable: Variable, code: Code) -> None:
    if variable.location is None:
        return
    name = code.variables[variable]
    slot, _, letters = variable.location.partition(".")
    location = "-1" if slot in ("~0", "UNKNOWN") else code.word(slot)
    if location != "0":
        code.line(f"{name}->data.location = {location};")
    if letters:
        first = next((alphabet.index(letters[0]) for alphabet in _LETTERS if letters[0] in alphabet), None)
        if first is None:
            code.refuse(f"the components {letters} of {variable.name}")
        elif first:
            code.line(f"{name}->data.location_frac = {first};")
    for member, text in zip(("driver_location", "binding"), variable.data, strict=False):
        if not text.isdecimal():
            code.refuse(f"the {member} {text} of {variable.name}")
        elif int(text):
            code.line(f"{name}->data.{member} = {text};")
    if len(variable.data) > 2:
        code.refuse(f"the data {', '.join(variable.data[2:])} of {variable.name}")
