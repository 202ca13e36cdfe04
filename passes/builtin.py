"""The passes that come with nirls, as data: nothing of them is imported before it is used."""

from __future__ import annotations

from nirls.ir.stage import Stage
from nirls.passes.discards import codes as discards
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
    Pass(
        name=discards.DISCARD_IF,
        summary="Make a discard that is alone under an if a conditional discard",
        module="nirls.passes.discards.opt_discard_if",
        stages=frozenset((Stage.FRAGMENT,)),
        codes=(discards.CONDITIONAL_DISCARD,),
    ),
    Pass(
        name=discards.MOVE_DISCARDS,
        summary="Move conditional discards to the top, so that discarded invocations skip the rest",
        module="nirls.passes.discards.opt_move_discards_to_top",
        stages=frozenset((Stage.FRAGMENT,)),
        codes=(discards.MOVABLE_DISCARD, discards.UNMOVABLE_DISCARD),
        options=(discards.DERIVATIVES_SAFE, discards.ONLY_FIRST),
    ),
    Pass(
        name="copy_prop",
        summary="Let the readers of copies read what was copied",
        module="nirls.passes.cleanup.copy_prop",
    ),
    Pass(
        name="opt_dce",
        summary="Remove instructions whose results nothing needs",
        module="nirls.passes.cleanup.opt_dce",
    ),
    Pass(
        name="opt_cse",
        summary="Compute equal values once",
        module="nirls.passes.cleanup.opt_cse",
    ),
    Pass(
        name="opt_constant_folding",
        summary="Compute what has constant operands",
        module="nirls.passes.cleanup.opt_constant_folding",
    ),
)
