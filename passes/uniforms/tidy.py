"""The clean-up that makes the most of new constants."""

from __future__ import annotations

from nirls.ir.shader import Shader
from nirls.passes.cleanup.copy_prop import copy_prop
from nirls.passes.cleanup.opt_constant_folding import opt_constant_folding
from nirls.passes.cleanup.opt_dce import opt_dce
from nirls.passes.cleanup.opt_dead_cf import opt_dead_cf
from nirls.passes.cleanup.opt_remove_phis import opt_remove_phis

_PASSES = (opt_constant_folding, copy_prop, opt_dead_cf, opt_remove_phis, opt_dce)
_MOST_ROUNDS = 50


def tidy(shader: Shader) -> bool:
    """Fold, propagate and remove until nothing changes any more; returns whether anything did."""
    progress = False
    for _ in range(_MOST_ROUNDS):
        changed = [one(shader) for one in _PASSES]
        if not any(changed):
            break
        progress = True
    return progress
