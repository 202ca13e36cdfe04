"""The pass `opt_discard_if`: conversion of discards alone in a branch to conditional discards.

Mesa's nir_opt_conditional_discard requires that the other branch is empty and no phi follows. This pass
follows `opt_discard_if` of the discard patch series of 2018: the discard may be in either branch, and the
other branch may contain anything.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from nirls.ir.analysis.analysis_cache import cached_analysis
from nirls.ir.finding import FindingCode, Place, Severity
from nirls.ir.model.builder import Builder
from nirls.ir.model.clone import clone_shader
from nirls.ir.model.control_flow import Block, CfNode, FunctionImpl, If, Loop
from nirls.ir.model.control_flow_edit import Replacement, body_is_empty, phi_source_from, replace_nodes
from nirls.ir.model.instructions import AluInstr, IntrinsicInstr, PhiInstr
from nirls.ir.model.shader import Shader
from nirls.ir.model.span import Span
from nirls.ir.model.stage import Stage
from nirls.ir.model.values import AluSrc, Def, Src
from nirls.passes.booleans import is_conjunction
from nirls.passes.declaration import Pass, Site
from nirls.passes.discards.kinds import CONDITIONAL_FORM, is_conditional, is_demote, is_discard
from nirls.passes.discards.plan import plan_moves

CONDITIONAL_DISCARD = FindingCode(
    "conditional-discard", "Branch that contains only a discard", Severity.INFORMATION
)

_SELECTION = {1: "bcsel", 8: "b8csel", 16: "b16csel", 32: "b32csel"}


@dataclass(frozen=True)
class OptDiscardIf(Pass):
    """Convert a discard that is alone in a branch to a conditional discard."""

    name = "opt_discard_if"
    stages = frozenset((Stage.FRAGMENT,))
    codes = (CONDITIONAL_DISCARD,)

    def apply(self, shader: Shader) -> bool:
        return opt_discard_if(shader)

    def sites(self, shaders: Sequence[Shader]) -> Iterable[Site]:
        for dump, shader in enumerate(shaders):
            alone = [
                (node, discard)
                for impl in shader.impls()
                for node in impl.cf_nodes()
                if isinstance(node, If) and (discard := lone_discard(node)) is not None
            ]
            movable = _reported_as_movable(shader) if alone else set()
            for node, discard in alone:
                # opt_move_discards_to_top reports those that it can move.
                if discard.span not in movable:
                    yield self._site(discard, Place.of(discard.span, dump), _is_all_of(node))

    def _site(self, discard: IntrinsicInstr, place: Place, is_all: bool) -> Site:
        conditional = CONDITIONAL_FORM.get(discard.name, discard.name)
        finding = CONDITIONAL_DISCARD.at(
            place,
            f"this {'if' if is_all else 'branch'} contains only {discard.name}: use {conditional}",
            data={"kind": discard.name},
        )
        return Site(finding, whole=f"Run {self.name}")


def opt_discard_if(shader: Shader, only: Span | None = None) -> bool:
    """Replace `if c { discard }` by `discard_if c` before the rest of the if, innermost ifs first.

    Applies also to terminate and demote, to the conditional forms, and to a discard in the else branch (the
    condition is inverted). An unconditional discard or terminate ends all invocations of its branch, so the
    other branch no longer needs the if, and phis take its values. Otherwise invocations of the branch can
    continue (after a demote as helpers): the if stays if the other branch is not empty, else it is removed
    and its phis become selections. With `only`, only the discard of that line is converted.
    """
    changed = [impl for impl in shader.impls() if _ImplPass(impl, only).run()]
    return bool(changed)


def has_lone_discard(shader: Shader) -> bool:
    """Whether `opt_discard_if` would change the shader."""
    return any(
        isinstance(node, If) and lone_discard(node) is not None
        for impl in shader.impls()
        for node in impl.cf_nodes()
    )


def _reported_as_movable(shader: Shader) -> set[Span | None]:
    return {
        movable.discard.span
        for impl in with_conditional_discards(shader).impls()
        for movable in plan_moves(impl, derivatives_safe_after_discard=False).movable
        if movable.skipped.instructions
    }


@cached_analysis
def with_conditional_discards(shader: Shader) -> Shader:
    """Return the shader after `opt_discard_if`: itself if that changes nothing, else a copy."""
    if not has_lone_discard(shader):
        return shader
    copy = clone_shader(shader)
    opt_discard_if(copy)
    return copy


def _is_all_of(node: If) -> bool:
    return body_is_empty(node.then_body) or body_is_empty(node.else_body)


def lone_discard(node: If) -> IntrinsicInstr | None:
    """Return the only instruction of a branch if it is a discard that can take the condition, else None."""
    if node.condition.def_ is None:
        return None
    for branch, truth in ((node.then_body, True), (node.else_body, False)):
        discard = _only_discard(branch)
        if discard is not None:
            own = [(src.ssa, True) for src in discard.sources]
            return discard if is_conjunction([(node.condition.ssa, truth), *own]) else None
    return None


def _only_discard(branch: Sequence[CfNode]) -> IntrinsicInstr | None:
    if len(branch) != 1 or not isinstance(branch[0], Block):
        return None
    only = branch[0].first
    if only is None or only.next is not None or not isinstance(only, IntrinsicInstr) or not is_discard(only):
        return None
    if is_conditional(only) and (not only.sources or only.sources[0].def_ is None):
        return None
    return only


class _ImplPass:
    """The pass over one function body."""

    def __init__(self, impl: FunctionImpl, only: Span | None) -> None:
        self.impl = impl
        self.only = only
        self.builder: Builder | None = None
        self.emptied = False

    def run(self) -> bool:
        replaced = replace_nodes(self.impl, self._decide)
        return replaced or self.emptied

    def _decide(self, node: If | Loop, before: Block, after: Block) -> Replacement | None:
        if not isinstance(node, If):
            return None
        replacement: Replacement | None = None
        while replacement is None and (discard := lone_discard(node)) is not None:
            if self.only is not None and discard.span != self.only:
                break
            replacement = self._hoist(node, discard, before, after)
        return replacement

    def _hoist(self, node: If, discard: IntrinsicInstr, before: Block, after: Block) -> Replacement | None:
        """Insert the conditional form before the if; return the replacement of the if, None to keep it."""
        in_then = discard.block is node.then_body[0]
        branch, other = (node.then_body, node.else_body) if in_then else (node.else_body, node.then_body)
        builder = self._at_end_of(before)
        condition = self._condition(node, discard, in_then, builder)
        ends_all = not is_demote(discard) and not is_conditional(discard)
        hoisted = IntrinsicInstr(
            CONDITIONAL_FORM.get(discard.name, discard.name), [Src(condition)], discard.indices
        )
        hoisted.span, hoisted.comment = discard.span, discard.comment
        builder.insert(hoisted)
        discard.remove()
        if ends_all:
            return self._without_branch(branch, other, after)
        if not body_is_empty(other):
            self.emptied = True
            return None
        for phi in list(after.phis()):
            self._select(phi, node, builder)
        return ()

    def _condition(self, node: If, discard: IntrinsicInstr, in_then: bool, builder: Builder) -> Def:
        condition = node.condition.ssa
        if not in_then:
            condition = builder.alu("inot", [condition], 1, condition.bit_size)
        if is_conditional(discard):
            inner = discard.sources[0].ssa
            condition = builder.alu("iand", [condition, inner], 1, condition.bit_size)
        return condition

    def _without_branch(self, branch: list[CfNode], other: list[CfNode], after: Block) -> Replacement:
        for phi in after.phis():
            source = phi_source_from(phi, branch)
            if source is not None:
                phi.remove_source(source)
        return other

    def _select(self, phi: PhiInstr, node: If, builder: Builder) -> None:
        """Replace a phi after an empty if by a selection before it."""
        value = phi.def_
        taken, other = phi_source_from(phi, node.then_body), phi_source_from(phi, node.else_body)
        if value is None or taken is None or other is None or taken.def_ is None or other.def_ is None:
            return
        if taken.def_ is other.def_:
            return
        condition = node.condition.ssa
        width = value.num_components
        whole = tuple(range(width))
        selection = AluInstr(
            _SELECTION.get(condition.bit_size, "bcsel"),
            [AluSrc(condition, (0,) * width), AluSrc(taken.def_, whole), AluSrc(other.def_, whole)],
        )
        twin = selection.make_def(value.index, width, value.bit_size, value.divergent)
        selection.span = phi.span
        builder.insert(selection)
        value.replace_all_uses_with(twin)
        phi.remove()

    def _at_end_of(self, block: Block) -> Builder:
        if self.builder is None:
            self.builder = Builder(self.impl, block)
        return self.builder.at_end_of(block)
