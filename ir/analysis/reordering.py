"""Which intrinsics may run at another place, and any number of times, with the same result."""

from __future__ import annotations

from nirls.ir.model.access import CAN_REORDER, VOLATILE
from nirls.ir.model.instructions import DerefInstr, IntrinsicInstr
from nirls.ir.tables import intrinsic

READ_ONLY_MODES: frozenset[str] = frozenset(
    ("shader_in", "uniform", "image", "system", "ubo", "constant", "push_const")
)
"""The variable modes, as printed, that no invocation can write (Mesa: `nir_var_read_only_modes`)."""


def can_reorder(instr: IntrinsicInstr) -> bool:
    """Whether an intrinsic depends on nothing but its sources (Mesa: `nir_intrinsic_can_reorder`).

    That is so by the table, by its access qualifiers, or because it loads a variable that is never written.
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
    value = instr.sources[0].def_ if instr.sources else None
    deref = None if value is None else value.instr
    if not isinstance(deref, DerefInstr):
        return False
    modes = deref.mode.split("|")
    return bool(deref.mode) and READ_ONLY_MODES.issuperset(mode.strip() for mode in modes)
