"""The names of the register passes and of their findings."""

from __future__ import annotations

TO_SSA = "lower_regs_to_ssa"
FROM_SSA = "convert_from_ssa"
