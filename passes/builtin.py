"""The passes that come with nirls, as data: nothing of them is imported before it is used."""

from __future__ import annotations

from nirls.passes.registry import Pass
from nirls.passes.varyings import codes as varyings

PASSES: tuple[Pass, ...] = (
    Pass(
        name=varyings.NAME,
        summary="Remove outputs that the next stage never reads and inputs that the previous never writes",
        module="nirls.passes.varyings.dead_io",
        scope="pipeline",
        codes=(
            varyings.DEAD_OUTPUT,
            varyings.UNDEFINED_INPUT,
            varyings.UNDEFINED_OUTPUT_LOAD,
            varyings.NO_VARYING_OUTPUT,
            varyings.IO_NOT_LOWERED,
        ),
    ),
)
