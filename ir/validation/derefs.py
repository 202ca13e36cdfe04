"""Checks of derefs: declared variables, modes and types that follow from the parent, and uses.

The rules are those of validate_deref_instr and of the deref cases of validate_intrinsic_instr in Mesa.
A dump has only type names, so struct members are unknown.
"""

from __future__ import annotations

from functools import lru_cache

from nirls.ir.finding import Severity, counted, listed
from nirls.ir.model.glsl_types import (
    array_parts,
    bare_type,
    element_type,
    is_known_not_struct,
    leaf_type,
    without_arrays,
)
from nirls.ir.model.instructions import DerefInstr, Instr, IntrinsicInstr, PhiInstr
from nirls.ir.model.shader import Dialect, Shader
from nirls.ir.model.values import Src
from nirls.ir.validation.reporter import Reporter

_VECTOR_INDEXABLE = frozenset(
    (
        *("ubo", "ssbo", "shared", "global", "push_const", "task_payload", "constant", "mem_constant"),
        *("function_temp", "shader_temp", "node_payload", "node_payload_in"),
        *("shader_out", "system"),  # indices of mesh shaders, system values of kernels
    )
)
_READ_ONLY = frozenset(("shader_in", "uniform", "system", "ubo", "constant", "mem_constant"))
_IO_MODES = ("shader_in", "shader_out")
_NOT_IN_PHIS = frozenset(("shader_in", "shader_out", "uniform"))
# Names of the same mode in other releases.
_MODE_SYNONYMS = {"local": "function_temp", "global": "shader_temp", "": "function_temp"}


def modes_of(deref: DerefInstr) -> frozenset[str]:
    """Return the modes of a deref, by their current names."""
    return _mode_words(deref.mode)


@lru_cache(1024)
def _mode_words(mode: str) -> frozenset[str]:
    words = (word.strip() for word in mode.split("|"))
    return frozenset(_MODE_SYNONYMS.get(word, word) for word in words)


def check_declared(reporter: Reporter) -> None:
    """Report variables of derefs that the dump does not declare.

    A dump that declares nothing of a mode may be a part of one: one warning. From 24.2 on, Mesa prints inputs
    and outputs only at locations from 0 to 127, one for each location and component. A location is -1 until
    GL links the shader, and always for a struct whose members have their own. So any of them may be missing
    in a whole dump too, which is told once as an information. The type of such a variable is that of its
    derefs.
    """
    missing: dict[str, list[DerefInstr]] = {}
    for impl in reporter.shader.impls():
        for deref in impl.instrs():
            if isinstance(deref, DerefInstr) and deref.deref_kind == "var" and deref.var is None:
                missing.setdefault(deref.mode, []).append(deref)
    undeclared_modes: list[DerefInstr] = []
    without_location: list[DerefInstr] = []
    for mode, derefs in missing.items():
        if mode in _IO_MODES:
            derefs = [deref for deref in derefs if is_known_not_struct(without_arrays(deref.type_name))]
        if not _declares_any(reporter.shader, mode):
            undeclared_modes += derefs
        elif mode in _IO_MODES and reporter.shader.dialect is Dialect.MODERN:
            without_location += derefs
        else:
            for deref in derefs:
                place = reporter.place_of_name(deref.span, deref.var_name) if deref.var_name else deref.span
                message = f"{deref.var_name or 'it'} is not declared"
                reporter.report("undeclared-variable", message, place)
    if undeclared_modes:
        _report_undeclared(undeclared_modes, Severity.WARNING, reporter)
    elif without_location:
        _report_undeclared(without_location, Severity.INFORMATION, reporter)


def _declares_any(shader: Shader, mode: str) -> bool:
    """Whether the dump declares a variable of a mode; temporary variables are of one mode."""
    variables = [*shader.variables, *(local for impl in shader.impls() for local in impl.locals)]
    modes = {_MODE_SYNONYMS.get(variable.mode, variable.mode) for variable in variables}
    wanted = _mode_words(mode)
    if any(map(_is_temporary, wanted)):
        return any(map(_is_temporary, modes))
    return not wanted.isdisjoint(modes)


def _report_undeclared(derefs: list[DerefInstr], severity: Severity, reporter: Reporter) -> None:
    names = list(dict.fromkeys(deref.var_name or "a variable" for deref in derefs))
    shown = listed([*names[:3], counted(len(names) - 3, "other")] if len(names) > 4 else names)
    is_modern = reporter.shader.dialect is Dialect.MODERN
    has_io = is_modern and any(deref.mode in _IO_MODES for deref in derefs)
    reason = "; Mesa prints inputs and outputs once they have a location" if has_io else ""
    message = f"{shown} {'is' if len(names) == 1 else 'are'} not declared in this dump{reason}"
    reporter.report("undeclared-variable", message, derefs[0].span, severity=severity)


def check_deref(deref: DerefInstr, reporter: Reporter) -> None:
    """Check a deref, and that it is not a phi source if its mode forbids that."""
    if deref.deref_kind == "var":
        _check_variable(deref, reporter)
    elif deref.deref_kind == "cast":
        _check_cast(deref, reporter)
    else:
        _check_step(deref, reporter)
    if deref.index is not None and deref.const_index is None:
        _check_array_index(deref, deref.index, reporter)
    _check_phi_uses(deref, reporter)


def _check_variable(deref: DerefInstr, reporter: Reporter) -> None:
    variable = deref.var
    if variable is None:
        return  # see `check_declared`
    mode = _MODE_SYNONYMS.get(variable.mode, variable.mode)
    if _are_other_types(deref.type_name, variable.type_name):
        problem = f"{variable.name} has the type {variable.type_name}, not {deref.type_name}"
    elif modes_of(deref) != {mode} and not _are_both_temporary(deref, mode):
        problem = f"{variable.name} has the mode {variable.mode}, not {deref.mode}"
    else:
        return
    related = [(variable.span, f"{variable.name or 'it'} is declared here")]
    reporter.report("bad-deref", problem, deref.span, related=related)


def _are_other_types(one: str, other: str) -> bool:
    """Whether two type names differ, ignoring layout; unknown names match."""
    return one != other and bool(one) and bool(other) and bare_type(one) != bare_type(other)


def _are_both_temporary(deref: DerefInstr, mode: str) -> bool:
    """Whether both modes are temporary; some releases do not print which kind."""
    return _is_temporary(mode) and all(map(_is_temporary, modes_of(deref)))


def _is_temporary(mode: str) -> bool:
    return mode.endswith("_temp")


def _check_cast(deref: DerefInstr, reporter: Reporter) -> None:
    parent = deref.parent_deref
    if parent is not None and not modes_of(deref) & modes_of(parent):
        message = f"cast to {deref.mode} of a deref with the mode {parent.mode}"
        reporter.report("bad-deref", message, deref.span, related=[(parent.span, "the parent deref")])
    facts = dict(deref.cast_info)
    multiple, offset = facts.get("align_mul", 0), facts.get("align_offset", 0)
    if multiple & (multiple - 1):
        reporter.report("bad-alignment", f"align_mul={multiple} is not a power of two", deref.span)
    elif offset and offset >= multiple:
        message = f"align_offset={offset} is not below align_mul={multiple}"
        reporter.report("bad-alignment", message, deref.span)


def _check_step(deref: DerefInstr, reporter: Reporter) -> None:
    """Check a deref with a parent: array element, struct field, pointer arithmetic."""
    source = deref.parent.def_ if deref.parent is not None else None
    if source is None or source.instr is None:
        return
    parent, value = source.instr, deref.def_
    if not isinstance(parent, DerefInstr):
        _report_step("bad-deref", f"{reporter.name_of(source)} is not a deref", deref, parent, reporter)
        return
    parent_name = reporter.name_of(source)
    name = (
        f"deref_{deref.deref_kind}"
        if value is None
        else f"deref_{deref.deref_kind} {reporter.name_of(value)}"
    )
    if deref.mode != parent.mode and modes_of(deref) != modes_of(parent):
        message = f"{name} has the mode {deref.mode}, but its parent {parent_name} has {parent.mode}"
        _report_step("bad-deref", message, deref, parent, reporter)
    if value is not None and value.bit_size != source.bit_size and value.bit_size and source.bit_size:
        message = f"{name} has {value.bit_size} bits, but its parent {parent_name} has {source.bit_size}"
        _report_step("bad-bit-size", message, deref, parent, reporter)
    elif (
        value is not None and value.num_components and source.num_components not in (0, value.num_components)
    ):
        count = f"{value.num_components} component{'s' * (value.num_components != 1)}"
        message = f"{name} has {count}, but its parent {parent_name} has {source.num_components}"
        _report_step("bad-component-count", message, deref, parent, reporter)
    problem = _type_problem(deref, parent)
    if problem:
        _report_step("bad-deref", problem, deref, parent, reporter)


def _report_step(code: str, message: str, deref: DerefInstr, parent: Instr, reporter: Reporter) -> None:
    reporter.report(code, message, deref.span, related=[(parent.span, "the parent is defined here")])


def _type_problem(deref: DerefInstr, parent: DerefInstr) -> str:
    if deref.deref_kind == "struct":
        if is_known_not_struct(parent.type_name):
            return f"{parent.type_name} has no fields"
        return ""
    if deref.deref_kind == "ptr_as_array":
        if parent.deref_kind not in ("array", "ptr_as_array", "cast"):
            return f"ptr_as_array of a {parent.deref_kind} deref"
        return ""
    if not parent.type_name or not deref.type_name:
        return ""
    element = element_type(parent.type_name)
    if element is None:
        is_known = is_known_not_struct(parent.type_name)
        return f"{parent.type_name} has no elements" if is_known else ""
    if array_parts(parent.type_name) is None and not modes_of(deref) & _VECTOR_INDEXABLE:
        return f"components of a {deref.mode} vector have no derefs"
    if _are_other_types(deref.type_name, element):
        return f"an element of {parent.type_name} is {element}, not {deref.type_name}"
    return ""


def _check_array_index(deref: DerefInstr, index: Src, reporter: Reporter) -> None:
    value = deref.def_
    if index.num_components > 1:
        code, problem = "bad-component-count", f"{index.num_components} components"
    elif value is not None and value.bit_size and index.bit_size and index.bit_size != value.bit_size:
        code, problem = "bad-bit-size", f"{index.bit_size} bits, but the deref has {value.bit_size}"
    else:
        return
    name = reporter.name_of(index)
    reporter.report(code, f"index {name} has {problem}", reporter.place_of_name(deref.span, name))


def _check_phi_uses(deref: DerefInstr, reporter: Reporter) -> None:
    value = deref.def_
    if value is None or not modes_of(deref) & _NOT_IN_PHIS:
        return
    for src in value.uses:
        if isinstance(src.owner, PhiInstr):
            name = reporter.name_of(value)
            message = f"{name}, a deref to {deref.mode}, is a phi source"
            place = reporter.place_of_name(src.owner.span, name)
            related = [(deref.span, f"{name} is defined here")]
            reporter.report("bad-deref-use", message, place, related=related)


def check_deref_access(instr: IntrinsicInstr, reporter: Reporter) -> None:
    """Check load_deref, store_deref and copy_deref: vector type, sizes, and writable mode."""
    derefs = [_deref_at(instr, position, reporter) for position in range(2 if "copy" in instr.name else 1)]
    if derefs[0] is None:
        return
    if instr.name in ("store_deref", "copy_deref"):
        _check_writable(instr, derefs[0], reporter)
    if instr.name == "copy_deref":
        if derefs[1] is not None:
            _check_copied_types(instr, derefs[0], derefs[1], reporter)
        return
    _check_vector_access(instr, derefs[0], reporter)


def _deref_at(instr: IntrinsicInstr, position: int, reporter: Reporter) -> DerefInstr | None:
    if position >= len(instr.sources):
        return None
    value = instr.sources[position].def_
    if value is None or value.instr is None:
        return None
    if isinstance(value.instr, DerefInstr):
        return value.instr
    # Where pointers are values, a phi or select of pointers takes the place of a deref.
    name = reporter.name_of(value)
    message = f"{name} is not a deref"
    related = [(value.instr.span, f"{name} is defined here")]
    reporter.report("bad-deref-use", message, reporter.place_of_source(instr, position), related=related)
    return None


def _check_writable(instr: IntrinsicInstr, deref: DerefInstr, reporter: Reporter) -> None:
    # Vertex shaders of old dumps write to inputs.
    if modes_of(deref) <= _READ_ONLY and reporter.shader.dialect is not Dialect.OLD:
        message = f"{instr.name} writes to {deref.mode}"
        related = [(deref.span, "the deref")]
        reporter.report("read-only", message, reporter.place_of_source(instr, 0), related=related)


def _check_copied_types(
    instr: IntrinsicInstr, dest: DerefInstr, source: DerefInstr, reporter: Reporter
) -> None:
    to, from_ = bare_type(dest.type_name), bare_type(source.type_name)
    is_known = is_known_not_struct(to) or is_known_not_struct(from_)
    if to and from_ and to != from_ and is_known:
        reporter.report("bad-deref", f"copy_deref from {from_} to {to}", instr.span)


def _check_vector_access(instr: IntrinsicInstr, deref: DerefInstr, reporter: Reporter) -> None:
    type_ = leaf_type(deref.type_name)
    if type_ is None:
        if array_parts(deref.type_name) is not None:
            message = f"{instr.name} of {deref.type_name}, which is not a vector"
            place = reporter.place_of_source(instr, 0)
            reporter.report("bad-deref", message, place, related=[(deref.span, "the deref")])
        return
    is_load = instr.name == "load_deref"
    value = instr.def_ if is_load else instr.sources[1].def_ if len(instr.sources) > 1 else None
    if value is None:
        return
    width, bits = value.num_components, value.bit_size
    if width and width != type_.num_components:
        code = "bad-component-count"
        message = f"{deref.type_name} has {type_.num_components} components, but the value has {width}"
    elif bits and bits != type_.bit_size and not (type_.base == "bool" and bits == 32):
        code = "bad-bit-size"
        message = f"{deref.type_name} has {type_.bit_size} bits, but the value has {bits}"
    else:
        return
    place = reporter.place_of_dest(instr) if is_load else reporter.place_of_source(instr, 1)
    reporter.report(code, message, place, related=[(deref.span, "the deref")])
