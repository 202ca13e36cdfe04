"""The kinds of finding that the varying passes report."""

from __future__ import annotations

from nirls.passes.finding import FindingCode, Severity
from nirls.passes.registry import Option

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

OPT_VARYINGS = "opt_varyings"

PROPAGATABLE_OUTPUT = FindingCode(
    "propagatable-output", "Output that the next stage could compute itself", Severity.INFORMATION
)
DUPLICATE_OUTPUT = FindingCode(
    "duplicate-output", "Output that stores the same as another one", Severity.INFORMATION
)
CONVERGENT_OUTPUT = FindingCode(
    "convergent-output", "Interpolated output that is the same for all vertices", Severity.HINT
)
MOVABLE_EXPRESSION = FindingCode(
    "movable-expression", "Expression that the previous stage could compute", Severity.INFORMATION
)
DERIVABLE_OUTPUT = FindingCode(
    "derivable-output", "Outputs that the next stage could compute from fewer", Severity.INFORMATION
)
PACKING = FindingCode("packing", "Varyings that fit in fewer vec4 slots", Severity.INFORMATION)

MAX_COST = Option(
    "max_cost", -1, "greatest cost of an expression that moves to the next stage (-1: no limit; 1 is an FMA)"
)
SPIRV = Option("spirv", False, "match UBOs of the stages by set and binding instead of by name")
SUPPORTS_16BIT_IO = Option("supports_16bit_io", True, "varyings may have 16 bits")
MAX_UNIFORM_COMPONENTS = Option(
    "max_uniform_components", 4096, "uniform components that a stage may have; beyond, no uniform moves"
)
MAX_UBOS = Option("max_ubos", 15, "uniform buffers that a stage may have; beyond, no load of one moves")
PRESERVE_NANS = Option("preserve_nans", False, "float controls ask to preserve NaNs")
PRESERVE_INFS = Option("preserve_infs", False, "float controls ask to preserve infinities")
FLEXIBLE_INTERPOLATION = Option(
    "flexible_interpolation", False, "inputs of different interpolation may share a vec4"
)
ROTATE_COLORS = Option("rotate_colors", False, "color channels start behind the last VARn channel")
USE_POS = Option("use_pos", True, "POS is the first vec4 between stages before the fragment shader")
PROPAGATE = Option("propagate", True, "do the step: propagation of uniform expressions")
DEDUPLICATE = Option("deduplicate", True, "do the step: removal of duplicate outputs")
MOVE_CODE = Option("move_code", True, "do the step: code motion into the previous stage")
MOVE_FORWARD = Option(
    "move_forward",
    True,
    "do the step: code motion into the next stage, where fewer varyings are sent and it gets no slower",
)
PACK = Option("pack", True, "do the step: packing into vec4 slots")
CLEAN_UP = Option("clean_up", True, "run the clean-up passes on each stage that changed")
