"""The pass `clean_up`: the clean-up passes in turn, up to a fixed point."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from nirls.ir.finding import Finding
from nirls.ir.model.shader import Shader
from nirls.passes.cleanup.copy_prop import copy_prop
from nirls.passes.cleanup.opt_algebraic import opt_algebraic
from nirls.passes.cleanup.opt_constant_folding import opt_constant_folding
from nirls.passes.cleanup.opt_cse import opt_cse
from nirls.passes.cleanup.opt_dce import opt_dce
from nirls.passes.cleanup.opt_dead_cf import opt_dead_cf
from nirls.passes.cleanup.opt_remove_phis import opt_remove_phis
from nirls.passes.cleanup.opt_undef import opt_undef
from nirls.passes.cleanup.redundancy import (
    COMMON_SUBEXPRESSION,
    DEAD_VALUE,
    FOLDABLE_CONSTANT,
    redundancies,
    remove_redundancy,
)
from nirls.passes.declaration import Change, Pass, changes

SHADER_PASSES: tuple[Callable[[Shader], bool], ...] = (
    copy_prop,
    opt_remove_phis,
    opt_dce,
    opt_dead_cf,
    opt_cse,
    opt_constant_folding,
    opt_algebraic,
    opt_undef,
)
"""In the order in which Mesa's drivers run them."""


@dataclass(frozen=True)
class CleanUp(Pass):
    """Run the clean-up passes until nothing changes any more."""

    name = "clean_up"
    codes = (DEAD_VALUE, COMMON_SUBEXPRESSION, FOLDABLE_CONSTANT)
    default = False

    def apply(self, shader: Shader) -> bool:
        return clean_up(shader)

    def find(self, shaders: Sequence[Shader]) -> Iterable[Finding]:
        for dump, shader in enumerate(shaders):
            yield from redundancies(shader, dump)

    def fix(self, shaders: Sequence[Shader], key: str) -> list[Change]:
        return changes(shaders, lambda copies: [one for one in copies if remove_redundancy(one, key)])


def clean_up(shader: Shader, passes: Sequence[Callable[[Shader], bool]] = SHADER_PASSES) -> bool:
    """Run passes in turn up to a fixed point; return whether any changed the shader.

    Terminates because each pass reduces the number of instructions, or their cost at the same number.
    """
    progress = False
    unchanged = 0
    position = 0
    while unchanged < len(passes):
        if passes[position % len(passes)](shader):
            progress, unchanged = True, 0
        else:
            unchanged += 1
        position += 1
    return progress
