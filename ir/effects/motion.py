"""Legality of code motion and elimination (Mesa: `nir_instr_can_reorder`, `nir_opt_dce`)."""

from __future__ import annotations

from nirls.ir.effects.effects import BARRIER_CLASSES, effects_of
from nirls.ir.model.access import CAN_REORDER, VOLATILE
from nirls.ir.model.instructions import (
    AluInstr,
    DerefInstr,
    Instr,
    IntrinsicInstr,
    LoadConstInstr,
    PhiInstr,
    TexInstr,
    UndefInstr,
)
from nirls.ir.model.values import Src
from nirls.ir.tables import intrinsic

READ_ONLY_MODES: frozenset[str] = frozenset(
    ("shader_in", "uniform", "image", "system", "ubo", "constant", "push_const")
)
"""The variable modes, as printed, that no invocation can write (Mesa: `nir_var_read_only_modes`)."""


def can_reorder(instr: IntrinsicInstr) -> bool:
    """Whether an intrinsic depends only on its sources, so that it may be moved and repeated.

    This follows from the table, its access qualifiers, or the mode of a read-only variable (Mesa:
    `nir_intrinsic_can_reorder`).
    """
    access = instr.int_index("access")
    if access & VOLATILE:
        return False
    if access & CAN_REORDER:
        return True
    if instr.name == "load_deref":
        return loads_read_only_variable(instr)
    entry = intrinsic(instr.name)
    return entry is not None and entry.can_eliminate and entry.can_reorder


def loads_read_only_variable(instr: IntrinsicInstr) -> bool:
    """Whether the first source is a deref all of whose modes are read-only."""
    return bool(instr.sources) and is_read_only(instr.sources[0])


def is_read_only(address: Src) -> bool:
    """Whether an address is a deref all of whose modes are read-only."""
    deref = address.def_instr
    return isinstance(deref, DerefInstr) and deref.modes <= READ_ONLY_MODES


def can_eliminate(instr: Instr) -> bool:
    """Whether an instruction has no effect besides its def (Mesa: `is_live` of nir_opt_dce)."""
    if instr.reg_dest is not None:
        return False
    if isinstance(instr, IntrinsicInstr):
        entry = intrinsic(instr.name)
        return entry is not None and entry.can_eliminate and not instr.int_index("access") & VOLATILE
    return isinstance(instr, AluInstr | LoadConstInstr | UndefInstr | TexInstr | DerefInstr | PhiInstr)


def depends_on_when_it_runs(instr: Instr) -> bool:
    """Whether an intrinsic reads memory that other invocations may write concurrently."""
    if not isinstance(instr, IntrinsicInstr) or instr.int_index("access") & CAN_REORDER:
        return False
    return any(
        access.reads and not access.memories.isdisjoint(BARRIER_CLASSES)
        for access in effects_of(instr).accesses
    )
