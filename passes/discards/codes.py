"""The names of the discard passes and of their findings."""

from __future__ import annotations

from nirls.passes.finding import FindingCode, Severity
from nirls.passes.registry import Option

DISCARD_IF = "opt_discard_if"
MOVE_DISCARDS = "opt_move_discards_to_top"

CONDITIONAL_DISCARD = FindingCode("conditional-discard", "Discard that needs no if of its own", Severity.HINT)
MOVABLE_DISCARD = FindingCode(
    "movable-discard", "Discard that could run before other work", Severity.INFORMATION
)
UNMOVABLE_DISCARD = FindingCode("unmovable-discard", "Discard that cannot move up", Severity.HINT)

DERIVATIVES_SAFE = Option(
    "derivatives_safe_after_discard",
    False,
    "the driver keeps discarded invocations as helpers, so that derivatives behind a discard are defined",
)
ONLY_FIRST = Option(
    "only_first",
    False,
    "move only the first discard of a function that can move, as Mesa 22.3 does",
)
