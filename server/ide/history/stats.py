"""Statistics of shaders compared between two sets of shaders, as Mesa's shader-db reports them."""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, median
from typing import Any

from nirls.ir.analysis.liveness import register_pressure
from nirls.ir.io.access import io_access, is_varying
from nirls.ir.model.control_flow import If, Loop
from nirls.ir.model.instructions import (
    AluInstr,
    Instr,
    IntrinsicInstr,
    LoadConstInstr,
    PhiInstr,
    TexInstr,
)
from nirls.ir.model.shader import Shader
from nirls.ir.model.stage import Stage

METRICS: Mapping[str, str] = {
    "instructions": "all instructions, constants too",
    "alu": "ALU instructions",
    "textures": "texture instructions",
    "loads": "memory loads (not of inputs, outputs or constants)",
    "stores": "memory stores (not of outputs)",
    "atomics": "atomic operations",
    "input loads": "loads of inputs",
    "output stores": "stores of outputs",
    "varyings": "scalar varyings read or written (not vertex attributes and fragment outputs)",
    "subgroup operations": "votes, shuffles, reductions, reads from other invocations",
    "barriers": "barriers",
    "discards": "discards, demotes and terminates",
    "ifs": "ifs",
    "loops": "loops",
    "phis": "phis",
    "constants": "constants",
    "register pressure": "peak register pressure in SSA form, in 32-bit registers",
}
"""The metrics, by name, with their descriptions."""

_DISCARDS = ("discard", "demote", "terminate")
_SUBGROUP = (
    "ballot", "shuffle", "reduce", "inclusive_scan", "exclusive_scan", "vote_", "read_invocation",
    "read_first_invocation", "first_invocation", "elect", "quad_", "rotate",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class ShaderKey:
    """The key that matches a shader of one set with the same shader of the other.

    `file` is the path relative to the given folder, "" for a single log. `identity` is the hash of the
    source, else the name, else ""; `number` counts shaders with the same key from 1.
    """

    file: str
    stage: str
    identity: str
    number: int

    @property
    def title(self) -> str:
        """A title such as `VS GLSL3` or `a.log FS 0x7ddc2f18 (2)`."""
        words = [self.file, self.stage, self.identity, f"({self.number})" if self.number > 1 else ""]
        return " ".join(word for word in words if word)


ShaderCounts = Mapping[str, float]
"""The metrics of one shader, by name."""

_MORE_IS_BETTER = re.compile(
    r"\b(threads|waves|warps|subgroups per simd|max_waves|double_threadsize|occupancy)\b"
)


def is_better_if_more(metric: str) -> bool:
    """Whether a larger count is better: how many invocations run at a time."""
    return _MORE_IS_BETTER.search(metric) is not None


def shader_counts(shader: Shader) -> dict[str, int]:
    """Compute all metrics of a shader: sums over its functions, except the maximum for registers."""
    counts = Counter(dict.fromkeys(METRICS, 0))
    varyings: set[tuple[int, int]] = set()
    for impl in shader.impls():
        for instr in impl.instrs():
            counts.update(_metrics_of(instr))
            varyings.update(_scalar_slots(instr, shader.stage))
        for node in impl.cf_nodes():
            if isinstance(node, If):
                counts["ifs"] += 1
            elif isinstance(node, Loop):
                counts["loops"] += 1
        counts["register pressure"] = max(counts["register pressure"], register_pressure(impl))
    counts["varyings"] = len(varyings)
    return dict(counts)


def _metrics_of(instr: Instr) -> Iterator[str]:
    yield "instructions"
    if isinstance(instr, LoadConstInstr):
        yield "constants"
    elif isinstance(instr, AluInstr):
        yield "alu"
    elif isinstance(instr, TexInstr):
        yield "textures"
    elif isinstance(instr, PhiInstr):
        yield "phis"
    elif isinstance(instr, IntrinsicInstr):
        yield from _metrics_of_intrinsic(instr)


def _metrics_of_intrinsic(instr: IntrinsicInstr) -> Iterator[str]:
    name = instr.name
    if name.startswith(_DISCARDS):
        yield "discards"
    elif "barrier" in name and not name.startswith("load_"):
        yield "barriers"
    elif "atomic" in name:
        yield "atomics"
    elif name.startswith(_SUBGROUP):
        yield "subgroup operations"
    elif instr.io_semantics is not None:
        yield "input loads" if "input" in name else "output stores" if name.startswith("store_") else "loads"
    elif name.startswith("store_") and instr.def_ is None:
        yield "stores"
    elif name.startswith(("load_", "image_load", "bindless_image_load")) and instr.sources:
        yield "loads"


def _scalar_slots(instr: Instr, stage: Stage | None) -> Iterable[tuple[int, int]]:
    access = io_access(instr, stage) if isinstance(instr, IntrinsicInstr) and instr.io_semantics else None
    if access is None or not is_varying(access, stage) or (stage is Stage.FRAGMENT and access.is_output):
        return ()
    return access.places


Change = tuple[ShaderKey, float, float]
"""A shader with its counts before and after."""


@dataclass(frozen=True, slots=True)
class MetricComparison:
    """One metric over the shaders that are in both sets.

    `affected_before` and `affected_after` are totals over the shaders whose count differs.
    """

    name: str
    before: float
    after: float
    affected_before: float
    affected_after: float
    helped: tuple[Change, ...]
    hurt: tuple[Change, ...]
    unchanged: int

    @property
    def percent(self) -> float | None:
        """The change of the total in percent; None if the total before is 0."""
        return percent(self.before, self.after)

    @property
    def hurt_percent(self) -> float:
        """By how many percent the total got worse; negative if it got better, infinite from 0."""
        if self.before == self.after:
            return 0.0
        change = math.inf if self.percent is None else self.percent
        return -change if is_better_if_more(self.name) else change


@dataclass(frozen=True, slots=True)
class StatsComparison:
    """The comparison of two sets of shaders; those in `only_before` and `only_after` have no match."""

    metrics: tuple[MetricComparison, ...]
    shaders: int
    only_before: tuple[ShaderKey, ...]
    only_after: tuple[ShaderKey, ...]


def keyed(shaders: Iterable[tuple[str, str, str, ShaderCounts]]) -> dict[ShaderKey, ShaderCounts]:
    """Give keys to the counts of shaders, given as (file, stage, identity, counts)."""
    seen: defaultdict[tuple[str, str, str], int] = defaultdict(int)
    found = {}
    for file, stage, identity, counts in shaders:
        seen[file, stage, identity] += 1
        found[ShaderKey(file, stage, identity, seen[file, stage, identity])] = counts
    return found


def compare(
    before: Mapping[ShaderKey, ShaderCounts], after: Mapping[ShaderKey, ShaderCounts]
) -> StatsComparison:
    """Compare shader by shader. Lower is better for most metrics, see `is_better_if_more`.

    Shaders without a match by identity are matched in order within the same file and stage, if both sets have
    the same number of them: source hashes differ between Mesa releases.
    """
    after = _with_matched_keys(before, after)
    common = [key for key in before if key in after]
    return StatsComparison(
        tuple(_compare_metric(name, common, before, after) for name in _metrics(before, common)),
        len(common),
        tuple(key for key in before if key not in after),
        tuple(key for key in after if key not in before),
    )


def _with_matched_keys(
    before: Mapping[ShaderKey, ShaderCounts], after: Mapping[ShaderKey, ShaderCounts]
) -> dict[ShaderKey, ShaderCounts]:
    """Return the second set, with the keys of the first for shaders matched by file, stage and order."""
    left = defaultdict[tuple[str, str], list[ShaderKey]](list)
    right = defaultdict[tuple[str, str], list[ShaderKey]](list)
    for groups, keys, others in ((left, before, after), (right, after, before)):
        for key in keys:
            if key not in others:
                groups[key.file, key.stage].append(key)
    names = {
        new: old
        for place, olds in left.items()
        if len(olds) == len(right[place])
        for old, new in zip(olds, right[place], strict=True)
    }
    return {names.get(key, key): counts for key, counts in after.items()}


def _metrics(counts: Mapping[ShaderKey, ShaderCounts], common: Iterable[ShaderKey]) -> list[str]:
    """Return the metrics of NIR, then those of back ends."""
    return list(dict.fromkeys((*METRICS, *(name for key in common for name in counts[key]))))


def _compare_metric(
    name: str,
    common: Sequence[ShaderKey],
    before: Mapping[ShaderKey, ShaderCounts],
    after: Mapping[ShaderKey, ShaderCounts],
) -> MetricComparison:
    pairs = [
        (key, before[key][name], after[key][name])
        for key in common
        if name in before[key] and name in after[key]
    ]
    changed = sorted((pair for pair in pairs if pair[1] != pair[2]), key=lambda one: one[2] - one[1])
    less = tuple(one for one in changed if one[2] < one[1])
    more = tuple(reversed([one for one in changed if one[2] > one[1]]))
    return MetricComparison(
        name,
        sum(old for _, old, _ in pairs),
        sum(new for _, _, new in pairs),
        sum(old for _, old, _ in changed),
        sum(new for _, _, new in changed),
        *(more, less) if is_better_if_more(name) else (less, more),
        len(pairs) - len(changed),
    )


def percent(before: float, after: float) -> float | None:
    """Return the change in percent; None if `before` is 0."""
    return None if before == 0 else 100 * (after - before) / before


def percent_text(before: float, after: float) -> str:
    """Format the change as `-2.50%`; `+inf%` if only `before` is 0."""
    change = percent(before, after)
    if change is None:
        return "0.00%" if after == 0 else "+inf%"
    return f"{change:+.2f}%" if change else "0.00%"


def count_text(count: float) -> str:
    """Format a count: whole numbers without a point, others with two digits behind it."""
    return str(int(count)) if count == int(count) else f"{count:.2f}"


def spread_text(changes: Sequence[Change]) -> str:
    """Format the spread of changes as `min -1, max -12, mean -4.50, median -3`."""
    deltas = sorted((new - old for _, old, new in changes), key=abs)
    if not deltas:
        return ""
    low, high = (f"{'+' if delta > 0 else ''}{count_text(delta)}" for delta in (deltas[0], deltas[-1]))
    return f"min {low}, max {high}, mean {fmean(deltas):+.2f}, median {median(deltas):+g}"


def plain_comparison(found: StatsComparison) -> dict[str, Any]:
    """Convert a comparison to JSON values."""
    return {
        "shaders": found.shaders,
        "only_before": [key.title for key in found.only_before],
        "only_after": [key.title for key in found.only_after],
        "metrics": [
            {
                "name": metric.name,
                "before": metric.before,
                "after": metric.after,
                "percent": metric.percent,
                "affected": {"before": metric.affected_before, "after": metric.affected_after},
                "helped": [_plain_change(one) for one in metric.helped],
                "hurt": [_plain_change(one) for one in metric.hurt],
                "unchanged": metric.unchanged,
            }
            for metric in found.metrics
        ],
    }


def _plain_change(change: Change) -> dict[str, Any]:
    key, before, after = change
    return {
        "shader": key.title, "file": key.file, "stage": key.stage, "before": before, "after": after,
        "percent": percent(before, after),
    }  # fmt: skip
