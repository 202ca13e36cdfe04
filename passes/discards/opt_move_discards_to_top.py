"""The pass `opt_move_discards_to_top`: code motion of discards to the start of the function.

Follows Mesa's pass of that name and the patch that introduced it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from nirls.ir.finding import Finding, FindingCode, Place, Related, Severity
from nirls.ir.model.builder import Builder
from nirls.ir.model.control_flow import Block, FunctionImpl, If, Loop
from nirls.ir.model.control_flow_edit import Replacement, body_is_empty, replace_nodes
from nirls.ir.model.instructions import Instr, IntrinsicInstr, PhiInstr, operation_name
from nirls.ir.model.shader import Shader
from nirls.ir.model.span import Span
from nirls.ir.model.stage import Stage
from nirls.ir.model.values import Def, Src
from nirls.passes.declaration import Pass, Site, SiteFix, option
from nirls.passes.discards.kinds import CONDITIONAL_FORM, is_conditional, is_demote, is_discard
from nirls.passes.discards.opt_discard_if import opt_discard_if, with_conditional_discards
from nirls.passes.discards.plan import (
    Movable,
    MovePlan,
    Path,
    Unmovable,
    needed_for,
    plan_moves,
)

MOVABLE_DISCARD = FindingCode("movable-discard", "Discard that could move to the top", Severity.INFORMATION)
UNMOVABLE_DISCARD = FindingCode("unmovable-discard", "Discard that cannot move to the top", Severity.HINT)


@dataclass(frozen=True)
class OptMoveDiscardsToTop(Pass):
    """Move conditional discards to the start of the function."""

    name = "opt_move_discards_to_top"
    stages = frozenset((Stage.FRAGMENT,))
    codes = (MOVABLE_DISCARD, UNMOVABLE_DISCARD)

    derivatives_safe_after_discard: bool = option(
        False,
        "the driver keeps discarded invocations as helpers, so derivatives after a discard are defined",
    )
    only_first: bool = option(False, "move only the first movable discard of a function, as Mesa 22.3 does")

    def apply(self, shader: Shader) -> bool:
        return opt_move_discards_to_top(
            shader,
            derivatives_safe_after_discard=self.derivatives_safe_after_discard,
            only_first=self.only_first,
        )

    def sites(self, shaders: Sequence[Shader]) -> Iterable[Site]:
        for dump, shader in enumerate(shaders):
            written = {instr.span: instr for instr in shader.instrs() if is_discard(instr)}
            if not written:
                continue
            for impl in with_conditional_discards(shader).impls():
                yield from self._sites(shader, impl, dump, written)

    def why_not_movable(self, shader: Shader, discard: IntrinsicInstr) -> str:
        """Return the reason why a discard of a shader cannot move to the top; "" if it can, or is none."""
        return next(
            (
                unmovable.reason
                for impl in with_conditional_discards(shader).impls()
                for unmovable in self._plan(impl).unmovable
                if unmovable.discard.span == discard.span
            ),
            "",
        )

    def _plan(self, impl: FunctionImpl) -> MovePlan:
        return plan_moves(impl, derivatives_safe_after_discard=self.derivatives_safe_after_discard)

    def _move(self, shader: Shader, span: Span) -> list[Shader]:
        """Move the discard of a line, after converting it alone to a conditional one."""
        opt_discard_if(shader, only=span)
        for impl in shader.impls():
            for movable in self._plan(impl).movable:
                if movable.discard.span == span:
                    needed = needed_for(movable.discard, movable.path)
                    return [shader] if _move_to_top(impl, needed, [movable]) else []
        return []

    def _sites(
        self, shader: Shader, impl: FunctionImpl, dump: int, written: Mapping[Span | None, Instr]
    ) -> Iterable[Site]:
        plan = self._plan(impl)
        whole = "Move all discards to the top" if len(plan.movable) > 1 else ""
        for movable in plan.movable:
            span = movable.discard.span
            if movable.skipped.instructions and span is not None:
                name = operation_name(written[span])
                fix = SiteFix(f"Move this {name} to the top", partial(self._move, shader, span))
                yield Site(_movable(movable, name, Place.of(span, dump)), (fix,), whole=whole)
        for unmovable in plan.unmovable:
            span = unmovable.discard.span
            # One that opt_discard_if changes has the finding of that pass.
            if span is not None and operation_name(written[span]) == unmovable.discard.name:
                yield Site(_unmovable(unmovable, Place.of(span, dump)))


def opt_move_discards_to_top(
    shader: Shader, *, derivatives_safe_after_discard: bool = False, only_first: bool = False
) -> bool:
    """Move all movable discards to the top, with their dependencies, keeping their order.

    Runs `opt_discard_if` first. A discard that is still inside ifs becomes conditional on all of their
    conditions. With `only_first`, only the first movable one of each function moves, as in Mesa 22.3; Mesa
    25.0 moves all.
    """
    progress = opt_discard_if(shader)
    again = True
    while again:
        moved = False
        for impl in shader.impls():
            plan = plan_moves(impl, derivatives_safe_after_discard=derivatives_safe_after_discard)
            moving = plan.movable[:1] if only_first else plan.movable
            moved |= _move_to_top(impl, {instr for movable in moving for instr in movable.needed}, moving)
        progress |= moved
        # A discard that could not move may be alone in its branch now.
        again = moved and not only_first and opt_discard_if(shader)
    return progress


def _move_to_top(impl: FunctionImpl, wanted: set[Instr], discards: Iterable[Movable]) -> bool:
    """Move instructions to the start of the function, keeping their order.

    `discards` are those among them; the ones inside ifs become conditional.
    """
    if not wanted or not impl.body or not isinstance(impl.body[0], Block):
        return False
    paths = {movable.discard: movable.path for movable in discards if movable.path}
    progress = False
    start = impl.body[0]
    last: Instr | None = None
    builder = Builder(impl, start)
    for moved in [instr for instr in impl.instrs() if instr in wanted]:
        instr = moved
        path = paths.get(instr) if isinstance(instr, IntrinsicInstr) else None
        if instr.block is not start or instr.prev is not last:
            instr.unlink()
            start.insert_after(last, instr)
            progress = True
        if path is not None and isinstance(instr, IntrinsicInstr):
            builder.before_instr(instr)
            instr = _make_conditional(instr, path, builder)
        last = instr
    _remove_empty(impl, {node for path in paths.values() for node, _ in path})
    return progress


def _make_conditional(discard: IntrinsicInstr, path: Path, builder: Builder) -> IntrinsicInstr:
    """Make a discard conditional on being in the branches of a path; return it or its replacement."""
    conditions = [_taken(node.condition.ssa, in_then, builder) for node, in_then in path]
    conditions += [src.ssa for src in discard.sources]
    condition = conditions[0]
    for other in conditions[1:]:
        condition = builder.alu("iand", [condition, other], 1, condition.bit_size)
    if is_conditional(discard):
        discard.sources[0].set_def(condition)
        return discard
    conditional = IntrinsicInstr(CONDITIONAL_FORM[discard.name], [Src(condition)], discard.indices)
    conditional.span, conditional.comment = discard.span, discard.comment
    builder.insert(conditional)
    discard.remove()
    return conditional


def _taken(condition: Def, in_then: bool, builder: Builder) -> Def:
    return condition if in_then else builder.alu("inot", [condition], 1, condition.bit_size)


def _remove_empty(impl: FunctionImpl, ifs: set[If]) -> None:
    """Remove those ifs whose branches are empty now."""

    def decide(node: If | Loop, before: Block, after: Block) -> Replacement | None:
        if node not in ifs or isinstance(after.first, PhiInstr):
            return None
        return () if all(map(body_is_empty, node.bodies())) else None

    if ifs:
        replace_nodes(impl, decide)


def _movable(movable: Movable, name: str, place: Place) -> Finding:
    discard, skipped = movable.discard, movable.skipped
    conditional = CONDITIONAL_FORM.get(name)
    becomes = "" if conditional is None else f" as {conditional}"
    who = "demoted quads" if is_demote(discard) else "discarded invocations"
    related = (
        Related(Place.of(instr.span, place.dump), f"{who} would skip this {operation_name(instr)}")
        for instr in (skipped.fetches or skipped.others[:1])
        if instr.span is not None
    )
    data = {"kind": name, "instructions": skipped.instructions}
    return MOVABLE_DISCARD.at(
        place,
        f"{name} can move up{becomes}: {who} skip {skipped}",
        related=related,
        data=data | skipped.counts,
        gain=skipped.instructions,
    )


def _unmovable(unmovable: Unmovable, place: Place) -> Finding:
    cause = unmovable.because_of
    related: tuple[Related, ...] = ()
    if cause is not None and cause.span is not None and cause is not unmovable.discard:
        related = (Related(Place.of(cause.span, place.dump), "the obstacle"),)
    return UNMOVABLE_DISCARD.at(
        place,
        f"{unmovable.discard.name} cannot move up: {unmovable.reason}",
        related=related,
        data={
            "kind": unmovable.discard.name,
            "reason": unmovable.reason,
            "conditional": is_conditional(unmovable.discard),
        },
    )
