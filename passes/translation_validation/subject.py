"""The two sides of a comparison: one shader alone, or linked shaders as a pipeline."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from nirls.ir.analysis.tessellation import CullingRule, culling_rule
from nirls.ir.evaluate.compare import Difference, compare_results
from nirls.ir.evaluate.environment import Environment
from nirls.ir.evaluate.machine import Machine
from nirls.ir.evaluate.pipeline import PipelineResult, compare_pipelines, run_pipeline
from nirls.ir.evaluate.result import OutputKey, ShaderResult
from nirls.ir.evaluate.state import RunOptions
from nirls.ir.model.shader import Shader


class Outcome(Protocol):
    """Results of one run."""

    @property
    def stages(self) -> Sequence[ShaderResult]:
        """Results of the shaders that ran."""
        ...

    @property
    def last(self) -> ShaderResult | None:
        """Result of the last stage; None if it did not run."""
        ...

    @property
    def culling(self) -> CullingRule:
        """The rule for which patches of a control shader are culled."""
        ...

    def differences(self, after: Outcome, *, float_tolerance: bool) -> list[Difference]:
        """Return the differences of another outcome; values undefined here may be anything there."""
        ...


class Subject(Protocol):
    """Shaders that are ready to run, also with overrides unless `may_override` is false."""

    machines: Sequence[Machine]
    may_override: bool

    def run(self, environment: Environment, lanes: int, options: RunOptions) -> Outcome: ...


@dataclass(frozen=True, slots=True)
class WhatMatters:
    """Selection of the outputs that count in a comparison.

    `concerns` selects outputs of a shader that runs alone, None for all of them. If `new_outputs_count` is
    false, an output that was not written before may hold anything.
    """

    concerns: Callable[[OutputKey], bool] | None = None
    new_outputs_count: bool = True


def subject_of(
    shaders: Sequence[Shader | Machine],
    culling: CullingRule | None = None,
    matters: WhatMatters | None = None,
) -> Subject:
    """Prepare shaders to run: one alone, several as a pipeline. Raises `Unsupported`.

    `culling` is the rule for culled patches, as far as the shaders do not state it.
    """
    machines = [one if isinstance(one, Machine) else Machine(one) for one in shaders]
    assumed = culling or CullingRule()
    rule = culling_rule([machine.shader for machine in machines], assumed.mode, assumed.spacing)
    kind = _Alone if len(machines) == 1 else _Linked
    return kind(machines, rule, matters or WhatMatters())


class _Alone:
    may_override = True

    def __init__(self, machines: Sequence[Machine], culling: CullingRule, matters: WhatMatters) -> None:
        self.machines = machines
        self.culling = culling
        self.matters = matters

    def run(self, environment: Environment, lanes: int, options: RunOptions) -> Outcome:
        result = self.machines[0].run(environment, lanes=lanes, options=options)
        return _OneResult(result, self.culling, self.matters)


class _OneResult:
    def __init__(self, result: ShaderResult, culling: CullingRule, matters: WhatMatters) -> None:
        self.result = result
        self.culling = culling
        self.matters = matters
        self.stages = (result,)
        self.last = result

    def differences(self, after: Outcome, *, float_tolerance: bool) -> list[Difference]:
        return compare_results(
            self.result,
            after.stages[0],
            float_tolerance=float_tolerance,
            concerns=self.matters.concerns,
            culling=self.culling,
            new_outputs_count=self.matters.new_outputs_count,
        )


class _Linked:
    may_override = True

    def __init__(self, machines: Sequence[Machine], culling: CullingRule, matters: WhatMatters) -> None:
        self.machines = machines
        self.culling = culling
        self.matters = matters

    def run(self, environment: Environment, lanes: int, options: RunOptions) -> Outcome:
        result = run_pipeline(self.machines, environment, options=options, culling=self.culling)
        return _PipelineOutcome(result, self.matters)


class _PipelineOutcome:
    def __init__(self, result: PipelineResult, matters: WhatMatters) -> None:
        self.result = result
        self.matters = matters
        self.stages = tuple(result.results)
        self.last = result.result_of(result.stages[-1])
        self.culling = result.culling

    def differences(self, after: Outcome, *, float_tolerance: bool) -> list[Difference]:
        assert isinstance(after, _PipelineOutcome)
        return compare_pipelines(
            self.result,
            after.result,
            float_tolerance=float_tolerance,
            new_outputs_count=self.matters.new_outputs_count,
        )


def counted_lanes(before: Outcome, after: Outcome) -> int:
    """Return the number of invocations of the last stage whose results are certain on both sides."""
    one, other = before.last, after.last
    if one is None or other is None:
        return 0
    return int(np.count_nonzero(~(one.poisoned | one.fragile | other.poisoned | other.fragile)))
