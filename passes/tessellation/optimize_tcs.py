"""The pass `optimize_tcs`: the chain of passes that lets culled patches skip work.

Runs `inline_vs_in_tcs`, `restructure_tcs_flow` and `opt_barriers`, in the order of the design "New
Tessellation Control Shader Optimizations for NIR". The vertex shader is inlined only if culled patches then
skip more work, because inlining alone adds outputs and a barrier.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from functools import partial

from nirls.ir.analysis.tessellation import CullingRule, output_patch_size
from nirls.ir.finding import FindingCode, Place, Related, Severity, counted
from nirls.ir.model.clone import clone_shader
from nirls.ir.model.shader import Shader
from nirls.ir.model.stage import Stage
from nirls.passes.barriers.opt_barriers import opt_barriers
from nirls.passes.cleanup.clean_up import clean_up
from nirls.passes.cleanup.copy_prop import copy_prop
from nirls.passes.cleanup.opt_constant_folding import opt_constant_folding
from nirls.passes.cleanup.opt_cse import opt_cse
from nirls.passes.cleanup.opt_dce import opt_dce
from nirls.passes.cleanup.opt_dead_cf import opt_dead_cf
from nirls.passes.cleanup.opt_remove_phis import opt_remove_phis
from nirls.passes.declaration import Pass, Site, SiteFix
from nirls.passes.tessellation.culled_work.restructure_tcs_flow import CullingOptions
from nirls.passes.tessellation.culled_work.split import Restructured, split
from nirls.passes.tessellation.culled_work.split_plan import GiveUp, SplitPlan, costs_nothing, plan_split
from nirls.passes.tessellation.inline_vs.inline_vs_in_tcs import (
    Inlined,
    inline_vs_in_tcs,
    only_for_patches_of,
    patch_vertices_option,
    stages_of,
    why_not_inlined,
)
from nirls.passes.tessellation.inline_vs.obstacles import is_well_formed

SKIPPABLE_PATCH_WORK = FindingCode(
    "skippable-patch-work",
    "Work of the vertex and control shaders that culled patches could skip",
    Severity.HINT,
)

_CLEAN_UP = (copy_prop, opt_remove_phis, opt_dce, opt_dead_cf, opt_cse, opt_constant_folding)
_BROKEN = "the control shader has an error, or a line that cannot be read"
_COSTS_MORE = "it would add more work than culled patches skip"
_NOTHING_MORE = "culled patches would skip nothing more"


@dataclass(frozen=True)
class OptimizeTcs(CullingOptions, Pass):
    """Run inline_vs_in_tcs, restructure_tcs_flow and opt_barriers if culled patches skip work then."""

    name = "optimize_tcs"
    scope = "pipeline"
    codes = (SKIPPABLE_PATCH_WORK,)
    stages = frozenset((Stage.TESS_CTRL,))
    alone = True

    patch_vertices: int = patch_vertices_option()

    def run(self, shaders: Sequence[Shader]) -> list[Shader]:
        return self.optimize(shaders)[1]

    def sites(self, shaders: Sequence[Shader]) -> Iterable[Site]:
        """Yield a site on a control shader whose culled patches can skip work, with the savings."""
        vs, tcs, tes = stages_of(shaders)
        if tcs is None or vs is None:
            return  # without a vertex shader, the single passes have the same findings
        if not is_well_formed(tcs):
            return
        trial, _ = _try_inlining(vs, tcs, tes, self.culling(shaders), self.patch_vertices)
        if trial is None:
            return
        summary = _finish(trial.tcs, trial.inlined, trial.divided)
        headline = summary.headline()
        condition = only_for_patches_of(output_patch_size(tcs))
        finding = SKIPPABLE_PATCH_WORK.at(
            Place.of(tcs.first_line, shaders.index(tcs)),
            f"with the vertex shader inlined, {headline} (kept: {self.culling(shaders)})",
            related=[Related(Place.of(vs.first_line, shaders.index(vs)), "the vertex shader")],
            data=summary.as_data(),
        )
        title = f"Optimize the control shader, {condition}: {headline}"
        yield Site(finding, (SiteFix(title, partial(self.run, shaders), preferred=False),))

    def optimize(self, shaders: Sequence[Shader]) -> tuple[TcsSummary, list[Shader]]:
        """Apply the chain in place to linked shaders; return a summary and the changed shaders."""
        return optimize(shaders, self.culling(shaders), self.patch_vertices)


def optimize(
    shaders: Sequence[Shader], rule: CullingRule, patch_vertices: int = 0
) -> tuple[TcsSummary, list[Shader]]:
    """Apply the chain in place to linked shaders; return a summary and the changed shaders."""
    vs, tcs, tes = stages_of(shaders)
    if tcs is None:
        return TcsSummary("there is no control shader", "there is no control shader"), []
    if not is_well_formed(tcs):
        return TcsSummary(_BROKEN, _BROKEN), []
    trial, why_not = _try_inlining(vs, tcs, tes, rule, patch_vertices)
    if trial is not None and vs is not None:
        vs.take_contents_of(trial.vs)
        tcs.take_contents_of(trial.tcs)
        return _finish(tcs, trial.inlined, trial.divided), [vs, tcs]
    divided, why_stays = _try_splitting(tcs, rule)
    summary = _finish(tcs, None, divided, why_not, why_stays)
    return summary, [tcs] if divided is not None or summary.barriers_removed else []


def _finish(
    tcs: Shader,
    inlined: Inlined | None,
    divided: Restructured | None,
    why_not_inlined: str = "",
    why_not_restructured: str = "",
) -> TcsSummary:
    """Remove needless barriers and redundant code in place; return the summary of all steps."""
    removed = len(opt_barriers(tcs))
    if divided is not None or inlined is not None or removed > 0:
        clean_up(tcs, _CLEAN_UP)
        removed += len(opt_barriers(tcs))
    added = 0 if divided is None else divided.barriers_added
    return TcsSummary(
        why_not_inlined=why_not_inlined,
        why_not_restructured=why_not_restructured,
        instructions_skipped=0 if divided is None else divided.skipped,
        instructions_total=0 if divided is None else divided.total,
        loads_skipped=0 if divided is None else divided.loads_skipped,
        barriers_added=added + (0 if inlined is None else inlined.barriers_added),
        barriers_removed=removed,
        outputs_added=0 if inlined is None else inlined.outputs_added,
        system_values=() if inlined is None else inlined.system_values,
    )


@dataclass(frozen=True, slots=True)
class _Trial:
    """Copies of the shaders with the vertex shader inlined in the control shader, which is then split."""

    vs: Shader
    tcs: Shader
    inlined: Inlined
    divided: Restructured


def _try_inlining(
    vs: Shader | None, tcs: Shader, tes: Shader | None, rule: CullingRule, patch_vertices: int
) -> tuple[_Trial | None, str]:
    """Inline the vertex shader in copies and split, if that saves work; else return the reason."""
    if vs is None:
        return None, "no vertex shader is linked"
    obstacle = why_not_inlined(vs, tcs, tes, patch_vertices=patch_vertices)
    if obstacle is not None:
        return None, str(obstacle)
    copies = clone_shader(vs), clone_shader(tcs)
    inlined = inline_vs_in_tcs(*copies, tes, patch_vertices=patch_vertices)
    assert isinstance(inlined, Inlined)
    plan = plan_split(copies[1], rule)
    if not isinstance(plan, SplitPlan):
        return None, _why_not_split(plan)
    now, then = _work_of_culled(vs, tcs, plan_split(tcs, rule)), _work_of_culled(*copies, plan)
    if then >= now:
        return None, _NOTHING_MORE
    divided = split(copies[1], plan, rule)
    if not divided.pays:
        return None, _COSTS_MORE
    return _Trial(*copies, inlined, divided), ""


def _try_splitting(tcs: Shader, rule: CullingRule) -> tuple[Restructured | None, str]:
    """Split the control shader, if that saves work; else return the reason and change nothing."""
    copy = clone_shader(tcs)
    plan = plan_split(copy, rule)
    if not isinstance(plan, SplitPlan):
        return None, _why_not_split(plan)
    divided = split(copy, plan, rule)
    if not divided.pays:
        return None, _COSTS_MORE
    tcs.take_contents_of(copy)
    return divided, ""


def _why_not_split(plan: GiveUp | None) -> str:
    return "the control shader has no other outputs" if plan is None else f"the control shader {plan.reason}"


def _work_of_culled(vs: Shader, tcs: Shader, plan: SplitPlan | GiveUp | None) -> int:
    """Count the instructions of both shaders that execute for culled patches, without free ones."""
    skipped = set(plan.skippable()) if isinstance(plan, SplitPlan) else set()
    return sum(
        1
        for shader in (vs, tcs)
        for instr in shader.instrs()
        if instr not in skipped and not costs_nothing(instr)
    )


@dataclass(frozen=True, slots=True)
class TcsSummary:
    """The result of `optimize_tcs`.

    `why_not_inlined` and `why_not_restructured` are "" if the step was done. Counts are static: of the
    `instructions_total` of the control shader, `instructions_skipped` (including `loads_skipped`) execute
    only for patches that are not culled. `outputs_added` counts scalars. `system_values` are those that the
    vertex shader still passes.
    """

    why_not_inlined: str = ""
    why_not_restructured: str = ""
    instructions_skipped: int = 0
    instructions_total: int = 0
    loads_skipped: int = 0
    barriers_added: int = 0
    barriers_removed: int = 0
    outputs_added: int = 0
    system_values: tuple[str, ...] = ()

    @property
    def is_inlined(self) -> bool:
        """Whether the vertex shader was inlined in the control shader."""
        return not self.why_not_inlined

    @property
    def is_restructured(self) -> bool:
        """Whether culled patches now skip work."""
        return not self.why_not_restructured

    def as_data(self) -> dict[str, object]:
        """Return the summary as plain data for JSON."""
        data = asdict(self)
        data["system_values"] = list(self.system_values)
        return {"inlined": self.is_inlined, "restructured": self.is_restructured, **data}

    def lines(self) -> list[str]:
        """Describe each step in a line of text."""
        return [
            self._inlining(),
            self._skipping(),
            f"Barriers: {self.barriers_added} added, {self.barriers_removed} removed.",
        ]

    def headline(self) -> str:
        """Describe the savings in a few words."""
        if not self.is_restructured:
            return f"culled patches skip nothing: {self.why_not_restructured}"
        total = counted(self.instructions_total, "instruction")
        loads = counted(self.loads_skipped, "load")
        return f"culled patches skip {self.instructions_skipped} of {total}, including {loads}"

    def _inlining(self) -> str:
        if not self.is_inlined:
            return f"The vertex shader is not inlined: {self.why_not_inlined}."
        added = counted(self.outputs_added, "output")
        text = f"The vertex shader is inlined in the control shader, which adds {added}"
        if self.system_values:
            text += f"; it still passes {', '.join(self.system_values)}"
        return f"{text}."

    def _skipping(self) -> str:
        headline = self.headline()
        return f"{headline[0].upper()}{headline[1:]}."
