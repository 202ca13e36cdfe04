"""The pass `opt_barriers`: barriers that order nothing go.

After the design "New Tessellation Control Shader Optimizations for NIR": of two barriers with no access
between, the first one goes, and so does one behind which nothing is loaded that others stored. The rules
hold for the outputs of control shaders, and for shared and other memory.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from nirls.ir.model.clone import clone_shader
from nirls.ir.model.control_flow import FunctionImpl
from nirls.ir.model.instructions import Instr, IntrinsicInstr
from nirls.ir.model.shader import Shader
from nirls.ir.model.span import Span
from nirls.passes.barriers.codes import NAME, NEEDLESS_BARRIER
from nirls.passes.barriers.order import Judgement, judge
from nirls.passes.barriers.regions import Barrier, Events
from nirls.passes.finding import Change, Finding, Fix, Place, Related
from nirls.passes.registry import Options

_MOST_RELATED = 3


@dataclass(frozen=True, slots=True, eq=False)
class Needless:
    """A barrier that can go, and why."""

    barrier: Barrier
    judgement: Judgement


def run(shaders: Sequence[Shader], options: Options) -> list[Shader]:
    """Apply the pass in place; returns the shaders that changed."""
    return [shader for shader in shaders if opt_barriers(shader)]


def find(shaders: Sequence[Shader], options: Options) -> Iterable[Finding]:
    """One finding for each barrier that orders nothing."""
    for shader in shaders:
        needless = [one for impl in shader.impls() for one in needless_barriers(shader, impl)]
        for one in needless:
            span = one.barrier.instr.span
            if span is not None:
                yield _finding(shader, one, span, len(needless))


def opt_barriers(shader: Shader) -> list[Instr]:
    """Remove the barriers that order nothing; returns them.

    Each is judged with those before it that go already gone, so that of two that do the same one stays.
    """
    removed: list[Instr] = []
    for impl in shader.impls():
        for one in needless_barriers(shader, impl):
            one.barrier.instr.remove()
            removed.append(one.barrier.instr)
    return removed


def needless_barriers(shader: Shader, impl: FunctionImpl) -> list[Needless]:
    """The barriers of a function that may all go at once, in printed order."""
    if not any(isinstance(instr, IntrinsicInstr) and "barrier" in instr.name for instr in impl.instrs()):
        return []
    if shader.unreadable:
        return []
    events = Events(shader, impl)
    found: list[Needless] = []
    progress = True
    while progress:
        progress = False
        for barrier in events.barriers():
            judgement = judge(events, barrier)
            if judgement.is_needless:
                events.remove(barrier)
                found.append(Needless(barrier, judgement))
                progress = True
    place = {instr: number for number, instr in enumerate(impl.instrs())}
    return sorted(found, key=lambda one: place[one.barrier.instr])


def _finding(shader: Shader, needless: Needless, span: Span, how_many: int) -> Finding:
    instr = needless.barrier.instr
    assert isinstance(instr, IntrinsicInstr)
    key = f"{NEEDLESS_BARRIER.code}:{span.start}"
    fixes = [Fix("Remove this barrier", key, _removing_one(shader, span), preferred=True)]
    if how_many > 1:
        fixes.append(
            Fix("Remove all barriers that order nothing", f"{NAME}:all", _removing_all(shader), "pass")
        )
    related = tuple(
        Related(Place(shader, other.instr.span), "this barrier orders the rest")
        for other in needless.judgement.instead[:_MOST_RELATED]
        if other.instr.span is not None
    )
    return Finding(
        NEEDLESS_BARRIER,
        Place(shader, span),
        f"barrier orders nothing: {needless.judgement.reason}",
        NAME,
        related=related,
        fixes=tuple(fixes),
        data={"intrinsic": instr.name, "reason": needless.judgement.reason},
    )


def _removing_one(shader: Shader, span: Span) -> Callable[[], list[Change]]:
    def compute() -> list[Change]:
        after = clone_shader(shader)
        for impl in after.impls():
            for one in needless_barriers(after, impl):
                if one.barrier.instr.span == span:
                    one.barrier.instr.remove()
                    return [Change(shader, after)]
        return []

    return compute


def _removing_all(shader: Shader) -> Callable[[], list[Change]]:
    def compute() -> list[Change]:
        after = clone_shader(shader)
        return [Change(shader, after)] if opt_barriers(after) else []

    return compute
