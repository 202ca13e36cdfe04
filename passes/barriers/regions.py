"""Regions before and after a barrier, bounded by barriers that order the same memory."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from nirls.ir.effects import MemoryModel
from nirls.ir.effects.barriers import (
    GROUP_CLASSES,
    MERGED_STAGES,
    STARTING_STAGES,
    BarrierEffect,
    barrier_effect,
)
from nirls.ir.model.control_flow import Block, FunctionImpl
from nirls.ir.model.instructions import Instr
from nirls.ir.model.shader import Shader
from nirls.passes.barriers.accesses import SharedAccess, shared_access


@dataclass(frozen=True, slots=True, eq=False)
class Barrier:
    """A barrier and its effect."""

    instr: Instr
    effect: BarrierEffect


Event = SharedAccess | Barrier
Stops = Callable[[Barrier], bool]


@dataclass(slots=True)
class BarrierRegion:
    """The accesses and barriers on all paths from a barrier in one direction.

    `stopped_at` are the barriers that bound the region. `reaches_edge` is set if a path leads to the
    start of the shader, or to its end.
    """

    accesses: list[SharedAccess] = field(default_factory=list)
    barriers: list[Barrier] = field(default_factory=list)
    stopped_at: list[Barrier] = field(default_factory=list)
    reaches_edge: bool = False


class BodyEvents:
    """The shared accesses and barriers of one function body by block, in printed order.

    `starts_others` is set in `STARTING_STAGES`, `is_merged` in `MERGED_STAGES`. `private_classes` is the
    memory that only the workgroup can access: not the outputs where a driver stores them to a buffer.
    """

    __slots__ = (
        "_of_block",
        "impl",
        "is_merged",
        "knows_its_surroundings",
        "private_classes",
        "starts_others",
    )

    def __init__(self, shader: Shader, impl: FunctionImpl) -> None:
        impl.link_blocks()
        self.impl = impl
        self.knows_its_surroundings = impl is shader.entrypoint
        self.starts_others = shader.stage in STARTING_STAGES
        self.is_merged = shader.stage in MERGED_STAGES
        self.private_classes = GROUP_CLASSES
        self._of_block: dict[Block, list[Event]] = {}
        model = MemoryModel(shader)
        for block in impl.blocks():
            events: list[Event] = []
            for instr in block:
                if (effect := barrier_effect(instr)) is not None:
                    events.append(Barrier(instr, effect))
                elif (access := shared_access(instr, shader.stage, model)) is not None:
                    events.append(access)
                    if any(part.by_modes for part in access.accesses):
                        self.private_classes -= access.classes
            if events:
                self._of_block[block] = events

    def barriers(self) -> list[Barrier]:
        """All barriers in printed order."""
        blocks = self.impl.blocks()
        events = (event for block in blocks for event in self._of_block.get(block, ()))
        return [event for event in events if isinstance(event, Barrier)]

    def remove(self, barrier: Barrier) -> None:
        """Exclude a barrier from later searches."""
        for events in self._of_block.values():
            if barrier in events:
                events.remove(barrier)
                return

    def after(self, barrier: Barrier, stops: Stops) -> BarrierRegion:
        """Return the region after a barrier, up to barriers for which `stops` is true."""
        return self._region(barrier, stops, forward=True)

    def before(self, barrier: Barrier, stops: Stops) -> BarrierRegion:
        """Return the region before a barrier, up to barriers for which `stops` is true."""
        return self._region(barrier, stops, forward=False)

    def _region(self, barrier: Barrier, stops: Stops, *, forward: bool) -> BarrierRegion:
        block = barrier.instr.block
        assert block is not None
        region = BarrierRegion()
        events = self._of_block[block]
        position = events.index(barrier)
        rest = events[position + 1 :] if forward else events[:position][::-1]
        edge = self.impl.end_block if forward else self.impl.blocks()[0]
        work: list[Block] = []
        if self._take(region, rest, barrier, stops):
            region.reaches_edge = block is edge
            work += block.successors if forward else block.predecessors
        seen: set[Block] = set()
        while work:
            at = work.pop()
            if at in seen:
                continue
            seen.add(at)
            inner = self._of_block.get(at, [])
            if self._take(region, inner if forward else inner[::-1], barrier, stops):
                region.reaches_edge = region.reaches_edge or at is edge
                work += at.successors if forward else at.predecessors
        return region

    def _take(self, region: BarrierRegion, events: Iterable[Event], origin: Barrier, stops: Stops) -> bool:
        """Add events to a region in order; return False at a barrier that ends the search.

        The origin itself, reached again in a loop, does not end the search.
        """
        for event in events:
            if not isinstance(event, Barrier):
                region.accesses.append(event)
            elif event is not origin:
                if stops(event):
                    region.stopped_at.append(event)
                    return False
                region.barriers.append(event)
        return True
