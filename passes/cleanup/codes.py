"""The findings of the clean-up passes, and their options."""

from __future__ import annotations

from nirls.passes.finding import FindingCode, Severity
from nirls.passes.registry import Option

CLEAN_UP = "clean_up"

DEAD_VALUE = FindingCode("dead-value", "Value that nothing needs", Severity.HINT, unnecessary=True)
COMMON_SUBEXPRESSION = FindingCode("common-subexpression", "Value that was computed before", Severity.HINT)
FOLDABLE_CONSTANT = FindingCode("foldable-constant", "Value that is a constant", Severity.HINT)

LOWER_FFMA = Option(
    "lower_ffma", False, "the driver has no fused multiply-add: dot products become fmul and fadd"
)
LOWER_ALL = Option("lower_all", False, "split every vector phi, also where no source is easily split")
