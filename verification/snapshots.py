"""Comparison of two snapshots of a Mesa shader: whether the pass between them is correct.

Unlike for a pass of this package, only the name of the pass is known, and the two snapshots may address
external state in different forms.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from enum import Enum
from functools import cached_property

from nirls.ir.io.interpolation import interpolates_at_samples
from nirls.ir.io.variables import varyings_of_one_place
from nirls.ir.model.shader import Shader
from nirls.ir.model.slots import short_slots, slot_name
from nirls.ir.model.stage import Stage
from nirls.verification.compare.compared_places import ComparedPlaces, literal_outputs, written_components
from nirls.verification.compare.default_depth import without_default_depth
from nirls.verification.compare.exact_lowerings import changed_angle, lowered_exactly, with_free_rounding
from nirls.verification.compare.external_state import (
    TEXTURES_BY_INDEX,
    external_writes,
    keeps_addresses,
    keeps_layout,
    own_accesses,
    replaceable,
)
from nirls.verification.compare.facts_of_both import with_facts_of_both
from nirls.verification.compare.language import (
    INTEGERS_AS_FLOATS,
    clamps_coordinates,
    converts_texels,
    fixed_system_values,
    makes_integers_floats,
    new_numbers,
    replaced_words,
    unclear_words,
    with_neutral_slots,
    words_of,
)
from nirls.verification.compare.numbered_textures import numbered_like
from nirls.verification.compare.readdressed import Readdressed
from nirls.verification.compare.roundings import narrows_integers
from nirls.verification.compare.subject import Subject, WhatMatters
from nirls.verification.compare.unmodelled import mixed_coordinates
from nirls.verification.comparison import Witness
from nirls.verification.contract import ContractRule, is_common, rule_of
from nirls.verification.evaluate.machine import Machine
from nirls.verification.evaluate.surroundings.result import OutputKey
from nirls.verification.evaluate.values.errors import Unsupported
from nirls.verification.first_difference import FirstDifference, first_difference
from nirls.verification.options import VerificationOptions
from nirls.verification.proof.prepared import Prepared
from nirls.verification.proof.same_expressions import same_expressions
from nirls.verification.strategies.proof import PROVED, proved_linked
from nirls.verification.verdict import Different, Equivalent, Unchecked, Verdict
from nirls.verification.verify_shaders import compare_subjects


@dataclass(frozen=True, slots=True)
class SnapshotVerdict:
    """A verdict, with a remark on anything excluded or added besides the shader itself ("" for nothing).

    `instruction` is where a difference starts, if known, and `witness` the run that shows it.
    """

    verdict: Verdict
    remark: str = ""
    instruction: FirstDifference | None = None
    witness: Witness | None = None

    @property
    def reason(self) -> str:
        """The verdict and the remark in one line."""
        match self.verdict:
            case Different(example):
                text = example.summary
            case Unchecked(reason):
                text = reason
            case _:
                text = str(self.verdict)
        return f"{text}; {self.remark}" if self.remark else text


class Losses(Enum):
    """Meaning of output slots that only the first of two snapshots writes."""

    WRONG = "wrong"
    UNCLEAR = "unclear"
    """Unnamed passes ran between the snapshots, and may have linked the shader with the next stage."""
    RIGHT = "right"
    """The second snapshot is a variant, which drivers make for a part of the outputs."""


class RunnableSnapshot:
    """A snapshot with cached properties for all comparisons."""

    def __init__(self, shader: Shader) -> None:
        self.shader = with_neutral_slots(shader)

    @cached_property
    def machine(self) -> Machine:
        """The shader, ready to run. Raises `Unsupported`."""
        return Machine(self.shader)

    @cached_property
    def prepared(self) -> Prepared:
        """The shader, ready for proofs."""
        return Prepared(self.shader)

    @cached_property
    def words(self) -> frozenset[str]:
        """The language of the shader, see `language`."""
        return words_of(self.shader)

    @property
    def unusable(self) -> str | None:
        """Why the snapshot cannot be compared; None if it can."""
        if self.shader.annotations:
            return f"Mesa printed an error in this dump: {self.shader.annotations[0].message}"
        if self.shader.unreadable:
            return f"a line of the dump cannot be read: {self.shader.unreadable[0].text.strip()}"
        if self.shader.damage is not None:
            return f"the dump is not whole: {self.shader.damage.reason}"
        return None


def compare_snapshots(
    before: RunnableSnapshot,
    after: RunnableSnapshot,
    pass_name: str,
    options: VerificationOptions | None = None,
    *,
    losses: Losses = Losses.WRONG,
    pipelines: Iterable[Sequence[Sequence[RunnableSnapshot]]] = (),
) -> SnapshotVerdict:
    """Compare a snapshot with the previous one.

    An output that was not written or undefined before may hold anything after. A difference in outputs that
    the rule of the pass declares as changed does not count. A difference between snapshots that do not speak
    the same language is `Unchecked`. `losses` says what slots mean that the second snapshot does not
    write any more. `pipelines` are those that a pass over several stages may have changed, each before and
    after: where this shader alone is not proved, they are. Never raises, whatever the shaders contain.
    """
    compared = _compared(before, after, pass_name, options, losses, pipelines)
    doubt = (
        mixed_coordinates(before.shader, after.shader) if isinstance(compared.verdict, Equivalent) else None
    )
    return compared if doubt is None else SnapshotVerdict(Unchecked(doubt), compared.remark)


def _compared(
    before: RunnableSnapshot,
    after: RunnableSnapshot,
    pass_name: str,
    options: VerificationOptions | None,
    losses: Losses,
    pipelines: Iterable[Sequence[Sequence[RunnableSnapshot]]],
) -> SnapshotVerdict:
    problem = before.unusable or after.unusable
    if problem is not None:
        return SnapshotVerdict(Unchecked(problem))
    (before,), (after,) = _with_facts_of_both([before], [after])
    if same_expressions(before.prepared, after.prepared, new_outputs_count=False):
        return SnapshotVerdict(PROVED)
    if any(_are_proved(*sides) for sides in pipelines):
        return SnapshotVerdict(PROVED, LINKED)
    comparison = _Comparison(before, after, options or VerificationOptions(), losses)
    verdict = comparison.verdict()
    if not isinstance(verdict, Different):
        return SnapshotVerdict(verdict, comparison.remark())
    if losses is Losses.UNCLEAR and _differs_in_losses_only(comparison):
        lost = ", ".join(comparison.names_of(comparison.lost))
        return SnapshotVerdict(Unchecked(f"{lost} is not written any more, and the log names no pass"))
    return _explained(comparison, rule_of(pass_name), pass_name, verdict)


def _with_facts_of_both(
    before: Sequence[RunnableSnapshot], after: Sequence[RunnableSnapshot]
) -> tuple[list[RunnableSnapshot], list[RunnableSnapshot]]:
    """Return the snapshots, or others of the shaders that lack a fact which the other side tells.

    A depth that the hardware writes by itself is none where the other side has no other.
    """
    sides = before, after
    completed = with_facts_of_both(*([snapshot.shader for snapshot in side] for side in sides))
    shaders = [list(map(without_default_depth, own, others)) for own, others in (completed, completed[::-1])]
    first, second = (
        [
            snapshot if snapshot.shader is shader else RunnableSnapshot(shader)
            for snapshot, shader in zip(side, own, strict=True)
        ]
        for side, own in zip(sides, shaders, strict=True)
    )
    return first, second


def _are_proved(before: Sequence[RunnableSnapshot], after: Sequence[RunnableSnapshot]) -> bool:
    """Whether a pipeline is proved to compute the same as before."""
    if any(runnable_snapshot.unusable is not None for runnable_snapshot in (*before, *after)):
        return False
    return (
        proved_linked(
            [runnable_snapshot.prepared for runnable_snapshot in before],
            [runnable_snapshot.prepared for runnable_snapshot in after],
        )
        is not None
    )


def compare_linked_snapshots(
    before: Sequence[RunnableSnapshot],
    after: Sequence[RunnableSnapshot],
    options: VerificationOptions | None = None,
) -> Verdict:
    """Compare stages in pipeline order, several of which a pass may have changed at once.

    An output that is undefined in all runs is not compared, so the verdict is `Unchecked` then: the stages
    may not belong together.
    """
    problem = next(
        (
            runnable_snapshot.unusable
            for runnable_snapshot in (*before, *after)
            if runnable_snapshot.unusable is not None
        ),
        None,
    )
    if problem is not None:
        return Unchecked(problem)
    for stage in (*before, *after):
        if (both := varyings_of_one_place(stage.shader)) is not None:
            names = " and ".join(variable.name for variable in both)
            return Unchecked(f"{names} are declared in one slot, so that the stages are not linked by slots")
    before, after = _with_facts_of_both(before, after)
    matters = WhatMatters(new_outputs_count=False)
    try:
        first, second = (
            Subject([runnable_snapshot.machine for runnable_snapshot in side], None, matters)
            for side in (before, after)
        )
    except Unsupported as reason:
        return Unchecked(str(reason))
    seen = ComparedPlaces(literal_outputs(before[-1].shader))
    verdict = compare_subjects(first, second, options or VerificationOptions(), seen)
    if isinstance(verdict, Equivalent):
        doubt = mixed_coordinates(before[-1].shader, after[-1].shader)
        return verdict if doubt is None else Unchecked(doubt)
    if not isinstance(verdict, Different):
        return verdict
    words, later = (
        frozenset().union(*(runnable_snapshot.words for runnable_snapshot in side))
        for side in (before, after)
    )
    return _in_other_words(words, later) or verdict


class _Comparison:
    """Two snapshots, compared in several ways if necessary."""

    def __init__(
        self,
        before: RunnableSnapshot,
        after: RunnableSnapshot,
        options: VerificationOptions,
        losses: Losses,
    ) -> None:
        self.before = before
        self.after = after
        self.options = options
        self.losses = losses
        written = [
            {slot for slot, _ in written_components(runnable_snapshot.shader)}
            for runnable_snapshot in (before, after)
        ]
        self.lost = frozenset(written[0] - written[1])
        self.dropped = self.lost if losses is Losses.RIGHT else frozenset[int]()
        self.seen = self._fresh_count()
        self.witness: Witness | None = None

    def verdict(
        self,
        concerns: Callable[[OutputKey], bool] | None = None,
        change: Callable[[Subject], Subject] | None = None,
        *,
        narrows: bool = False,
    ) -> Verdict:
        """Run both snapshots; `concerns` selects outputs, `change` transforms the second subject.

        With `narrows`, the rounding of 16-bit floats counts.
        """
        self.seen = self._fresh_count()
        self.witness = None
        dropped = self.dropped
        matters = WhatMatters(
            lambda key: key.slot not in dropped and (concerns is None or concerns(key)),
            new_outputs_count=False,
            narrows=narrows,
        )
        try:
            first, second = (
                Subject([runnable_snapshot.machine], self.options.assumptions.culling, matters)
                for runnable_snapshot in (self.before, self.after)
            )
            if change is not None:
                second = change(second)
            return compare_subjects(first, second, self.options, self.seen, self._keep)
        except Unsupported as reason:
            return Unchecked(str(reason))

    def with_free_rounding(self) -> _Comparison:
        """Return a comparison of the same snapshots in which no operation is exact."""
        before, after = (
            RunnableSnapshot(with_free_rounding(side.shader)) for side in (self.before, self.after)
        )
        return _Comparison(before, after, self.options, self.losses)

    def with_before(self, before: RunnableSnapshot) -> _Comparison:
        """Return a comparison of another form of the first snapshot."""
        return _Comparison(before, self.after, self.options, self.losses)

    def _keep(self, witness: Witness) -> None:
        self.witness = witness

    def instruction(self) -> FirstDifference | None:
        """Find the instruction at which the difference of the last verdict starts."""
        if self.witness is None:
            return None
        with suppress(Unsupported):
            return first_difference(
                self.before.machine,
                self.after.machine,
                self.witness.environment,
                self.witness.lane,
                lanes=self.witness.lanes,
                iteration_limit=self.witness.iteration_limit,
            )
        return None

    def remark(self) -> str:
        """Describe the outputs that needed no comparison."""
        parts = (
            ("undefined before", self.seen.undefined_outputs()),
            ("not written by this variant of the shader", self.names_of(self.dropped)),
        )
        return "; ".join(f"{what}: {', '.join(names)}" for what, names in parts if names)

    def names_of(self, slots: Collection[int]) -> list[str]:
        """Return the names of output slots."""
        stage = self.before.shader.stage or Stage.COMPUTE
        return [slot_name(slot, stage, is_output=True) for slot in sorted(slots)]

    def _fresh_count(self) -> ComparedPlaces:
        return ComparedPlaces(literal_outputs(self.before.shader), undefined_is_free=True)


def _differs_in_losses_only(comparison: _Comparison) -> bool:
    lost = comparison.lost
    return bool(lost) and not isinstance(comparison.verdict(lambda key: key.slot not in lost), Different)


def _explained(
    comparison: _Comparison, rule: ContractRule, pass_name: str, verdict: Different
) -> SnapshotVerdict:
    """Classify a difference that the rule of the pass, or the forms of addressing, could explain."""
    before, after = comparison.before, comparison.after
    stage = before.shader.stage or Stage.COMPUTE
    if rule.outputs and not (rule.keeps_writes and _loses_writes(before.shader, after.shader, rule, stage)):
        excused = _excused(comparison, rule, pass_name, stage)
        if not isinstance(excused.verdict, Different):
            return excused
        verdict = excused.verdict
    new = after.words - before.words
    if TEXTURES_BY_INDEX in new and (numbered := numbered_like(before.shader, after.shader)) is not None:
        comparison = comparison.with_before(RunnableSnapshot(numbered))
        of_numbered = comparison.verdict()
        if not isinstance(of_numbered, Different):
            return SnapshotVerdict(of_numbered, comparison.remark())
        verdict = of_numbered
    is_known = bool(rule.passes) or is_common(pass_name)
    is_laid_out = not is_known and not keeps_layout(before.shader, after.shader)
    may_readdress = rule.renumbers or (rule.readdresses and before.words != after.words)
    is_readdressed = bool(new) or (may_readdress and not keeps_addresses(before.shader, after.shader))
    if is_readdressed or is_laid_out:
        only_laid_out = not is_readdressed
        return SnapshotVerdict(_readdressed(comparison, pass_name, new, verdict, only_laid_out=only_laid_out))
    other_words = _in_other_words(before.words - _lost_writes(before, after), after.words)
    if other_words is not None:
        return SnapshotVerdict(other_words)
    if makes_integers_floats(before.shader, after.shader):
        return SnapshotVerdict(Unchecked(_other_forms(frozenset((INTEGERS_AS_FLOATS,)))))
    if rule.narrows:
        other = comparison.verdict(narrows=True)
        if not isinstance(other, Different):
            return SnapshotVerdict(other, f"{pass_name} {rule.what}")
        verdict = other
    is_converted = rule.texels and converts_texels(before.shader, after.shader)
    if rule.results or is_converted or (rule.narrows and narrows_integers(before.shader, after.shader)):
        return SnapshotVerdict(Unchecked(f"{pass_name} {rule.what}"))
    if "lower_" in pass_name and (fixed := fixed_system_values(before.shader, after.shader)):
        return SnapshotVerdict(
            Unchecked(f"{pass_name} may know {', '.join(fixed)}, which nothing reads any more")
        )
    own = own_accesses(before.shader) & own_accesses(after.shader)
    if own and not keeps_addresses(before.shader, after.shader):
        return SnapshotVerdict(
            Unchecked(f"{', '.join(sorted(own))} may have the same addresses in another form")
        )
    if rule.texels and clamps_coordinates(before.shader, after.shader):
        return SnapshotVerdict(
            Unchecked(f"{pass_name} clamps coordinates, by states of samplers that dumps do not say")
        )
    name = lowered_exactly(before.shader, after.shader)
    if name is not None and not isinstance(comparison.with_free_rounding().verdict(), Different):
        return SnapshotVerdict(
            Unchecked(
                f"an exact {name} is computed by other operations, and how they round the driver chooses"
            )
        )
    if not is_known and (reason := _of_the_driver(comparison, pass_name)) is not None:
        return SnapshotVerdict(Unchecked(reason))
    return SnapshotVerdict(verdict, instruction=comparison.instruction(), witness=comparison.witness)


def _excused(comparison: _Comparison, rule: ContractRule, pass_name: str, stage: Stage) -> SnapshotVerdict:
    """Compare the outputs that the rule does not name, then those that it names and that are still written.

    A rule excuses that an output is gone or has another value; which other value is right is not known.
    """
    why = f"{pass_name} {rule.what}"
    others = comparison.verdict(lambda key: not _is_one_of(key, rule.outputs, stage))
    if not isinstance(others, Equivalent):
        return SnapshotVerdict(others, why)
    written = {slot for slot, _ in written_components(comparison.after.shader)}
    kept = comparison.verdict(lambda key: key.slot in written or not _is_one_of(key, rule.outputs, stage))
    if isinstance(kept, Different):
        return SnapshotVerdict(Unchecked(f"{why}, and what they have to be is not known"))
    return SnapshotVerdict(kept, why)


def _loses_writes(before: Shader, after: Shader, rule: ContractRule, stage: Stage) -> bool:
    """Whether a component of an output that the rule names is not stored any more."""
    lost = written_components(before) - written_components(after)
    return any(_is_one_of(OutputKey(slot, component), rule.outputs, stage) for slot, component in lost)


def _lost_writes(before: RunnableSnapshot, after: RunnableSnapshot) -> frozenset[str]:
    """Return the forms of writes to external state that went without others in their place."""
    old, new = (external_writes(runnable_snapshot.shader) for runnable_snapshot in (before, after))
    is_replaced = any(count > old[form] for form, count in new.items())
    return frozenset() if is_replaced else frozenset(old.keys() - new.keys())


def _in_other_words(before: frozenset[str], after: frozenset[str]) -> Unchecked | None:
    """Return the verdict on a difference between snapshots in different languages; None for the same one."""
    if new := after - before:
        return Unchecked(_other_forms(new))
    gone = before - after
    if lost := replaceable(gone) | replaced_words(gone):
        return Unchecked(
            f"the first snapshot uses {', '.join(sorted(lost))}, which the second computes otherwise"
        )
    if unclear := unclear_words(before & after):
        return Unchecked(f"the snapshots use {', '.join(sorted(unclear))}, which only the driver defines")
    return None


def _of_the_driver(comparison: _Comparison, pass_name: str) -> str | None:
    """Return why a difference may be the purpose of a driver's own pass; None if nothing says so.

    Passes of common code keep the meaning of NIR. Those of a driver may give it another one: lower to what
    only the hardware defines, number and address resources as the hardware does, or leave outputs to another
    variant.
    """
    before, after = comparison.before.shader, comparison.after.shader
    if "lower" in pass_name:
        return f"{pass_name} lowers to what only this driver's hardware defines"
    if name := changed_angle(before, after):
        return (
            f"{pass_name} changes the angle of an {name}, and how the hardware takes it only the driver knows"
        )
    if interpolates_at_samples(before) and not interpolates_at_samples(after):
        return f"{pass_name} reads inputs at the centers of pixels, as is right with one sample for each"
    if numbers := new_numbers(before, after):
        return f"the second snapshot numbers its resources otherwise: {', '.join(numbers)}"
    if _differs_in_losses_only(comparison):
        return f"{', '.join(comparison.names_of(comparison.lost))} is not written any more"
    return None


_CONSTANT_DATA = frozenset(("constant data by offset",))


def _readdressed(
    comparison: _Comparison,
    pass_name: str,
    new: frozenset[str],
    different: Different,
    *,
    only_laid_out: bool,
) -> Verdict:
    """Return the verdict with the memory contents moved to their new addresses.

    It is `different` only if constant data is all that is new, and no contents of it give the same results.
    """
    subjects: list[Readdressed] = []

    def change(after: Subject) -> Subject:
        subjects.append(Readdressed(comparison.before.machine, after, only_laid_out=only_laid_out))
        return subjects[-1]

    what = rule_of(pass_name).what or "moves push constants or uniforms"
    forms = _other_forms(new) if new else f"{pass_name} {what}"
    try:
        verdict = comparison.verdict(change=change)
    except Unsupported:
        return Unchecked(forms)
    if new == _CONSTANT_DATA and any(subject.contradicts_constants for subject in subjects):
        return different
    return verdict if isinstance(verdict, Equivalent) else Unchecked(forms)


def _other_forms(new: frozenset[str]) -> str:
    return f"the second snapshot uses {', '.join(sorted(new))}, which the first does not name"


def _is_one_of(key: OutputKey, slots: frozenset[str], stage: Stage) -> bool:
    if isinstance(key.slot, str):
        return False
    return short_slots(slot_name(key.slot, stage, is_output=True)) in slots


LINKED = "compared with the other stages of the pipeline"
"""Remark of a verdict on all stages."""

QUICK = replace(VerificationOptions(), most_runs=6, time_budget=10.0)
"""Options for long logs."""
