"""Names, findings and options of the passes that take the vertex shader into the control shader."""

from __future__ import annotations

from nirls.passes.finding import FindingCode, Severity
from nirls.passes.registry import Option

INLINE_VS = "inline_vs_in_tcs"
OPTIMIZE_TCS = "optimize_tcs"

INLINABLE_VERTEX_SHADER = FindingCode(
    "inlinable-vertex-shader",
    "Vertex shader that can run inside the control shader",
    Severity.INFORMATION,
)
SKIPPABLE_PATCH_WORK = FindingCode(
    "skippable-patch-work",
    "Work of the vertex and control shaders that culled patches need not do",
    Severity.HINT,
)

PATCH_VERTICES = Option(
    "patch_vertices",
    0,
    "control points of an input patch (0: as many as the control shader writes, unless it reads one beyond)",
)
