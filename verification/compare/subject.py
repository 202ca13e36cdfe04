"""The two sides of a comparison: one shader alone, or linked shaders as a pipeline."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from nirls.ir.analysis.tessellation import CullingRule, culling_rule
from nirls.ir.model.shader import Shader
from nirls.verification.compare.pipelines import compare_pipelines
from nirls.verification.compare.results import Difference, compare_results
from nirls.verification.evaluate.machine import Machine
from nirls.verification.evaluate.pipeline import PipelineResult, run_pipeline
from nirls.verification.evaluate.state.options import RunOptions
from nirls.verification.evaluate.surroundings.environment import Environment
from nirls.verification.evaluate.surroundings.result import OutputKey, ShaderResult


@dataclass(frozen=True, slots=True)
class WhatMatters:
    """Selection of the outputs that count in a comparison.

    `concerns` selects outputs of a shader that runs alone, None for all of them. If `new_outputs_count` is
    false, an output that was not written before may hold anything. If the pass `narrows`, the rounding of
    narrower formats counts, also for what was exact.
    """

    concerns: Callable[[OutputKey], bool] | None = None
    new_outputs_count: bool = True
    narrows: bool = False


@dataclass(frozen=True, slots=True)
class Outcome:
    """Results of one run: of the shaders that ran, and of the last stage (None if it did not run).

    `culling` is the rule for which patches of a control shader are culled, `pipeline` the result of linked
    shaders, None for one that ran alone.
    """

    stages: Sequence[ShaderResult]
    last: ShaderResult | None
    culling: CullingRule
    matters: WhatMatters
    pipeline: PipelineResult | None = None

    def differences(self, after: Outcome, *, float_tolerance: bool) -> list[Difference]:
        """Return the differences of another outcome; values undefined here may be anything there."""
        new_outputs_count = self.matters.new_outputs_count
        if self.pipeline is not None and after.pipeline is not None:
            return compare_pipelines(
                self.pipeline,
                after.pipeline,
                float_tolerance=float_tolerance,
                new_outputs_count=new_outputs_count,
            )
        return compare_results(
            self.stages[0],
            after.stages[0],
            float_tolerance=float_tolerance,
            concerns=self.matters.concerns,
            culling=self.culling,
            new_outputs_count=new_outputs_count,
            narrows=self.matters.narrows,
        )


class Subject:
    """Shaders that are ready to run: one alone, several as a pipeline. Raises `Unsupported`.

    `culling` is the rule for culled patches, as far as the shaders do not state it.
    """

    may_override = True
    """Whether values may be overridden in a run."""

    def __init__(
        self,
        shaders: Sequence[Shader | Machine],
        culling: CullingRule | None = None,
        matters: WhatMatters | None = None,
    ) -> None:
        self.machines = [shader if isinstance(shader, Machine) else Machine(shader) for shader in shaders]
        assumed = culling or CullingRule()
        self.culling = culling_rule(
            [machine.shader for machine in self.machines], assumed.mode, assumed.spacing
        )
        self.matters = matters or WhatMatters()

    def run(self, environment: Environment, lanes: int, options: RunOptions) -> Outcome:
        """Run the shaders; a pipeline chooses its number of invocations itself."""
        if len(self.machines) == 1:
            result = self.machines[0].run(environment, lanes=lanes, options=options)
            return Outcome((result,), result, self.culling, self.matters)
        pipeline_result = run_pipeline(self.machines, environment, options=options, culling=self.culling)
        last = pipeline_result.result_of(pipeline_result.stages[-1])
        return Outcome(pipeline_result.results, last, pipeline_result.culling, self.matters, pipeline_result)


def counted_lanes(before: Outcome, after: Outcome) -> int:
    """Return the number of invocations of the last stage whose results are certain on both sides."""
    shader_result, other = before.last, after.last
    if shader_result is None or other is None:
        return 0
    return int(
        np.count_nonzero(~(shader_result.poisoned | shader_result.fragile | other.poisoned | other.fragile))
    )
