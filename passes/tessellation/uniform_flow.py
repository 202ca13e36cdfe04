"""Uniformity of control flow within a patch."""

from __future__ import annotations

from nirls.ir.analysis.divergence import DivergenceInfo
from nirls.ir.model.control_flow import Block, FunctionImpl, If

_DEEPEST = 64


def all_run_together(info: DivergenceInfo, block: Block) -> bool:
    """Whether no enclosing if or loop is divergent.

    Early returns are not considered. False for blocks nested deeper than 64 levels.
    """
    at = block.parent
    for _ in range(_DEEPEST):
        if at is None or isinstance(at, FunctionImpl):
            return at is not None
        if isinstance(at, If):
            if at.condition.def_ is None or info.is_use_divergent(at.condition):
                return False
        elif info.is_loop_divergent(at):
            return False
        at = at.parent
    return False
