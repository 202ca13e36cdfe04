"""Inference of a def's number type from its uses."""

from __future__ import annotations

from nirls.ir.model.instructions import (
    AluInstr,
    DerefInstr,
    IntrinsicInstr,
    LoadConstInstr,
    PhiInstr,
    TexInstr,
)
from nirls.ir.model.values import AluSrc, Def, Src, TexSrc
from nirls.ir.tables import opcode
from nirls.ir.tables.entries import base_type
from nirls.ir.tables.families import VECTORS

_LOOK_AT_MOST = 64
_PASS_ON = VECTORS | {"mov"}
_INDICES = frozenset({"texture_offset", "sampler_offset", "ms_index", "offset", "plane"})
_COMPARES_WITH_ZERO = frozenset({"ine", "ieq", "ine32", "ieq32"})


def wanted_base(value: Def | None, declared: str = "") -> str:
    """Return `float`, `int`, `uint` or `bool`: the type of the first typed use, else `float`.

    A value that is declared or used both as a float and as an integer is `mixed`. The type of a store
    counts only if there is no other use.
    """
    wanted, stored = declared, ""
    seen = set() if value is None else {value}
    work = list(seen)
    while work and len(seen) < _LOOK_AT_MOST:
        current = work.pop(0)
        for src in current.uses:
            owner = src.owner
            if isinstance(owner, AluInstr) and isinstance(src, AluSrc):
                found = _by_alu(owner, src)
            elif isinstance(owner, IntrinsicInstr):
                found = _by_intrinsic(owner, src is owner.sources[0])
            elif isinstance(owner, DerefInstr):
                found = "int" if src is owner.index else None
            elif isinstance(owner, TexInstr):
                found = "int" if isinstance(src, TexSrc) and src.kind in _INDICES else None
            else:
                found = None
            if found is not None:
                if isinstance(owner, IntrinsicInstr) and src is owner.sources[0]:
                    stored = stored or found
                else:
                    wanted = _joined(wanted, found)
                continue
            if not isinstance(owner, AluInstr | PhiInstr) or owner.def_ is None or owner.def_ in seen:
                continue
            if isinstance(owner, PhiInstr) or _selects_or_copies(owner, src):
                seen.add(owner.def_)
                work.append(owner.def_)
        if wanted == "mixed":
            break
    return wanted or stored or "float"


def _joined(first: str, other: str) -> str:
    if not first or first == other:
        return other
    is_mixed = "float" in (first, other) and not {"int", "uint", "mixed"}.isdisjoint((first, other))
    return "mixed" if is_mixed else first


def _selects_or_copies(instr: AluInstr, src: Src) -> bool:
    entry = opcode(instr.op)
    selects = entry is not None and entry.is_selection
    return instr.op in _PASS_ON or (selects and src is not instr.sources[0])


def _by_alu(instr: AluInstr, src: AluSrc) -> str | None:
    if instr.op in _PASS_ON:
        return None
    entry = opcode(instr.op)
    position = next((number for number, own in enumerate(instr.sources) if own is src), 0)
    if entry is None or position >= len(entry.input_types):
        return None
    if entry.is_selection and position > 0:
        return None
    if instr.op in _COMPARES_WITH_ZERO and _is_zero(instr.sources[1 - position]):
        return "bool"
    return base_type(entry.input_types[position]) or None


def _is_zero(src: AluSrc) -> bool:
    origin = src.def_instr
    return isinstance(origin, LoadConstInstr) and not any(origin.values)


def _by_intrinsic(instr: IntrinsicInstr, is_first: bool) -> str | None:
    kind = instr.indices.get("src_type")
    if is_first and isinstance(kind, str) and instr.name.startswith("store"):
        return base_type(kind) or None
    return None if is_first else "int"
