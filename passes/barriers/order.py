"""Pairs of accesses by different invocations that only one barrier orders.

Source: the Vulkan memory model, which NIR's barriers follow. Accesses of one invocation before a barrier
happen before accesses of another one after it if both wait at the barrier and the memory is released and
acquired.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from nirls.ir.effects.barriers import ALL_CLASSES, NOBODY, WORKGROUP
from nirls.passes.barriers.accesses import SharedAccess
from nirls.passes.barriers.regions import Barrier, BarrierRegion, BodyEvents


@dataclass(frozen=True, slots=True, eq=False)
class Ordered:
    """Two accesses (or an access and a barrier) that a barrier keeps in order.

    The barrier itself stands for what is outside the function: unknown callers, other shaders.
    """

    before: SharedAccess | Barrier
    after: SharedAccess | Barrier


@dataclass(frozen=True, slots=True, eq=False)
class Judgement:
    """The accesses that a barrier orders; if none, the reason, and the barriers that make it redundant."""

    ordered: tuple[Ordered, ...]
    reason: str = ""
    instead: tuple[Barrier, ...] = ()

    @property
    def is_needless(self) -> bool:
        return not self.ordered


_MOST_SHOWN = 8


def judge(events: BodyEvents, barrier: Barrier) -> Judgement:
    """Find the accesses that a barrier orders and no other barrier of the function does."""
    if not events.knows_its_surroundings:
        anything = Ordered(barrier, barrier)
        return Judgement((anything,))
    if barrier.effect.waits == NOBODY and not any(map(barrier.effect.orders, ALL_CLASSES)):
        return Judgement((), "it has neither an execution scope nor memory semantics")
    ordereds: list[Ordered] = []
    before, after = _Side(), _Side()
    for memory in sorted(ALL_CLASSES):
        if barrier.effect.orders(memory) or barrier.effect.waits > NOBODY:
            pre, post = _around(events, barrier, memory)
            before.add(pre, memory)
            after.add(post, memory)
            ordereds += _pairs(events, barrier, memory, pre, post) or _outside(
                events, barrier, memory, pre, post
            )
    if ordereds:
        return Judgement(tuple(ordereds[:_MOST_SHOWN]))
    return Judgement((), _reason(barrier, before, after), tuple(dict.fromkeys((*after.stops, *before.stops))))


@dataclass(slots=True)
class _Side:
    """One side of a barrier, over all kinds of memory: whether memory is accessed up to `stops`, if any."""

    is_accessed: bool = False
    stops: list[Barrier] = field(default_factory=list)

    def add(self, region: BarrierRegion, memory: str) -> None:
        self.is_accessed = self.is_accessed or _touches(region, memory)
        self.stops += region.stopped_at


def _around(events: BodyEvents, barrier: Barrier, memory: str) -> tuple[BarrierRegion, BarrierRegion]:
    """Return the regions before and after a barrier, each up to the next barrier as strong for `memory`."""

    def stops(other: Barrier) -> bool:
        return other.effect.covers(barrier.effect, memory, is_private=memory in events.private_classes)

    return events.before(barrier, stops), events.after(barrier, stops)


def _pairs(
    events: BodyEvents, barrier: Barrier, memory: str, pre: BarrierRegion, post: BarrierRegion
) -> list[Ordered]:
    ahead = [access for access in pre.accesses if memory in access.classes]
    behind = [access for access in post.accesses if memory in access.classes]
    ordereds: list[Ordered] = []
    if barrier.effect.waits > NOBODY:
        ordereds += _meetings(ahead, behind)
    if not barrier.effect.orders(memory):
        return ordereds
    if barrier.effect.waits == NOBODY:
        ordereds += _fenced(events, barrier, memory, pre, post)
    elif memory not in events.private_classes and ahead and behind:
        # Invocations outside the waiting group may also observe the order of these accesses.
        ordereds.append(Ordered(ahead[0], behind[0]))
    else:
        ordereds += _signals(ahead, behind, pre, post)
    return ordereds


def _outside(
    events: BodyEvents, barrier: Barrier, memory: str, pre: BarrierRegion, post: BarrierRegion
) -> list[Ordered]:
    """Return a pair of an access and the accesses of other shaders, for which the barrier stands.

    These are shaders merged with this one, and the later stages that it starts: their invocations start
    after its outputs are written (OpenGL 4.6, 7.13.1, on dependent invocations).
    """
    ahead = [access for access in pre.accesses if memory in access.classes] if post.reaches_edge else []
    if events.is_merged and memory == "shared":
        behind = [access for access in post.accesses if memory in access.classes] if pre.reaches_edge else []
        return [Ordered(access, barrier) for access in ahead[:1]] or [
            Ordered(barrier, access) for access in behind[:1]
        ]
    effect = barrier.effect
    if not events.starts_others or memory in events.private_classes:
        return []
    if not effect.orders(memory) or not effect.releases:
        return []
    stores = [access for access in ahead if access.writes]
    return [Ordered(access, barrier) for access in stores[:1] if effect.reaches > WORKGROUP]


def _meetings(ahead: list[SharedAccess], behind: list[SharedAccess]) -> list[Ordered]:
    """Return pairs that may conflict, at most one for each access of `ahead`."""
    found = []
    for first in ahead:
        other = next((second for second in behind if first.may_meet(second)), None)
        if other is not None:
            found.append(Ordered(first, other))
            if len(found) >= _MOST_SHOWN:
                break
    return found


def _fenced(
    events: BodyEvents, barrier: Barrier, memory: str, pre: BarrierRegion, post: BarrierRegion
) -> list[Ordered]:
    """Return the pairs ordered by a barrier without execution scope.

    It orders two accesses, or an access and an execution barrier. The latter counts only if the memory is
    accessed anywhere on the other side.
    """
    ahead = [access for access in pre.accesses if memory in access.classes]
    behind = [access for access in post.accesses if memory in access.classes]
    if ahead and behind:
        return [Ordered(ahead[0], behind[0])]
    waits_ahead = [barrier for barrier in pre.barriers if barrier.effect.waits > NOBODY]
    waits_behind = [barrier for barrier in post.barriers if barrier.effect.waits > NOBODY]
    if ahead and waits_behind and _touches(events.after(barrier, _never), memory):
        return [Ordered(ahead[0], waits_behind[0])]
    if behind and waits_ahead and _touches(events.before(barrier, _never), memory):
        return [Ordered(waits_ahead[0], behind[0])]
    return _signals(ahead, behind, pre, post)


def _never(barrier: Barrier) -> bool:
    return False


def _signals(
    ahead: list[SharedAccess], behind: list[SharedAccess], pre: BarrierRegion, post: BarrierRegion
) -> list[Ordered]:
    """Return a pair of an access and a synchronizing one (atomic, coherent, volatile) across the barrier."""

    calls_ahead = [access for access in pre.accesses if access.synchronizes]
    calls_behind = [access for access in post.accesses if access.synchronizes]
    if ahead and calls_behind:
        return [Ordered(ahead[0], calls_behind[0])]
    if behind and calls_ahead:
        return [Ordered(calls_ahead[0], behind[0])]
    return []


def _touches(region: BarrierRegion, memory: str) -> bool:
    return any(memory in access.classes for access in region.accesses)


_NOUNS = {
    "buffer": "buffer",
    "image": "image",
    "shader_out": "output",
    "shared": "shared memory",
    "task_payload": "task payload",
}


def _reason(barrier: Barrier, before: _Side, after: _Side) -> str:
    what = " or ".join(_NOUNS.get(class_, class_) for class_ in sorted(barrier.effect.classes)) or "memory"
    nearest = " up to the next barrier" if after.stops else ""
    if not before.is_accessed:
        return f"no {what} is accessed {'since the previous barrier' if before.stops else 'before it'}"
    if not after.is_accessed:
        return f"no {what} is accessed after it{nearest}"
    return f"no access after it{nearest} conflicts with an access of another invocation before it"
