"""Verdicts: equivalent on all runs, different with a counterexample, or unchecked with a reason."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field

_INPUTS_SHOWN = 24
_SHOWN = 8


@dataclass(frozen=True, slots=True)
class InputCoverage:
    """Coverage of the runs of a comparison.

    `comparisons` counts those that ran on either side; of these, `all_sides` came out less, equal and
    greater. Of `places` (float inputs and words of memory), `special_places` held NaN, both infinities,
    both zeros and a denormal at least once; `nans` held NaN. Of `indices` that are computed,
    `indices_at_bounds` were both the first and the last in bounds. `branches` are the sides of ifs,
    `branches_run` those that ran; `loops_0_1_many` of `loops` were left after 0, 1 and more rounds.
    `overridden` outcomes, of comparisons and branches, were reached only by setting a value on both sides
    alike. `subgroup_sizes` are those that were run, if they matter. `not_met` names what is missing.
    """

    comparisons: int = 0
    all_sides: int = 0
    places: int = 0
    special_places: int = 0
    nans: int = 0
    indices: int = 0
    indices_at_bounds: int = 0
    branches: int = 0
    branches_run: int = 0
    loops: int = 0
    loops_0_1_many: int = 0
    overridden: int = 0
    subgroup_sizes: tuple[int, ...] = ()
    not_met: tuple[str, ...] = ()

    def __str__(self) -> str:
        parts = []
        if self.comparisons:
            parts.append(f"{self.all_sides} of {self.comparisons} comparisons met on all three sides")
        if self.overridden:
            parts.append(f"{self.overridden} outcomes by overriding values")
        if self.places:
            parts.append(f"NaN in {self.nans} of {self.places} inputs")
        if self.indices:
            parts.append(f"{self.indices_at_bounds} of {self.indices} indices met both bounds")
        if self.branches:
            parts.append(f"{self.branches_run} of {self.branches} branches run")
        if self.loops:
            parts.append(f"{self.loops_0_1_many} of {self.loops} loops run 0, 1 and many times")
        if self.subgroup_sizes:
            parts.append(f"subgroups of {', '.join(map(str, self.subgroup_sizes))}")
        return "; ".join(parts)


@dataclass(frozen=True, slots=True)
class Equivalent:
    """No difference on `runs` runs with `lanes` valid invocations; `tried` is their coverage.

    An invocation is not valid if its control flow depended on an undefined value, or if a rounding
    difference could have changed it. `rounded` is set if results were not equal bit for bit, but within the
    error bounds of inexact operations. `blocks_not_run` are the numbers of the blocks that no invocation
    reached, with the abbreviation of their stage: `FS b7`. `same_expressions` is set if both were proved to
    have the same effects on the same values, inexact ones as functions of real numbers, so that no run was
    needed.
    """

    runs: int
    lanes: int
    rounded: bool = False
    blocks_not_run: tuple[str, ...] = ()
    tried: InputCoverage = InputCoverage()
    same_expressions: bool = False

    def __str__(self) -> str:
        if self.same_expressions:
            return "equivalent without a run: proved up to the rounding of inexact operations"
        text = f"equivalent on {self.runs} runs of {self.lanes} invocations in all"
        if self.rounded:
            text += ", within the rounding of inexact operations"
        if str(self.tried):
            text += f"; {self.tried}"
        if self.blocks_not_run:
            text += f" (never run: {_listed(self.blocks_not_run)})"
        if self.tried.not_met:
            text += f" (not met: {_listed(self.tried.not_met)})"
        return text


def plain_coverage(found: Equivalent) -> dict[str, object]:
    """Convert what was tried to JSON values: the fields of `Equivalent` and of its `InputCoverage`."""
    plain: dict[str, object] = {
        "runs": found.runs,
        "invocations": found.lanes,
        "rounded": found.rounded,
        "blocks_not_run": list(found.blocks_not_run),
        **asdict(found.tried),
    }
    lists = {"not_met": list(found.tried.not_met), "subgroup_sizes": list(found.tried.subgroup_sizes)}
    return {**plain, **lists}


def _listed(names: tuple[str, ...]) -> str:
    hidden = len(names) - _SHOWN
    return ", ".join(names[:_SHOWN]) + (f" and {hidden} more" if hidden > 0 else "")


@dataclass(frozen=True, slots=True)
class InputValue:
    """A load of external state (`%7 load_input VERT_ATTRIB_POS.x`), and its result."""

    name: str
    value: str

    def __str__(self) -> str:
        return f"{self.name} = {self.value}"


def difference_text(what: str, before: str, after: str) -> str:
    """Describe a difference in one line; `before` is "" for an event that only the second side has."""
    return f"{what}: {before} before, {after} after" if before else f"after: {after}"


@dataclass(frozen=True, slots=True)
class Counterexample:
    """One invocation that shows a difference, and its first differing result.

    `input_kind` describes the inputs of the run; with `seed` it can be run again. `inputs` are the loads of
    the invocation before the pass, in order.
    """

    seed: int
    input_kind: str
    lane: int
    what: str
    before: str
    after: str
    inputs: tuple[InputValue, ...] = ()

    @property
    def summary(self) -> str:
        """The difference in one line."""
        return difference_text(self.what, self.before, self.after)

    def __str__(self) -> str:
        lines = [
            self.summary,
            f"  on invocation {self.lane} of seed {self.seed} ({self.input_kind})",
        ]
        lines += [f"    {value}" for value in self.inputs[:_INPUTS_SHOWN]]
        hidden = len(self.inputs) - _INPUTS_SHOWN
        if hidden > 0:
            lines.append(f"    and {hidden} more")
        return "\n".join(lines)


@dataclass(frozen=True, slots=True)
class Different:
    """The shader after the pass computes something else."""

    counterexample: Counterexample

    def __str__(self) -> str:
        return f"different: {self.counterexample}"


@dataclass(frozen=True, slots=True)
class Unchecked:
    """The comparison is inconclusive, for this reason; `is_late` if the time for runs was used up."""

    reason: str
    is_late: bool = field(default=False, compare=False)

    def __str__(self) -> str:
        return f"unchecked: {self.reason}"


Verdict = Equivalent | Different | Unchecked
