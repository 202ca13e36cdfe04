"""Clean-up after inlining of constants."""

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
    """Fold, propagate and remove dead code up to a fixed point; return whether the shader changed.

    Algebraic rules and CSE are not applied, so that the change stays small.
    """
    return clean_up(shader, _PASSES)
