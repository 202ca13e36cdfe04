"""The pass `opt_move_discards_to_top`: discards as early as they may go, so that the rest need not run.

After Mesa's pass of that name and the patch that introduced it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from nirls.ir.model.clone import clone_shader
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
from nirls.passes.discards.codes import (
    DERIVATIVES_SAFE,
    MOVABLE_DISCARD,
    MOVE_DISCARDS,
    ONLY_FIRST,
    UNMOVABLE_DISCARD,
)
from nirls.passes.discards.kinds import is_conditional, is_discard
from nirls.passes.discards.plan import Movable, MovePlan, Unmovable, needed_for, plan_moves
from nirls.passes.finding import Change, Finding, Fix, Place, Related
from nirls.passes.registry import Option, Options

_MOST_RELATED = 5
_COSTS_NOTHING = (LoadConstInstr, UndefInstr, DerefInstr)


def run(shaders: Sequence[Shader], options: Options) -> list[Shader]:
    """Apply the pass in place; returns the shaders that changed."""
    safe, first = _flag(options, DERIVATIVES_SAFE), _flag(options, ONLY_FIRST)
    return [
        shader
        for shader in shaders
        if opt_move_discards_to_top(shader, derivatives_safe_after_discard=safe, only_first=first)
    ]


def find(shaders: Sequence[Shader], options: Options) -> Iterable[Finding]:
    """What each discard could skip if it moved, or the one reason why it cannot."""
    for shader in shaders:
        for impl in shader.impls():
            yield from _Reporter(shader, impl, options).findings()


def opt_move_discards_to_top(
    shader: Shader, *, derivatives_safe_after_discard: bool = False, only_first: bool = False
) -> bool:
    """Move all discards that can to the top, with what they depend on, in their order.

    The conditional forms at the top level of control flow move; `opt_discard_if` makes more of them.
    With `only_first`, only the first one of a function that can moves: in Mesa 22.3, finding one ended the
    search; 25.0 moves them all.
    """
    progress = False
    for impl in shader.impls():
        plan = plan_moves(impl, derivatives_safe_after_discard=derivatives_safe_after_discard)
        moving = plan.movable[:1] if only_first else plan.movable
        needed = {instr for movable in moving for instr in movable.needed}
        progress |= _move_to_top(impl, needed)
    return progress


def why_not_movable(discard: IntrinsicInstr, options: Options | None = None) -> str:
    """The one reason why a discard cannot move to the top; "" if it can, or is none."""
    impl = _impl_of(discard)
    if impl is None or not is_discard(discard):
        return ""
    plan = plan_moves(impl, derivatives_safe_after_discard=_flag(options or {}, DERIVATIVES_SAFE))
    return next((one.reason for one in plan.unmovable if one.discard is discard), "")


def _move_to_top(impl: FunctionImpl, wanted: set[Instr]) -> bool:
    """Move instructions to the start of the function in the order in which they stand."""
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


def _flag(options: Options, option: Option) -> bool:
    return bool(options.get(option.name, option.default))


def _impl_of(instr: Instr) -> FunctionImpl | None:
    parent = None if instr.block is None else instr.block.parent
    while isinstance(parent, If | Loop):
        parent = parent.parent
    return parent


class _Reporter:
    """Words the plan for one function as findings."""

    def __init__(self, shader: Shader, impl: FunctionImpl, options: Options) -> None:
        self.shader = shader
        self.impl = impl
        self.safe = _flag(options, DERIVATIVES_SAFE)
        self.plan: MovePlan = plan_moves(impl, derivatives_safe_after_discard=self.safe)

    def findings(self) -> Iterable[Finding]:
        if not self.plan.movable and not self.plan.unmovable:
            return
        movable_of = {movable.discard: movable for movable in self.plan.movable}
        moving = {instr for movable in self.plan.movable for instr in movable.needed}
        skipped = 0
        fetches: list[Instr] = []
        first_skipped: list[Instr] = []
        for instr in self.impl.instrs():
            movable = movable_of.get(instr) if isinstance(instr, IntrinsicInstr) else None
            if movable is not None and skipped:
                yield from self._movable(movable, skipped, len(fetches), fetches or first_skipped)
            if instr in moving:
                continue
            skipped += 1
            if not first_skipped and not isinstance(instr, _COSTS_NOTHING):
                first_skipped.append(instr)
            if isinstance(instr, TexInstr):
                fetches.append(instr)
        for unmovable in self.plan.unmovable:
            if unmovable.discard.span is not None:
                yield self._unmovable(unmovable, unmovable.discard.span)

    def _movable(
        self, movable: Movable, skipped: int, fetches: int, examples: Sequence[Instr]
    ) -> Iterable[Finding]:
        span = movable.discard.span
        if span is None:
            return
        message = f"{movable.discard.name} can move {_count(skipped, 'instruction')} up"
        if fetches:
            message += f", past {_count(fetches, 'texture fetch', 'es')}"
        related = [
            Related(Place(self.shader, instr.span), _skips(instr))
            for instr in examples[:_MOST_RELATED]
            if instr.span is not None
        ]
        yield Finding(
            MOVABLE_DISCARD,
            Place(self.shader, span),
            message,
            MOVE_DISCARDS,
            related=tuple(related),
            fixes=self._fixes(movable, span),
            data={"kind": movable.discard.name, "instructions": skipped, "fetches": fetches},
        )

    def _unmovable(self, unmovable: Unmovable, span: Span) -> Finding:
        cause = unmovable.because_of
        related: tuple[Related, ...] = ()
        if cause is not None and cause.span is not None and cause is not unmovable.discard:
            related = (Related(Place(self.shader, cause.span), "because of this"),)
        return Finding(
            UNMOVABLE_DISCARD,
            Place(self.shader, span),
            f"{unmovable.discard.name} cannot move up: {unmovable.reason}",
            MOVE_DISCARDS,
            related=related,
            data={
                "kind": unmovable.discard.name,
                "reason": unmovable.reason,
                "conditional": is_conditional(unmovable.discard),
            },
        )

    def _fixes(self, movable: Movable, span: Span) -> tuple[Fix, ...]:
        name = movable.discard.name
        key = f"{MOVABLE_DISCARD.code}:{self.impl.function.name}:{span.start}"
        fixes = [Fix(f"Move this {name} to the top", key, self._moving_one(span), preferred=True)]
        if len(self.plan.movable) > 1:
            fixes.append(
                Fix("Move all discards to the top", f"{MOVE_DISCARDS}:all", self._moving_all, "pass")
            )
        return tuple(fixes)

    def _moving_one(self, span: Span) -> Callable[[], list[Change]]:
        def compute() -> list[Change]:
            after = clone_shader(self.shader)
            for impl in after.impls():
                for movable in plan_moves(impl, derivatives_safe_after_discard=self.safe).movable:
                    if movable.discard.span == span:
                        moved = _move_to_top(impl, needed_for(movable.discard))
                        return [Change(self.shader, after)] if moved else []
            return []

        return compute

    def _moving_all(self) -> list[Change]:
        after = clone_shader(self.shader)
        changed = opt_move_discards_to_top(after, derivatives_safe_after_discard=self.safe)
        return [Change(self.shader, after)] if changed else []


def _count(number: int, noun: str, plural: str = "s") -> str:
    return f"{number} {noun}{'' if number == 1 else plural}"


def _skips(instr: Instr) -> str:
    what = instr.op if isinstance(instr, TexInstr) else instr.kind
    return f"a discarded invocation would skip this {what}"
