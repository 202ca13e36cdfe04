"""Descriptions of the divergence of values and blocks, within a subgroup and a primitive, with reasons."""

from __future__ import annotations

from functools import cached_property

from nirls.ir.analysis.divergence import (
    DivergenceInfo,
    DivergenceOptions,
    divergence,
    vertex_divergence,
)
from nirls.ir.model.control_flow import Block
from nirls.ir.model.shader import Shader
from nirls.ir.model.stage import Stage
from nirls.ir.model.values import Def

_VERTEX_STAGES = frozenset({Stage.VERTEX, Stage.TESS_CTRL, Stage.TESS_EVAL, Stage.GEOMETRY, Stage.MESH})
_MOST_REASONS = 6


class Convergence:
    """The results of the divergence analyses of a shader, computed on first use."""

    def __init__(self, shader: Shader) -> None:
        self._shader = shader
        self._options = DivergenceOptions.of_dump(shader)

    def of_value(self, value: Def) -> list[str]:
        """Describe a value's divergence: a line for subgroups, and one for primitives in vertex stages."""
        return [_value_line(sense, info, value) for sense, info in self._senses()]

    def of_block(self, block: Block) -> list[str]:
        """Describe whether the block's control flow is uniform in a subgroup; empty for an end block."""
        flag = self._subgroup.is_block_divergent(block)
        if flag is None:
            return []
        return ["subgroup: divergent control flow" if flag else "subgroup: uniform control flow"]

    def is_divergent(self, value: Def) -> bool:
        """Whether the value may differ between invocations of a subgroup."""
        return self._subgroup.is_divergent(value)

    def _senses(self) -> list[tuple[str, DivergenceInfo]]:
        senses = [("subgroup", self._subgroup)]
        if self._shader.stage in _VERTEX_STAGES:
            senses.append(("vertices of a primitive", self._vertex))
        return senses

    @cached_property
    def _subgroup(self) -> DivergenceInfo:
        return divergence(self._shader, self._options)

    @cached_property
    def _vertex(self) -> DivergenceInfo:
        return vertex_divergence(self._shader, self._options)


def _value_line(sense: str, info: DivergenceInfo, value: Def) -> str:
    if not info.is_divergent(value):
        return f"{sense}: **convergent**. {info.why_convergent(value)}".rstrip()
    reasons = [reason.sentence for reason in info.reasons(value)]
    if len(reasons) > _MOST_REASONS:
        reasons = [*reasons[: _MOST_REASONS - 1], "...", reasons[-1]]
    return "\n    1. ".join([f"{sense}: **divergent**", *reasons])
