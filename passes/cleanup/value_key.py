"""Value numbering keys: equality of computed values (Mesa: nir_instr_set)."""

from __future__ import annotations

from collections.abc import Hashable

from nirls.ir.effects import can_reorder
from nirls.ir.model.instructions import (
    AluInstr,
    DerefInstr,
    Instr,
    IntrinsicInstr,
    LoadConstInstr,
    PhiInstr,
    TexInstr,
)
from nirls.ir.model.math_control import MATH_CONTROL_WORDS
from nirls.ir.model.values import AluSrc
from nirls.ir.tables import opcode


def value_key(instr: Instr) -> Hashable | None:
    """Return a key equal for instructions that compute the same value in any block; None if there is none.

    None for instructions with effects, for results that depend on more than the sources (loads of writable
    memory, cross-lane operations), for undefined values, and for instructions with registers. Instructions
    that differ only in exactness have the same key.
    """

    value = instr.def_
    if value is None:
        return None
    content = _content(instr)
    if content is None:
        return None
    return (type(instr), value.bit_size, value.num_components, content)


def _content(instr: Instr) -> Hashable | None:
    match instr:
        case AluInstr():
            return _alu_content(instr)
        case LoadConstInstr():
            return instr.values
        case DerefInstr():
            return _deref_content(instr)
        case TexInstr():
            return _tex_content(instr)
        case PhiInstr():
            return _phi_content(instr)
        case IntrinsicInstr():
            if not can_reorder(instr) or any(src.def_ is None for src in instr.sources):
                return None
            indices = tuple(instr.indices.items())
            return (instr.name, tuple(src.def_ for src in instr.sources), indices)
    return None


def _alu_content(instr: AluInstr) -> Hashable | None:
    reads = [_alu_read(src) for src in instr.sources]
    if any(read is None for read in reads):
        return None
    entry = opcode(instr.op)
    sources: Hashable = tuple(reads)
    if entry is not None and entry.is_commutative and len(reads) >= 2:
        sources = (frozenset(reads[:2]), tuple(reads[2:]))
    return (instr.op, instr.flags - MATH_CONTROL_WORDS, sources)


def _alu_read(src: AluSrc) -> Hashable | None:
    if src.def_ is None:
        return None
    return (src.def_, src.swizzle, src.negate, src.abs)


def _deref_content(instr: DerefInstr) -> Hashable | None:
    if any(src.def_ is None for src in instr.srcs()):
        return None
    what = (instr.deref_kind, instr.mode, instr.type_name, instr.field, instr.cast_info)
    variable = id(instr.var) if instr.var is not None else instr.var_name
    parent = None if instr.parent is None else instr.parent.def_
    index = instr.constant_index
    if index is None and instr.index is not None:
        return (*what, variable, parent, instr.index.def_)
    return (*what, variable, parent, index)


def _tex_content(instr: TexInstr) -> Hashable | None:
    if any(src.def_ is None for src in instr.sources):
        return None
    reads = frozenset((src.kind, src.def_) for src in instr.sources)
    numbers = (instr.texture_index, instr.sampler_index, instr.component)
    return (instr.op, instr.dest_type, reads, numbers, instr.offsets, instr.flags)


def _phi_content(instr: PhiInstr) -> Hashable | None:
    if any(src.def_ is None for src in instr.sources):
        return None
    return (instr.block, frozenset((src.pred, src.def_) for src in instr.sources))
