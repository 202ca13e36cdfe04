"""The names of the control shader passes, their findings and options."""

from __future__ import annotations

from nirls.passes.finding import FindingCode, Severity
from nirls.passes.registry import Option

RESTRUCTURE = "restructure_tcs_flow"

CULLED_PATCH_WORK = FindingCode(
    "culled-patch-work", "Work that need not be done for a culled patch", Severity.INFORMATION
)
UNSPLITTABLE_CONTROL_SHADER = FindingCode(
    "unsplittable-control-shader", "Control shader that cannot skip work for culled patches", Severity.HINT
)

PRIMITIVE_MODE = Option(
    "primitive_mode",
    "",
    "triangles, quads or isolines, where no evaluation shader is linked; empty for the worst case",
)
SPACING = Option(
    "spacing",
    "",
    "equal, fractional_odd or fractional_even, where no evaluation shader is linked; empty for worst case",
)
