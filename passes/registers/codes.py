"""The names of the register passes and of their findings."""

from __future__ import annotations

from nirls.passes.finding import FindingCode, Severity

TO_SSA = "lower_regs_to_ssa"
FROM_SSA = "convert_from_ssa"
COALESCE = "lower_vec_and_coalesce"

COALESCABLE_VECTOR = FindingCode(
    "coalescable-vector", "Vector whose operands could be computed in place", Severity.HINT
)
