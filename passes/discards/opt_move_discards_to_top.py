"""The pass `opt_move_discards_to_top`: code motion of discards to the start of the function.

Follows Mesa's pass of that name and the patch that introduced it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from nirls.ir.finding import Finding, FindingCode, Fix, Place, Related, Severity, counted
from nirls.ir.model.control_flow import Block, FunctionImpl, If, Loop
from nirls.ir.model.instructions import (
    DerefInstr,
    Instr,
    IntrinsicInstr,
    LoadConstInstr,
    TexInstr,
    UndefInstr,
)
from nirls.ir.model.shader import Shader
from nirls.ir.model.span import Span
from nirls.ir.model.stage import Stage
from nirls.passes.declaration import Change, Pass, changes, option
from nirls.passes.discards.kinds import is_conditional, is_discard
from nirls.passes.discards.plan import MovePlan, Unmovable, needed_for, plan_moves

MOVABLE_DISCARD = FindingCode("movable-discard", "Discard that could move to the top", Severity.INFORMATION)
UNMOVABLE_DISCARD = FindingCode("unmovable-discard", "Discard that cannot move to the top", Severity.HINT)

_MOST_RELATED = 5
_ALL = f"{MOVABLE_DISCARD.code}:all"
_COSTS_NOTHING = (LoadConstInstr, UndefInstr, DerefInstr)


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

    def find(self, shaders: Sequence[Shader]) -> Iterable[Finding]:
        for dump, shader in enumerate(shaders):
            for impl in shader.impls():
                yield from self._findings(impl, dump)

    def fix(self, shaders: Sequence[Shader], key: str) -> list[Change]:
        if key == _ALL:
            return changes(shaders, replace(self, only_first=False).run)
        return changes(shaders, lambda copies: [one for one in copies if self._move_one(one, key)])

    def why_not_movable(self, discard: IntrinsicInstr) -> str:
        """Return the reason why a discard cannot move to the top; "" if it can, or is not a discard."""
        impl = _impl_of(discard)
        if impl is None or not is_discard(discard):
            return ""
        return next((one.reason for one in self._plan(impl).unmovable if one.discard is discard), "")

    def _plan(self, impl: FunctionImpl) -> MovePlan:
        return plan_moves(impl, derivatives_safe_after_discard=self.derivatives_safe_after_discard)

    def _move_one(self, shader: Shader, key: str) -> bool:
        for impl in shader.impls():
            for movable in self._plan(impl).movable:
                if movable.discard.span is not None and _key(impl, movable.discard.span) == key:
                    return _move_to_top(impl, needed_for(movable.discard))
        return False

    def _findings(self, impl: FunctionImpl, dump: int) -> Iterable[Finding]:
        plan = self._plan(impl)
        if not plan.movable and not plan.unmovable:
            return
        movable_of = {movable.discard: movable for movable in plan.movable}
        moving = {instr for movable in plan.movable for instr in movable.needed}
        skipped = 0
        fetches: list[Instr] = []
        first_skipped: list[Instr] = []
        for instr in impl.instrs():
            movable = movable_of.get(instr) if isinstance(instr, IntrinsicInstr) else None
            if movable is not None and skipped and movable.discard.span is not None:
                fixes = _fixes(movable.discard.name, _key(impl, movable.discard.span), len(plan.movable))
                place = Place.of(movable.discard.span, dump)
                examples = fetches or first_skipped
                yield _movable(movable.discard, place, skipped, len(fetches), examples, fixes)
            if instr in moving:
                continue
            skipped += 1
            if not first_skipped and not isinstance(instr, _COSTS_NOTHING):
                first_skipped.append(instr)
            if isinstance(instr, TexInstr):
                fetches.append(instr)
        for unmovable in plan.unmovable:
            if unmovable.discard.span is not None:
                yield _unmovable(unmovable, Place.of(unmovable.discard.span, dump))


def opt_move_discards_to_top(
    shader: Shader, *, derivatives_safe_after_discard: bool = False, only_first: bool = False
) -> bool:
    """Move all movable discards to the top, with their dependencies, keeping their order.

    Only conditional forms at the top level of control flow are movable; `opt_discard_if` creates more of
    them. With `only_first`, only the first movable one of each function moves, as in Mesa 22.3; Mesa 25.0
    moves all.
    """
    progress = False
    for impl in shader.impls():
        plan = plan_moves(impl, derivatives_safe_after_discard=derivatives_safe_after_discard)
        moving = plan.movable[:1] if only_first else plan.movable
        needed = {instr for movable in moving for instr in movable.needed}
        progress |= _move_to_top(impl, needed)
    return progress


def _move_to_top(impl: FunctionImpl, wanted: set[Instr]) -> bool:
    """Move instructions to the start of the function, keeping their order."""
    if not wanted or not impl.body or not isinstance(impl.body[0], Block):
        return False
    progress = False
    start = impl.body[0]
    last: Instr | None = None
    for instr in [instr for instr in impl.instrs() if instr in wanted]:
        if instr.block is not start or instr.prev is not last:
            instr.unlink()
            start.insert_after(last, instr)
            progress = True
        last = instr
    return progress


def _impl_of(instr: Instr) -> FunctionImpl | None:
    parent = None if instr.block is None else instr.block.parent
    while isinstance(parent, If | Loop):
        parent = parent.parent
    return parent


def _key(impl: FunctionImpl, span: Span) -> str:
    return f"{MOVABLE_DISCARD.code}:{impl.function.name}:{span.start}"


def _fixes(name: str, key: str, how_many: int) -> Iterable[Fix]:
    yield Fix(f"Move this {name} to the top", key, preferred=True)
    if how_many > 1:
        yield Fix("Move all discards to the top", _ALL, "pass")


def _movable(
    discard: IntrinsicInstr,
    place: Place,
    skipped: int,
    fetches: int,
    examples: Sequence[Instr],
    fixes: Iterable[Fix],
) -> Finding:
    message = f"{discard.name} can move {counted(skipped, 'instruction')} up"
    if fetches:
        message += f", past {counted(fetches, 'texture fetch', 'texture fetches')}"
    related = (
        Related(Place.of(instr.span, place.dump), _skips(instr))
        for instr in examples[:_MOST_RELATED]
        if instr.span is not None
    )
    data = {"kind": discard.name, "instructions": skipped, "fetches": fetches}
    return MOVABLE_DISCARD.at(place, message, related=related, fixes=fixes, data=data)


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


def _skips(instr: Instr) -> str:
    what = instr.op if isinstance(instr, TexInstr) else instr.kind
    return f"discarded invocations would skip this {what}"
