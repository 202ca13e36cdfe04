"""The pass `opt_barriers`: removal of barriers that order nothing.

Follows the design "New Tessellation Control Shader Optimizations for NIR": the first of two barriers without
an access in between is removed, and a barrier after which no value stored by another invocation is loaded.
The rules apply to the outputs of tessellation control shaders, shared memory, buffers and images.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from nirls.ir.finding import FindingCode, Place, Related, Severity
from nirls.ir.model.control_flow import FunctionImpl
from nirls.ir.model.instructions import Instr, IntrinsicInstr
from nirls.ir.model.shader import Shader
from nirls.passes.barriers.order import Judgement, judge
from nirls.passes.barriers.regions import Barrier, BodyEvents
from nirls.passes.declaration import Pass, Site, SiteFix

NEEDLESS_BARRIER = FindingCode(
    "needless-barrier", "Barrier that orders no accesses", Severity.INFORMATION, unnecessary=True
)

_MOST_RELATED = 3


@dataclass(frozen=True, slots=True, eq=False)
class Needless:
    """A removable barrier, with the reason."""

    barrier: Barrier
    judgement: Judgement


@dataclass(frozen=True)
class OptBarriers(Pass):
    """Remove barriers that order no accesses."""

    name = "opt_barriers"
    codes = (NEEDLESS_BARRIER,)

    def apply(self, shader: Shader) -> bool:
        return bool(opt_barriers(shader))

    def sites(self, shaders: Sequence[Shader]) -> Iterable[Site]:
        for dump, shader in enumerate(shaders):
            needless = [item for impl in shader.impls() for item in needless_barriers(shader, impl)]
            whole = "Remove all barriers that order no accesses" if len(needless) > 1 else ""
            for item in needless:
                yield _site(shader, dump, item, whole)


def opt_barriers(shader: Shader) -> list[Instr]:
    """Remove the barriers that order nothing; return the removed instructions.

    Each barrier is judged after the removal of the previous ones, so that one of two equivalent barriers
    stays.
    """
    removed: list[Instr] = []
    for impl in shader.impls():
        for needless_barrier in needless_barriers(shader, impl):
            needless_barrier.barrier.instr.remove()
            removed.append(needless_barrier.barrier.instr)
    return removed


def needless_barriers(shader: Shader, impl: FunctionImpl) -> list[Needless]:
    """Return the barriers of a function that can all be removed together, in printed order."""
    if not any(isinstance(instr, IntrinsicInstr) and "barrier" in instr.name for instr in impl.instrs()):
        return []
    if shader.unreadable:
        return []
    events = BodyEvents(shader, impl)
    needlesses: list[Needless] = []
    progress = True
    while progress:
        progress = False
        for barrier in events.barriers():
            judgement = judge(events, barrier)
            if judgement.is_needless:
                events.remove(barrier)
                needlesses.append(Needless(barrier, judgement))
                progress = True
    place = {instr: number for number, instr in enumerate(impl.instrs())}
    return sorted(needlesses, key=lambda needless: place[needless.barrier.instr])


def _site(shader: Shader, dump: int, needless: Needless, whole: str) -> Site:
    instr = needless.barrier.instr
    assert isinstance(instr, IntrinsicInstr)

    def remove() -> list[Shader]:
        instr.remove()
        return [shader]

    related = (
        Related(Place.of(other.instr.span, dump), "this barrier orders the remaining accesses")
        for other in needless.judgement.instead[:_MOST_RELATED]
        if other.instr.span is not None
    )
    finding = NEEDLESS_BARRIER.at(
        Place.of(instr.span, dump),
        f"barrier orders no accesses: {needless.judgement.reason}",
        related=related,
        data={"intrinsic": instr.name, "reason": needless.judgement.reason},
    )
    return Site(finding, (SiteFix("Remove this barrier", remove),), whole=whole)
