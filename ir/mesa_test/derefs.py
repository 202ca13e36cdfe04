"""C++ for derefs; their values are kept as `nir_deref_instr *`."""

from __future__ import annotations

from nirls.ir.analysis.dominance import dominance
from nirls.ir.mesa_test.code import Code, def_expression, def_name, shown
from nirls.ir.mesa_test.indices import modes_expression
from nirls.ir.mesa_test.types import field_position, type_expression
from nirls.ir.model.control_flow import FunctionImpl
from nirls.ir.model.instructions import DerefInstr, LoadConstInstr
from nirls.ir.model.values import Def, Src
from nirls.ir.text.printing.constants import signed

_POINTER = (1, 32)


def write_deref(instr: DerefInstr, impl: FunctionImpl, code: Code) -> None:
    """Write one deref of a function."""
    value = instr.def_
    if value is None:
        code.refuse("a deref without a value")
        return
    name, call = def_name(value), _call(instr, impl, code)
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


def _call(instr: DerefInstr, impl: FunctionImpl, code: Code) -> str | None:
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
        case "array" | "ptr_as_array":
            index = _index(instr, impl, parent.bit_size)
            if index is not None:
                return f"nir_build_deref_{instr.deref_kind}(b, {above}, {def_expression(index)})"
    return None


def _index(instr: DerefInstr, impl: FunctionImpl, bit_size: int) -> Def | None:
    """Return the index of an array deref.

    A constant one is printed as a number; it is the nearest constant above with that value, which may be in
    any block that dominates the deref.
    """
    if instr.index is not None and instr.index.bit_size == bit_size:
        return instr.index.def_
    block = instr.block
    if instr.const_index is None or block is None:
        return None
    tree = dominance(impl)
    found: Def | None = None
    for other in impl.instrs():
        if other is instr:
            break
        if not isinstance(other, LoadConstInstr) or other.def_ is None or other.block is None:
            continue
        value = other.def_
        if (
            value.bit_size == bit_size
            and value.num_components == 1
            and signed(other.values[0], bit_size) == instr.const_index
            and tree.dominates(other.block, block)
        ):
            found = value
    return found


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
