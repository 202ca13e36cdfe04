"""The name of the barrier pass and of its finding."""

from __future__ import annotations

from nirls.passes.finding import FindingCode, Severity

NAME = "opt_barriers"

NEEDLESS_BARRIER = FindingCode(
    "needless-barrier", "Barrier that orders nothing", Severity.INFORMATION, unnecessary=True
)
