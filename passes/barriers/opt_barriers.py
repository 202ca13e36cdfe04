"""The pass `opt_barriers`: removal of barriers that order nothing.

Follows the design "New Tessellation Control Shader Optimizations for NIR": the first of two barriers without
an access in between is removed, and a barrier after which no value stored by another invocation is loaded.
The rules apply to the outputs of tessellation control shaders, shared memory, buffers and images.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from nirls.ir.finding import Finding, FindingCode, Fix, Place, Related, Severity
from nirls.ir.model.control_flow import FunctionImpl
from nirls.ir.model.instructions import Instr, IntrinsicInstr
from nirls.ir.model.shader import Shader
from nirls.passes.barriers.order import Judgement, judge
from nirls.passes.barriers.regions import Barrier, BodyEvents
from nirls.passes.declaration import Change, Pass, changes

NEEDLESS_BARRIER = FindingCode(
    "needless-barrier", "Barrier that orders no accesses", Severity.INFORMATION, unnecessary=True
)

_MOST_RELATED = 3
_ALL = f"{NEEDLESS_BARRIER.code}:all"


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

    def find(self, shaders: Sequence[Shader]) -> Iterable[Finding]:
        for dump, shader in enumerate(shaders):
            needless = [one for impl in shader.impls() for one in needless_barriers(shader, impl)]
            for one in needless:
                if one.barrier.instr.span is not None:
                    yield _finding(dump, one, Place.of(one.barrier.instr.span, dump), len(needless))

    def fix(self, shaders: Sequence[Shader], key: str) -> list[Change]:
        if key == _ALL:
            return changes(shaders, self.run)
        return changes(shaders, lambda copies: [one for one in copies if _remove_one(one, key)])


def opt_barriers(shader: Shader) -> list[Instr]:
    """Remove the barriers that order nothing; return the removed instructions.

    Each barrier is judged after the removal of the previous ones, so that one of two equivalent barriers
    stays.
    """
    removed: list[Instr] = []
    for impl in shader.impls():
        for one in needless_barriers(shader, impl):
            one.barrier.instr.remove()
            removed.append(one.barrier.instr)
    return removed


def needless_barriers(shader: Shader, impl: FunctionImpl) -> list[Needless]:
    """Return the barriers of a function that can all be removed together, in printed order."""
    if not any(isinstance(instr, IntrinsicInstr) and "barrier" in instr.name for instr in impl.instrs()):
        return []
    if shader.unreadable:
        return []
    events = BodyEvents(shader, impl)
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


def _key(place_start: int) -> str:
    return f"{NEEDLESS_BARRIER.code}:{place_start}"


def _finding(dump: int, needless: Needless, place: Place, how_many: int) -> Finding:
    instr = needless.barrier.instr
    assert isinstance(instr, IntrinsicInstr)
    fixes = [Fix("Remove this barrier", _key(place.start), preferred=True)]
    if how_many > 1:
        fixes.append(Fix("Remove all barriers that order no accesses", _ALL, "pass"))
    related = (
        Related(Place.of(other.instr.span, dump), "this barrier orders the remaining accesses")
        for other in needless.judgement.instead[:_MOST_RELATED]
        if other.instr.span is not None
    )
    return NEEDLESS_BARRIER.at(
        place,
        f"barrier orders no accesses: {needless.judgement.reason}",
        related=related,
        fixes=fixes,
        data={"intrinsic": instr.name, "reason": needless.judgement.reason},
    )


def _remove_one(shader: Shader, key: str) -> bool:
    for impl in shader.impls():
        for one in needless_barriers(shader, impl):
            instr = one.barrier.instr
            if instr.span is not None and _key(instr.span.start) == key:
                instr.remove()
                return True
    return False
