"""The kinds of finding that the varying passes report."""

from __future__ import annotations

from nirls.passes.finding import FindingCode, Severity

NAME = "opt_varyings_dead_io"

DEAD_OUTPUT = FindingCode("dead-output", "Output that nothing reads", Severity.WARNING, unnecessary=True)
UNDEFINED_INPUT = FindingCode(
    "undefined-input", "Input that the previous stage never writes", Severity.WARNING, unnecessary=True
)
UNDEFINED_OUTPUT_LOAD = FindingCode(
    "undefined-output-load",
    "Load of an output that the shader never writes",
    Severity.WARNING,
    unnecessary=True,
)
NO_VARYING_OUTPUT = FindingCode(
    "no-varying-output", "Output that the next stage does not read", Severity.HINT
)
IO_NOT_LOWERED = FindingCode(
    "io-not-lowered", "Varyings not looked at, because I/O is still variables", Severity.INFORMATION
)
