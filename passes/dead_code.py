"""Removal of code that a change made dead, leaving code that was dead before."""

from __future__ import annotations

from collections.abc import Iterable

from nirls.ir.effects import can_eliminate
from nirls.ir.model.instructions import Instr
from nirls.ir.model.values import Def


def remove_with_its_sources(instr: Instr) -> list[Instr]:
    """Remove an instruction and all sources that become dead; return the removed instructions, it first.

    Follows Mesa's `nir_instr_free_and_dce`: the walk starts at the instruction, so code that was dead before
    stays.
    """
    freed = _values_read(instr)
    instr.remove()
    return [instr, *remove_unread(freed)]


def remove_unread(values: Iterable[Def]) -> list[Instr]:
    """Remove the instructions that define unused `values`, and transitively sources that become dead."""
    removed: list[Instr] = []
    work = list(values)
    while work:
        value = work.pop()
        maker = value.instr
        if maker is None or maker.block is None or value.uses or not can_eliminate(maker):
            continue
        work.extend(_values_read(maker))
        maker.remove()
        removed.append(maker)
    return removed


def _values_read(instr: Instr) -> list[Def]:
    return [src.def_ for src in instr.all_srcs() if src.def_ is not None]
