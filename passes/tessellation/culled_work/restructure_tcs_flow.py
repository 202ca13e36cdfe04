"""The pass `restructure_tcs_flow`: tessellation levels first, other outputs only if the patch is not culled.

Follows the design "New Tessellation Control Shader Optimizations for NIR". The function body is cloned into
an if at its end. The first copy keeps the stores of the levels (and of outputs that they depend on), the
second one all others. As in the design, the levels are shared through outputs and a barrier, or without a
barrier if every invocation computes them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial

from nirls.ir.analysis.assumptions import Assumptions
from nirls.ir.analysis.tessellation import CullingRule, PrimitiveMode, Spacing, culling_rule
from nirls.ir.finding import FindingCode, Place, Related, Severity, counted
from nirls.ir.model.clone import clone_shader
from nirls.ir.model.instructions import operation_name
from nirls.ir.model.shader import Shader
from nirls.ir.model.span import Span
from nirls.ir.model.stage import Stage
from nirls.passes.declaration import Pass, Site, SiteFix, option
from nirls.passes.tessellation.culled_work.output_access import is_level
from nirls.passes.tessellation.culled_work.split import Restructured, split
from nirls.passes.tessellation.culled_work.split_plan import GiveUp, SplitPlan, costs_nothing, plan_split

CULLED_PATCH_WORK = FindingCode(
    "culled-patch-work", "Work that culled patches could skip", Severity.INFORMATION
)
UNSPLITTABLE_CONTROL_SHADER = FindingCode(
    "unsplittable-control-shader", "Control shader that cannot skip work for culled patches", Severity.HINT
)

_MOST_RELATED = 5
_MODES = {mode.name.lower(): mode for mode in PrimitiveMode if mode is not PrimitiveMode.UNSPECIFIED}
_SPACINGS = {spacing.name.lower(): spacing for spacing in Spacing if spacing is not Spacing.UNSPECIFIED}


@dataclass(frozen=True)
class CullingOptions:
    """Options that determine the culling rule if no evaluation shader is linked."""

    primitive_mode: str = option(
        "",
        "triangles, quads or isolines; used if no evaluation shader is linked; empty: worst case",
        choices=_MODES,
    )
    spacing: str = option(
        "",
        "equal, fractional_odd or fractional_even; used if no evaluation shader is linked; empty: worst case",
        choices=_SPACINGS,
    )
    cull_below_half: bool = option(
        False,
        "with equal spacing, also skip patches with an outer level below 0.5; warning: the APIs draw these"
        " patches, so verification refuses the result where such a level can occur",
    )

    def culling(self, shaders: Sequence[Shader]) -> CullingRule:
        """Return the culling rule: from the shaders, else from the options, else the worst case."""
        mode = _MODES.get(self.primitive_mode, PrimitiveMode.UNSPECIFIED)
        rule = culling_rule(shaders, mode, _SPACINGS.get(self.spacing, Spacing.UNSPECIFIED))
        return replace(rule, below_half=self.cull_below_half)

    def assumptions(self, shaders: Sequence[Shader]) -> Assumptions:
        return Assumptions(culling=self.culling(shaders))


@dataclass(frozen=True)
class RestructureTcsFlow(CullingOptions, Pass):
    """Compute tessellation levels first, and other outputs only for patches that are not culled."""

    name = "restructure_tcs_flow"
    scope = "pipeline"
    stages = frozenset((Stage.TESS_CTRL,))
    codes = (CULLED_PATCH_WORK, UNSPLITTABLE_CONTROL_SHADER)
    alone = True

    def run(self, shaders: Sequence[Shader]) -> list[Shader]:
        rule = self.culling(shaders)
        return [
            shader
            for shader in shaders
            if shader.stage is Stage.TESS_CTRL and isinstance(restructure(shader, rule), Restructured)
        ]

    def sites(self, shaders: Sequence[Shader]) -> Iterable[Site]:
        """Report the work that culled patches can skip, or the reason why they cannot."""
        rule = self.culling(shaders)
        for dump, shader in enumerate(shaders):
            if shader.stage is Stage.TESS_CTRL:
                plan = plan_split(shader, rule)
                if isinstance(plan, GiveUp):
                    yield from _why_not(shader, dump, plan)
                elif plan is not None:
                    done = restructure(clone_shader(shader), rule)
                    assert isinstance(done, Restructured)
                    yield from _skippable(dump, plan, done, rule, partial(self.run, shaders))


def restructure(shader: Shader, rule: CullingRule) -> Restructured | GiveUp | None:
    """Split a control shader in place.

    Returns the result, the reason why it is not changed, or None if there is nothing to gain: only levels
    are stored, or all other stores are already guarded by a condition on the levels.
    """
    plan = plan_split(shader, rule)
    return split(shader, plan, rule) if isinstance(plan, SplitPlan) else plan


def _skippable(
    dump: int, plan: SplitPlan, done: Restructured, rule: CullingRule, run: Callable[[], Iterable[Shader]]
) -> Iterable[Site]:
    levels = [
        store.instr for store in plan.accesses.stores if is_level(store) and store.instr.span is not None
    ]
    skipped = plan.skippable()
    if not levels or levels[0].span is None or not skipped:
        return
    if not done.pays:
        finding = UNSPLITTABLE_CONTROL_SHADER.at(
            Place.of(levels[0].span, dump),
            f"culled patches cannot skip work: it would save {counted(done.skipped, 'instruction')} and add"
            f" {_added(done)}",
            data={"reason": "cost", "saved": done.cost_saved, "added": done.cost_added},
        )
        yield Site(finding)
        return
    examples = [instr for instr in skipped if not costs_nothing(instr)]
    finding = CULLED_PATCH_WORK.at(
        Place.of(levels[0].span, dump),
        f"culled patches could skip {done.skipped} of {done.total} instructions; this adds {_added(done)}"
        f" (kept: {rule})",
        related=[
            Related(Place.of(instr.span, dump), f"culled patches would skip this {operation_name(instr)}")
            for instr in examples
            if instr.span is not None
        ][:_MOST_RELATED],
        data={
            "instructions": done.skipped,
            "total": done.total,
            "added": done.instructions_added,
            "barriers_added": done.barriers_added,
            "output_loads_added": done.loads_added,
            "loads": done.loads_skipped,
            "mode": rule.mode.name.lower(),
            "spacing": rule.spacing.name.lower(),
        },
    )
    yield Site(finding, (SiteFix("Compute other outputs only for patches that are not culled", run),))


def _why_not(shader: Shader, dump: int, found: GiveUp) -> Iterable[Site]:
    cause = None if found.because_of is None else found.because_of.span
    span = cause or _first_store(shader)
    if span is not None:
        finding = UNSPLITTABLE_CONTROL_SHADER.at(
            Place.of(span, dump),
            f"culled patches cannot skip work: the shader {found.reason}",
            related=() if cause is None else (Related(Place.of(cause, dump), "the obstacle"),),
            data={"reason": found.reason},
        )
        yield Site(finding)


def _added(done: Restructured) -> str:
    """Format the added instructions, such as `8 instructions, including 1 barrier and 3 output loads`."""
    text = counted(max(done.instructions_added, 0), "instruction")
    if done.barriers_added:
        barriers, loads = counted(done.barriers_added, "barrier"), counted(done.loads_added, "output load")
        text += f", including {barriers} and {loads}"
    return text


def _first_store(shader: Shader) -> Span | None:
    impl = shader.entrypoint
    instrs = [] if impl is None else impl.instrs()
    return next((instr.span for instr in instrs if instr.span is not None), None)
