"""The pass `opt_undef`: simplification of instructions with undefined sources (Mesa: nir_opt_undef)."""

from __future__ import annotations

from dataclasses import dataclass

from nirls.ir.io.access import captures
from nirls.ir.model.instructions import AluInstr, Instr, IntrinsicInstr, UndefInstr, is_undef
from nirls.ir.model.shader import Shader
from nirls.ir.model.values import AluSrc, Def
from nirls.ir.tables import opcode
from nirls.ir.tables.families import MOVES, VECTORS
from nirls.passes.cleanup.constants import become_constant, replace_instr
from nirls.passes.declaration import Pass

_STORED_SOURCE = {
    "store_deref": 1,
    "store_global": 0,
    "store_output": 0,
    "store_per_primitive_output": 0,
    "store_per_vertex_output": 0,
    "store_scratch": 0,
    "store_shared": 0,
    "store_ssbo": 0,
}
_NAN = {16: 0x7E00, 32: 0x7FC00000, 64: 0x7FF8000000000000}


@dataclass(frozen=True)
class OptUndef(Pass):
    """Simplify instructions with undefined sources."""

    name = "opt_undef"

    def apply(self, shader: Shader) -> bool:
        return opt_undef(shader)


def opt_undef(shader: Shader) -> bool:
    """Simplify instructions with undefined sources.

    A selection with an undefined branch becomes the other one, a vector of undefined components becomes
    undefined, and undefined components are removed from stores. An undefined value with only arithmetic uses
    becomes NaN if it is read as a float (so that the results are NaN too), else 0.
    """
    progress = False
    for instr in shader.instrs():
        progress |= _simplify(instr)
    return progress


def _simplify(instr: Instr) -> bool:
    if isinstance(instr, UndefInstr):
        return _choose_constant(instr)
    if isinstance(instr, AluInstr):
        return _take_defined_branch(instr) or _undefine_vector(instr)
    if isinstance(instr, IntrinsicInstr):
        return _store_less(instr)
    return False


def _take_defined_branch(instr: AluInstr) -> bool:
    entry = opcode(instr.op)
    if entry is None or not entry.is_selection or len(instr.sources) != 3 or "sat" in instr.flags:
        return False
    for taken, other in ((instr.sources[2], instr.sources[1]), (instr.sources[1], instr.sources[2])):
        if not is_undef(other.def_) or taken.def_ is None or taken.negate or taken.abs:
            continue
        instr.become("mov", [AluSrc(taken.def_, taken.swizzle)])
        return True
    return False


def _undefine_vector(instr: AluInstr) -> bool:
    value = instr.def_
    if instr.op not in MOVES and instr.op not in VECTORS:
        return False
    if value is None or not all(is_undef(src.def_) for src in instr.sources):
        return False
    replace_instr(instr, UndefInstr(), value.divergent)
    return True


def _store_less(instr: IntrinsicInstr) -> bool:
    position = _STORED_SOURCE.get(instr.name)
    mask = instr.indices.get("write_mask")
    if position is None or position >= len(instr.sources) or not isinstance(mask, int):
        return False
    if captures(instr):
        return False  # the store carries the transform feedback layout
    left = mask & ~_undefined_components(instr.sources[position].def_)
    if left == mask:
        return False
    if not left:
        instr.remove()
    else:
        instr.indices["write_mask"] = left
    return True


def _undefined_components(value: Def | None) -> int:
    if value is None:
        return 0
    maker = value.instr
    if isinstance(maker, UndefInstr):
        return (1 << value.num_components) - 1
    if not isinstance(maker, AluInstr) or maker.op not in VECTORS:
        return 0
    return sum(1 << component for component, src in enumerate(maker.sources) if is_undef(src.def_))


def _choose_constant(instr: UndefInstr) -> bool:
    """Replace an undefined value by a constant if all its uses, also through copies, are arithmetic."""
    value = instr.def_
    if value is None:
        return False
    seen: set[Def] = {value}
    work = [value]
    is_computed_with = is_float = False
    while work:
        for src in work.pop().uses:
            user = src.owner
            if not isinstance(user, AluInstr) or not isinstance(src, AluSrc):
                # For conditions, phis and stores, an undef allows more optimization than a constant.
                return False
            if user.op in MOVES or user.op in VECTORS:
                if user.def_ is not None and user.def_ not in seen:
                    seen.add(user.def_)
                    work.append(user.def_)
                continue
            kind = _reading_type(user, src)
            is_computed_with |= kind is not None
            is_float |= kind is not None and kind.startswith("float")
    if not is_computed_with:
        return False
    bits = _NAN.get(value.bit_size, 0) if is_float else 0
    become_constant(instr, (bits,) * value.num_components)
    return True


def _reading_type(user: AluInstr, src: AluSrc) -> str | None:
    """Return the type as which an operation reads a source; None if it only copies it."""
    entry = opcode(user.op)
    position = next(number for number, source in enumerate(user.sources) if source is src)
    if entry is None or position >= entry.num_inputs:
        return "uint"
    if entry.is_selection and position:
        return None
    return entry.input_types[position]
