"""The lines that declare variables, registers and functions."""

from __future__ import annotations

from nirls.ir.model.shader import Dialect, Function, Variable
from nirls.ir.model.values import Register
from nirls.ir.text.printing.style import PrintStyle
from nirls.ir.text.printing.writers import register_name

# Variables of these modes are printed without a word for the mode.
_SILENT_MODES = frozenset(("function_temp", "shader_temp"))


def variable_text(variable: Variable, style: PrintStyle) -> str:
    """A `decl_var` line, without its comment."""
    mode = "" if variable.mode in _SILENT_MODES else variable.mode
    access = " ".join([word for word in variable.access if word != "none"])
    if not access and style.dialect is Dialect.MODERN and style.access_word:
        access = "none"
    details = [
        word for word in (access, variable.image_format, variable.precision, variable.type_name) if word
    ]
    qualifiers = "".join([f"{word} " for word in variable.qualifiers])
    text = f"decl_var {qualifiers}{mode} {variable.interpolation} {' '.join(details)} {variable.name}"
    if variable.location is not None:
        text = f"{text} ({', '.join([variable.location, *variable.data])})"
    for word in variable.trailing:
        text = f"{text} {word}"
    return text if variable.initializer is None else f"{text} = {variable.initializer}"


def register_text(reg: Register) -> str:
    """A `decl_reg` line of old dialects: `decl_reg vec4 32 r0[2]`."""
    name = "" if reg.name is None else f"{reg.name} "
    size = f"[{reg.num_array_elems}]" if reg.num_array_elems else ""
    return f"decl_reg {name}vec{reg.num_components} {reg.bit_size} {register_name(reg)}{size}"


def function_text(function: Function) -> str:
    """A `decl_function` line."""
    return f"decl_function {function.name}{function.text.rstrip()}"
