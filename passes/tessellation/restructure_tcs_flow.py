"""The pass `restructure_tcs_flow`: tessellation levels first, and the rest only if the patch survives.

After the design "New Tessellation Control Shader Optimizations for NIR". The body is cloned at its end, into
an if; the first copy keeps the stores of the levels (and of outputs that they are computed from), the second
one all others. As in the design, the levels reach all invocations through the outputs and a barrier, or with
none where every invocation computes them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from nirls.ir.analysis.tessellation import CullingRule, PrimitiveMode, Spacing, culling_rule
from nirls.ir.model.clone import clone_shader
from nirls.ir.model.instructions import Instr
from nirls.ir.model.shader import Shader
from nirls.ir.model.span import Span
from nirls.ir.model.stage import Stage
from nirls.passes.finding import Change, Finding, Fix, Place, Related
from nirls.passes.options import OptionError
from nirls.passes.registry import Options
from nirls.passes.tessellation.codes import (
    CULLED_PATCH_WORK,
    PRIMITIVE_MODE,
    RESTRUCTURE,
    SPACING,
    UNSPLITTABLE_CONTROL_SHADER,
)
from nirls.passes.tessellation.give_up import GiveUp
from nirls.passes.tessellation.split import Restructured, split
from nirls.passes.tessellation.split_plan import SplitPlan, costs_nothing, plan_split

_MOST_RELATED = 5
_MODES = {mode.name.lower(): mode for mode in PrimitiveMode if mode is not PrimitiveMode.UNSPECIFIED}
_SPACINGS = {spacing.name.lower(): spacing for spacing in Spacing if spacing is not Spacing.UNSPECIFIED}


def run(shaders: Sequence[Shader], options: Options) -> list[Shader]:
    """Apply the pass in place; returns the shaders that changed."""
    rule = rule_of(shaders, options)
    return [
        shader
        for shader in shaders
        if shader.stage is Stage.TESS_CTRL and isinstance(restructure(shader, rule), Restructured)
    ]


def find(shaders: Sequence[Shader], options: Options) -> Iterable[Finding]:
    """What culled patches could skip, or the one reason why they cannot."""
    rule = rule_of(shaders, options)
    for shader in shaders:
        if shader.stage is Stage.TESS_CTRL:
            plan = plan_split(shader, rule)
            if isinstance(plan, GiveUp):
                yield from _why_not(shader, plan)
            elif plan is not None:
                yield from _skippable(shader, plan, rule)


def check(shaders: Sequence[Shader], options: Options) -> None:
    """Raise OptionError for a mode or spacing that there is none of."""
    for option, known in ((PRIMITIVE_MODE, _MODES), (SPACING, _SPACINGS)):
        given = options.get(option.name, "")
        if given and given not in known:
            raise OptionError(f"option {option.name} takes {', '.join(known)} or nothing, not {given!r}")


def culling(shaders: Sequence[Shader], options: Options) -> CullingRule:
    """The rule that the pass goes by, for whoever compares what it makes."""
    return rule_of(shaders, options)


def rule_of(shaders: Sequence[Shader], options: Options) -> CullingRule:
    """Which patches are culled: as the shaders say, else as the options do, else the worst case."""
    mode = _MODES.get(str(options.get(PRIMITIVE_MODE.name, "")), PrimitiveMode.UNSPECIFIED)
    spacing = _SPACINGS.get(str(options.get(SPACING.name, "")), Spacing.UNSPECIFIED)
    return culling_rule(shaders, mode, spacing)


def restructure(shader: Shader, rule: CullingRule) -> Restructured | GiveUp | None:
    """Divide a control shader in place.

    Returns what came of it, why it stays as it is, or None where there is nothing to gain: nothing but
    levels is stored, or all else stands behind a question for the levels already.
    """
    plan = plan_split(shader, rule)
    return split(shader, plan, rule) if isinstance(plan, SplitPlan) else plan


def why_not_restructured(shaders: Sequence[Shader], options: Options) -> str:
    """The one reason why the control shader of a pipeline cannot be divided; "" where it can, or need not."""
    rule = rule_of(shaders, options)
    for shader in shaders:
        plan = plan_split(shader, rule) if shader.stage is Stage.TESS_CTRL else None
        if isinstance(plan, GiveUp):
            return plan.reason
    return ""


def _skippable(shader: Shader, plan: SplitPlan, rule: CullingRule) -> Iterable[Finding]:
    levels = [
        store.instr for store in plan.accesses.stores if store.is_level and store.instr.span is not None
    ]
    skipped = plan.skippable()
    if not levels or levels[0].span is None or not skipped:
        return
    fix = Fix(
        "Skip the other outputs of culled patches",
        f"{CULLED_PATCH_WORK.code}:{levels[0].span.start}",
        lambda: _changed(shader, rule),
        preferred=True,
    )
    examples = [instr for instr in skipped if not costs_nothing(instr) and instr.span is not None]
    yield Finding(
        CULLED_PATCH_WORK,
        Place(shader, levels[0].span),
        f"{len(skipped)} of {plan.total} instructions need not run for a culled patch (kept: {rule})",
        RESTRUCTURE,
        related=tuple(_related(shader, instr) for instr in examples[:_MOST_RELATED]),
        fixes=(fix,),
        data={
            "instructions": len(skipped),
            "total": plan.total,
            "loads": sum(_is_load(instr) for instr in skipped),
            "mode": rule.mode.name.lower(),
            "spacing": rule.spacing.name.lower(),
        },
    )


def _why_not(shader: Shader, found: GiveUp) -> Iterable[Finding]:
    cause = None if found.because_of is None else found.because_of.span
    place = cause or _first_store(shader)
    if place is None:
        return
    related = () if cause is None else (Related(Place(shader, cause), "because of this"),)
    yield Finding(
        UNSPLITTABLE_CONTROL_SHADER,
        Place(shader, place),
        f"culled patches cannot skip work: the shader {found.reason}",
        RESTRUCTURE,
        related=related,
        data={"reason": found.reason},
    )


def _changed(shader: Shader, rule: CullingRule) -> list[Change]:
    after = clone_shader(shader)
    if not isinstance(restructure(after, rule), Restructured):
        return []
    return [Change(shader, after, culling=rule)]


def _related(shader: Shader, instr: Instr) -> Related:
    assert instr.span is not None
    name = getattr(instr, "name", None) or getattr(instr, "op", None) or instr.kind
    return Related(Place(shader, instr.span), f"a culled patch would skip this {name}")


def _is_load(instr: Instr) -> bool:
    name = getattr(instr, "name", "")
    return instr.kind == "tex" or "load_" in name


def _first_store(shader: Shader) -> Span | None:
    impl = shader.entrypoint
    instrs = [] if impl is None else impl.instrs()
    return next((instr.span for instr in instrs if instr.span is not None), None)
