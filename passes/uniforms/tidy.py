"""The clean-up that makes the most of new constants."""

from __future__ import annotations

from nirls.ir.model.shader import Shader
from nirls.passes.cleanup.clean_up import clean_up
from nirls.passes.cleanup.copy_prop import copy_prop
from nirls.passes.cleanup.opt_constant_folding import opt_constant_folding
from nirls.passes.cleanup.opt_dce import opt_dce
from nirls.passes.cleanup.opt_dead_cf import opt_dead_cf
from nirls.passes.cleanup.opt_remove_phis import opt_remove_phis

_PASSES = (opt_constant_folding, copy_prop, opt_dead_cf, opt_remove_phis, opt_dce)


def tidy(shader: Shader) -> bool:
    """Fold, propagate and remove until nothing changes any more; returns whether anything did.

    Rules of algebra and common subexpressions are left alone, so that the change stays small.
    """
    return clean_up(shader, _PASSES)
