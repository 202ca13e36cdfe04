"""Verification of a pass: the strategies that compare the shaders before and after it, in order."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from nirls.ir.io.access import has_unlisted_captures
from nirls.ir.model.shader import Shader
from nirls.verification.compare.changed_constants import changed_constant
from nirls.verification.compare.compared_places import ComparedPlaces, literal_outputs
from nirls.verification.compare.facts_of_both import with_facts_of_both
from nirls.verification.compare.float_limits import lost_precision
from nirls.verification.compare.subject import Subject, WhatMatters
from nirls.verification.compare.unmodelled import mixed_qualifiers, unmodelled_change
from nirls.verification.comparison import Explain, RunComparison
from nirls.verification.evaluate.steps.io_places import has_lowered_io
from nirls.verification.evaluate.steps.variables.inputs_outputs import structs_without_slots
from nirls.verification.evaluate.values.errors import Unsupported
from nirls.verification.input_coverage import input_coverage
from nirls.verification.inputs.subgroup_sizes import subgroup_sizes
from nirls.verification.options import VerificationOptions
from nirls.verification.proof.same_expressions import same_expressions
from nirls.verification.strategies.lone_inputs import lone_inputs
from nirls.verification.strategies.proof import proved_each, proved_linked
from nirls.verification.strategies.random_inputs import more_random_inputs, random_inputs
from nirls.verification.strategies.steered_inputs import overridden_values, steered_inputs
from nirls.verification.verdict import Different, Equivalent, Unchecked, Verdict

RUN_STRATEGIES: tuple[Callable[[RunComparison], Different | Unchecked | None], ...] = (
    random_inputs,
    lone_inputs,
    steered_inputs,
    overridden_values,
    more_random_inputs,
)
"""Ways to choose the inputs of runs, in order; the first verdict counts."""


def verify_shaders(
    before: Sequence[Shader] | Shader,
    after: Sequence[Shader] | Shader,
    options: VerificationOptions | None = None,
) -> Verdict:
    """Compare the shaders before and after a pass.

    One shader alone must keep its outputs, discards, memory writes, emitted vertices and transform
    feedback. Linked shaders, given in pipeline order, must keep what fixed hardware and external state
    receive from the whole pipeline. Of a culled patch only that it is culled counts. Undefined values may
    become anything. Results must be equal bit for bit (all NaNs are equal). If they are not, both sides run
    again with their rounding errors tracked, and may differ within the bounds derived from their inexact
    operations. Where runs decide nothing, shaders that are proved to be the same (`proved_each`) are
    equivalent. No run is needed for linked stages that are proved (`proved_linked`).
    Never raises, whatever the shaders contain.
    """
    shaders, twins = _as_list(before), _as_list(after)
    if len(shaders) != len(twins):
        return Unchecked(f"{len(shaders)} shaders before, {len(twins)} after")
    shaders, twins = with_facts_of_both(shaders, twins)
    options = options or VerificationOptions()
    proof = proved_linked(shaders, twins) if options.proves else None
    if proof is not None:
        return proof
    verdict = _verdict_of_runs(shaders, twins, options)
    if isinstance(verdict, Unchecked) and options.proves:
        return proved_each(shaders, twins) or verdict
    return verdict


def _verdict_of_runs(shaders: list[Shader], twins: list[Shader], options: VerificationOptions) -> Verdict:
    places = ComparedPlaces(literal_outputs(shaders[-1]) if shaders else frozenset())
    try:
        culling = options.assumptions.culling
        subjects = Subject(shaders, culling), Subject(twins, culling)
    except Unsupported as reason:
        return Unchecked(str(reason))
    return compare_subjects(*subjects, options, places)


def compare_subjects(
    before: Subject,
    after: Subject,
    options: VerificationOptions,
    places: ComparedPlaces,
    explain: Explain | None = None,
) -> Verdict:
    """Compare two subjects by runs.

    `places` counts the compared places, `explain` is called with the run that shows a difference.
    """
    reason = _other_workgroups(before, after)
    if reason is None and not options.seeks_difference:
        reason = _unmodelled_change(before, after)
    if reason is not None:
        return Unchecked(reason)
    sides = [[machine.shader for machine in side.machines] for side in (before, after)]
    sizes = subgroup_sizes(*sides)
    try:
        for alternative in sizes.alternatives:
            tried = alternative if sizes.matters else ()
            verdict = _run_strategies(RunComparison(before, after, options, places, explain, tried))
            if not isinstance(verdict, Different):
                break
    except Unsupported as reason:
        return Unchecked(str(reason))
    if isinstance(verdict, Different):
        return _lowered_structs(before, after) or verdict
    # The order of accesses may have changed in a way that no run shows.
    if not isinstance(verdict, Equivalent):
        return verdict
    change = (
        _unmodelled_change(before, after)
        or _changed_captures(before, after, options)
        or next(filter(None, map(changed_constant, *sides)), None)
    )
    return verdict if change is None else Unchecked(change)


def _other_workgroups(before: Subject, after: Subject) -> str | None:
    """Return why the invocations of both sides are not the same; None if they are."""
    for machine, twin in zip(before.machines, after.machines, strict=True):
        sizes = machine.shader.workgroup_size, twin.shader.workgroup_size
        if sizes[0] != sizes[1]:
            first, second = ("x".join(map(str, size)) for size in sizes)
            return f"the workgroup has another size, {second} in place of {first}"
    return None


def _run_strategies(comparison: RunComparison) -> Verdict:
    for strategy in RUN_STRATEGIES:
        verdict = strategy(comparison)
        if verdict is not None:
            return verdict
    return _without_difference(comparison)


def _without_difference(comparison: RunComparison) -> Equivalent | Unchecked:
    """Return the verdict where no run showed a difference: whether enough was compared."""
    lanes, options = comparison.lanes, comparison.options
    if comparison.is_starved:
        return Unchecked(next(iter(comparison.given_up)))
    if lanes < options.least_lanes:
        return Unchecked(f"only {lanes} invocations did not depend on undefined values or rounding")
    place = comparison.places.never_compared()
    if place is not None:
        return Unchecked(f"{place} is undefined, discarded or a matter of rounding in {comparison.runs} runs")
    if comparison.doubt is not None:
        return Unchecked(comparison.doubt)
    sides = {
        "before": (comparison.before.machines, comparison.paired.coverage[0]),
        "after": (comparison.after.machines, comparison.paired.coverage[1]),
    }
    coverage = input_coverage(sides, comparison.specials_met, comparison.reached)
    return Equivalent(
        comparison.runs,
        lanes,
        comparison.paired.is_rounded,
        comparison.blocks_not_run(),
        replace(
            coverage,
            overridden=comparison.overridden,
            subgroup_sizes=tuple(sorted(comparison.sizes_tried)),
        ),
    )


def _lowered_structs(before: Subject, after: Subject) -> Unchecked | None:
    """Return why a difference proves nothing: one side has slots for what the other names by a member."""
    for machine, twin in zip(before.machines, after.machines, strict=True):
        pair = machine.shader, twin.shader
        for shader, other in (pair, pair[::-1]):
            structs = structs_without_slots(shader) - structs_without_slots(other)
            if structs and (has_lowered_io(other) or any(_has_members(other, name) for name in structs)):
                names = ", ".join(sorted(name or "a block without a name" for name in structs))
                return Unchecked(f"the dump does not print which slots the members of {names} have")
    return None


def _has_members(shader: Shader, struct: str) -> bool:
    """Return whether the members of an input or output struct are variables of their own."""
    return any(variable.name.startswith((f"{struct}.", f"{struct}[*].")) for variable in shader.variables)


def _unmodelled_change(before: Subject, after: Subject) -> str | None:
    """Return why equal results of runs prove nothing; None if they do."""
    for machine, other in zip(before.machines, after.machines, strict=True):
        reason = unmodelled_change(machine.shader, other.shader) or mixed_qualifiers(
            machine.shader, other.shader
        )
        if reason is not None:
            return reason
    return lost_precision(*([machine.shader for machine in side.machines] for side in (before, after)))


def _changed_captures(before: Subject, after: Subject, options: VerificationOptions) -> str | None:
    """Return why transform feedback may capture something else; None if it does not.

    Where the dump does not list what it captures, each stage must keep all of its outputs.
    """
    compares_all = len(before.machines) == 1 and before.matters.concerns is None
    for machine, twin in zip(before.machines, after.machines, strict=True):
        if compares_all or not has_unlisted_captures(machine.shader):
            continue
        matters = WhatMatters(new_outputs_count=False)
        stage, changed = (Subject([side], None, matters) for side in (machine, twin))
        verdict = compare_subjects(stage, changed, options, ComparedPlaces(undefined_is_free=True))
        if not isinstance(verdict, Equivalent) and not same_expressions(machine.shader, twin.shader):
            return "transform feedback may capture an output that is gone or changed: the dump lists none"
    return None


def _as_list(shaders: Sequence[Shader] | Shader) -> list[Shader]:
    return [shaders] if isinstance(shaders, Shader) else list(shaders)
