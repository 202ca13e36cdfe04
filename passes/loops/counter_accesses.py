"""Accesses of arrays that are indexed by the counter of a loop (Mesa: `find_array_access_via_induction`)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from nirls.ir.model.glsl_types import array_parts, leaf_type
from nirls.ir.model.instructions import (
    AluInstr,
    DerefInstr,
    Instr,
    IntrinsicInstr,
    TexInstr,
    constant_of,
)
from nirls.ir.model.values import Def, Src
from nirls.passes.loops.trip_count import LoopShape

_ACCESSES = frozenset(("load_deref", "store_deref", "copy_deref"))
_STEPS = frozenset(("iadd", "fadd", "imul", "fmul", "ishl", "ishr", "ushr", "isub", "fsub"))


@dataclass(frozen=True, slots=True)
class CounterAccess:
    """An array dereference indexed by a counter: the number of elements, and its variable modes."""

    deref: DerefInstr
    length: int
    modes: frozenset[str]
    is_sampler: bool


def accesses_by_counter(shape: LoopShape, instrs: Iterable[Instr]) -> Iterator[CounterAccess]:
    """Yield the arrays that loads, stores, copies and texture instructions of a loop index by a counter."""
    counters = set(_counters(shape))
    for instr in instrs if counters else ():
        is_sampler = isinstance(instr, TexInstr)
        if not is_sampler and not (isinstance(instr, IntrinsicInstr) and instr.name in _ACCESSES):
            continue
        for src in _pointers(instr):
            deref = src.def_instr
            modes = deref.modes if isinstance(deref, DerefInstr) else frozenset()
            while isinstance(deref, DerefInstr):
                parent = deref.parent_deref
                if deref.index is not None and deref.index.def_ in counters and parent is not None:
                    length = _length(parent.type_name)
                    if length:
                        yield CounterAccess(deref, length, modes, is_sampler)
                deref = parent


def _counters(shape: LoopShape) -> Iterator[Def]:
    """Yield header phis that each iteration changes by a constant, and their next values."""
    for phi in shape.header.phis():
        following = None if shape.latch is None else phi.src_for(shape.latch)
        step = None if following is None else following.def_instr
        if phi.def_ is None or not isinstance(step, AluInstr) or step.op not in _STEPS or step.def_ is None:
            continue
        others = [src for src in step.sources if src.def_ is not phi.def_]
        if len(others) == len(step.sources) - 1 and all(constant_of(src.def_) is not None for src in others):
            yield from (phi.def_, step.def_)


def _pointers(instr: Instr) -> Iterator[Src]:
    if isinstance(instr, TexInstr):
        yield from (src for src in instr.sources if src.kind == "sampler_deref")
    elif isinstance(instr, IntrinsicInstr):
        yield from instr.sources[: 2 if instr.name == "copy_deref" else 1]


def _length(type_name: str) -> int:
    parts = array_parts(type_name)
    if parts is not None:
        return parts[1]
    leaf = leaf_type(type_name)
    return 0 if leaf is None else leaf.num_components
