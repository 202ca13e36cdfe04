"""Inference of constant types, so that a dump shows them as floats or as integers.

The rule is that of Mesa's nir_gather_types: opcodes, texture and I/O instructions define types; moves,
vectors, selections and phis propagate them in both directions, except that a constant or an undefined
value only receives them.
"""

from __future__ import annotations

from nirls.ir.model.instructions import (
    AluInstr,
    Instr,
    IntrinsicInstr,
    LoadConstInstr,
    PhiInstr,
    TexInstr,
    UndefInstr,
)
from nirls.ir.model.values import Def, Src
from nirls.ir.tables.entries import base_type
from nirls.ir.tables.families import VECTORS
from nirls.ir.text.printing.constants import FLOAT, INTEGER
from nirls.ir.text.printing.source_types import (
    alu_types,
    intrinsic_dest_type,
    intrinsic_src_type,
    tex_src_type,
)

_BOTH = FLOAT | INTEGER
_BITS = {"float": FLOAT, "int": INTEGER, "uint": INTEGER, "bool": INTEGER, "": 0}
_SELECTIONS = frozenset(("bcsel", "b32csel"))
_COPIES = VECTORS | {"mov"}


class ConstantTypes:
    """Infers the types of values on demand, visiting only connected values."""

    __slots__ = ("_groups", "_known")

    def __init__(self) -> None:
        self._known: dict[Def, int] = {}
        # Types of each value that propagates types; values that copy each other share them.
        self._groups: dict[Def, int] = {}

    def of(self, value: Def) -> int:
        """Return the set of `FLOAT` and `INTEGER` that a constant is used as."""
        known = self._known.get(value)
        if known is not None:
            return known
        bits = 0
        for src in value.uses:
            owner = src.owner
            if not isinstance(owner, Instr):
                continue
            bits |= self._group(owner.def_) if _passes_on(owner, src) else _typed_use(owner, src)
            if bits == _BOTH:
                break
        self._known[value] = bits
        return bits

    def _group(self, start: Def | None) -> int:
        """Return the types of the group of values connected to `start` by copies."""
        if start is None:
            return 0
        known = self._groups.get(start)
        if known is not None:
            return known
        bits = 0
        seen = {start: None}
        work = [start]
        while work:
            value = work.pop()
            producer = value.instr
            if producer is not None:
                if _copies(producer):
                    for src in _copied_srcs(producer):
                        if src.def_ is not None and not _is_sink(src.def_) and src.def_ not in seen:
                            seen[src.def_] = None
                            work.append(src.def_)
                else:
                    bits |= _produced_type(producer)
            for src in value.uses:
                owner = src.owner
                if not isinstance(owner, Instr):
                    continue
                if not _passes_on(owner, src):
                    bits |= _typed_use(owner, src)
                elif owner.def_ is not None and owner.def_ not in seen:
                    seen[owner.def_] = None
                    work.append(owner.def_)
        for value in seen:
            self._groups[value] = bits
        return bits


def _is_sink(value: Def) -> bool:
    return isinstance(value.instr, LoadConstInstr | UndefInstr)


def _copies(instr: Instr) -> bool:
    if isinstance(instr, AluInstr):
        return instr.op in _COPIES or instr.op in _SELECTIONS
    return isinstance(instr, PhiInstr)


def _copied_srcs(instr: Instr) -> list[Src]:
    srcs = list(instr.srcs())
    return srcs[1:] if isinstance(instr, AluInstr) and instr.op in _SELECTIONS else srcs


def _passes_on(owner: Instr, src: Src) -> bool:
    """Return whether the src becomes (part of) the instruction's value unchanged."""
    if isinstance(owner, PhiInstr):
        return True
    if not isinstance(owner, AluInstr):
        return False
    op = owner.op
    return op in _COPIES or (op in _SELECTIONS and bool(owner.sources) and owner.sources[0] is not src)


def _typed_use(owner: Instr, src: Src) -> int:
    if isinstance(owner, AluInstr):
        if owner.op in _SELECTIONS:
            return INTEGER
        types = alu_types(owner.op)
        if types is None:
            return 0
        for position, slot in enumerate(owner.sources):
            if slot is src:
                return _BITS[types[0][position]] if position < len(types[0]) else 0
        return 0
    if isinstance(owner, IntrinsicInstr):
        for position, operand in enumerate(owner.sources):
            if operand is src:
                return _BITS[intrinsic_src_type(owner, position)]
        return 0
    if isinstance(owner, TexInstr):
        return next((_BITS[tex_src_type(owner, item.kind)] for item in owner.sources if item is src), 0)
    return 0


def _produced_type(instr: Instr) -> int:
    if isinstance(instr, AluInstr):
        types = alu_types(instr.op)
        return 0 if types is None else _BITS[types[1]]
    if isinstance(instr, IntrinsicInstr):
        return _BITS[intrinsic_dest_type(instr)]
    if isinstance(instr, TexInstr):
        return _BITS[base_type(instr.dest_type)]
    return 0
