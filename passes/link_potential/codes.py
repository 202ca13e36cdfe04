"""The kind of finding that the pass `link_potential` reports."""

from __future__ import annotations

from nirls.passes.finding import FindingCode, Severity
from nirls.passes.varyings.codes import (
    MAX_COST,
    MAX_UBOS,
    MAX_UNIFORM_COMPONENTS,
    PRESERVE_INFS,
    PRESERVE_NANS,
    SPIRV,
    SUPPORTS_16BIT_IO,
)

NAME = "link_potential"

LINK_POTENTIAL = FindingCode(
    "link-potential", "Separate shader that would gain from being linked", Severity.HINT
)
OPTIONS = (
    MAX_COST,
    SPIRV,
    SUPPORTS_16BIT_IO,
    MAX_UNIFORM_COMPONENTS,
    MAX_UBOS,
    PRESERVE_NANS,
    PRESERVE_INFS,
)
"""The settings of `opt_varyings` that say what a driver and an API allow."""
