"""C++ for derefs; their values are kept as `nir_deref_instr *`."""

from __future__ import annotations

from nirls.ir.mesa_test.code import Code, def_name, shown
from nirls.ir.mesa_test.indices import modes_expression
from nirls.ir.mesa_test.types import field_position, type_expression
from nirls.ir.model.instructions import DerefInstr
from nirls.ir.model.values import Src

_POINTER = (1, 32)


def write_deref(instr: DerefInstr, code: Code) -> None:
    """Write one deref."""
    value = instr.def_
    if value is None:
        code.refuse("a deref without a value")
        return
    name, call = def_name(value), _call(instr, code)
    if call is None:
        code.refuse(f"the deref {shown(instr)}")
        return
    code.line(f"nir_deref_instr *{name} = {call};")
    made = _made_shape(instr)
    if value.bit_size != made[1]:
        code.line(f"{name}->def.bit_size = {value.bit_size};")
    if value.num_components != made[0]:
        code.line(f"{name}->def.num_components = {value.num_components};")


def _made_shape(instr: DerefInstr) -> tuple[int, int]:
    """Return the components and the bit size that the builder gives the pointer."""
    if instr.deref_kind == "var" or instr.parent is None:
        return _POINTER
    return instr.parent.num_components, instr.parent.bit_size


def _call(instr: DerefInstr, code: Code) -> str | None:
    if instr.deref_kind == "var":
        name = None if instr.var is None else code.variables.get(instr.var)
        return None if name is None else f"nir_build_deref_var(b, {name})"
    parent = instr.parent
    if parent is None or parent.def_ is None:
        return None
    if instr.deref_kind == "cast":
        return _cast(instr, parent, code)
    if instr.parent_deref is None:
        return None
    above = def_name(parent.ssa)
    match instr.deref_kind:
        case "array_wildcard":
            return f"nir_build_deref_array_wildcard(b, {above})"
        case "struct":
            position = field_position(instr.parent_deref.type_name, instr.field or "", code)
            return f"nir_build_deref_struct(b, {above}, {position})"
        case "array" | "ptr_as_array" if instr.index is not None:
            return f"nir_build_deref_{instr.deref_kind}(b, {above}, {code.value(instr.index)})"
    return None


def _cast(instr: DerefInstr, parent: Src, code: Code) -> str:
    facts = dict(instr.cast_info)
    arguments = [
        "b",
        code.value(parent),
        modes_expression(instr.mode, code),
        type_expression(instr.type_name, code),
        str(facts.get("ptr_stride", 0)),
    ]
    alignment = facts.get("align_mul", 0), facts.get("align_offset", 0)
    if any(alignment):
        return f"nir_build_deref_cast_with_alignment({', '.join([*arguments, *map(str, alignment)])})"
    return f"nir_build_deref_cast({', '.join(arguments)})"
