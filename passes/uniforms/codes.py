"""The name of the uniform inlining pass, its finding and its options."""

from __future__ import annotations

from nirls.passes.finding import FindingCode, Severity
from nirls.passes.registry import Option

NAME = "inline_uniforms"

INLINABLE_UNIFORM = FindingCode(
    "inlinable-uniform", "Uniform that decides control flow or selections", Severity.INFORMATION
)

BUFFERS = Option(
    "buffers",
    "0,push",
    "which buffers to look for uniforms in: UBO numbers, `push`, SET.BINDING of descriptors, or `all`",
)
LIMIT = Option("limit", 4, "how many 32-bit values may be inlined in one shader (MAX_INLINABLE_UNIFORMS)")
VALUES = Option("set", "", "values to inline, as BUFFER:BYTE=VALUE with commas between; each is 32 bits")
