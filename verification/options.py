"""Options of a comparison: the number and kind of its runs."""

from __future__ import annotations

from dataclasses import dataclass, field

from nirls.ir.analysis.assumptions import Assumptions


@dataclass(frozen=True, slots=True)
class VerificationOptions:
    """Number and kind of the inputs to try.

    At least `runs` runs are made, of many draws with different inputs; then runs steered to outcomes of
    comparisons that have not occurred; then up to `most_runs` as long as there are blocks that no run has
    reached, or outputs that were hardly compared. If `runs` equals `most_runs`, exactly that many are made,
    none of them steered. A draw has about `lanes` invocations (pipelines choose their own number). Fewer
    than `least_lanes` valid invocations over all runs give no verdict. `time_budget`, in seconds of CPU
    time, limits the first `runs` and ends the rest; None for no limit. A run that has begun ends only at
    `deadline`, a value of `time.thread_time` that several comparisons may share. `assumptions` are those of
    the pass; inputs that contradict them are not tried. Without `seeks_difference`, no run is made where runs
    cannot show that the shaders are equivalent.
    """

    runs: int = 2
    most_runs: int = 8
    lanes: int = 128
    least_lanes: int = 16
    seed: int = 1
    iteration_limit: int = 2000
    time_budget: float | None = None
    deadline: float | None = None
    assumptions: Assumptions = field(default_factory=Assumptions)
    seeks_difference: bool = True
    proves: bool = True

    @property
    def has_extra_runs(self) -> bool:
        """Whether runs are made besides the first `runs`."""
        return self.most_runs > self.runs
