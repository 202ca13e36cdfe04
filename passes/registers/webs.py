"""Webs of a vector operand, and whether a register channel can hold a web (copy coalescing).

A web is an operand with all that it is copied from: phis, and in modern dumps loads of another register. It
can live in a channel of the target register if every read, of the web and of the channel, still finds its
value there. That is a forward data-flow problem over the set of values that the channel holds.
"""

from __future__ import annotations

import heapq
from bisect import bisect_left
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import groupby

from nirls.ir.model.control_flow import Block, FunctionImpl, If
from nirls.ir.model.instructions import (
    AluInstr,
    Instr,
    IntrinsicInstr,
    LoadConstInstr,
    PhiInstr,
    TexInstr,
    UndefInstr,
)
from nirls.ir.model.values import AluSrc, Def, PhiSrc, RegDest, Register, Src

Target = Register | Def
"""A register of an old dump, or the def of a `decl_reg`."""

Producer = AluInstr | IntrinsicInstr | TexInstr
"""An instruction that defines a member of a web; a `store_reg` if the member is the def of a `decl_reg`."""

ALL_CHANNELS = (1 << 16) - 1
_END = 1 << 62
_MOST_MEMBERS = 64


@dataclass(frozen=True, slots=True)
class Web:
    """The values of an operand and its copies.

    `constants` are sources of its phis, each with its predecessor block.
    """

    members: frozenset[Target]
    producers: tuple[Producer, ...]
    copies: tuple[PhiInstr | IntrinsicInstr, ...]
    constants: tuple[tuple[Block, Def], ...]

    @property
    def instrs(self) -> Iterator[Instr]:
        yield from self.producers
        yield from self.copies


@dataclass(frozen=True, slots=True, order=True)
class _Event:
    """A change or read of values at a position in a block.

    `reads` is read. `changes` then equals it, or has a new value without `reads`; with `undefined` it has
    any value. Reads alone precede changes at the same position.
    """

    position: int
    is_change: bool
    reads: Target | None = field(default=None, compare=False)
    changes: Target | None = field(default=None, compare=False)
    undefined: bool = field(default=False, compare=False)

    @property
    def is_fresh(self) -> bool:
        return self.changes is not None and self.reads is None and not self.undefined


class Positions:
    """Positions of the instructions of a function, and the reads and writes of its registers."""

    def __init__(self, impl: FunctionImpl) -> None:
        self._numbers: dict[Instr, int] = {}
        self._before: dict[If, Block] = {}
        self._touches: dict[Target, dict[Block, list[tuple[_Event, int]]] | None] = {}
        above: Block | None = None
        for node in impl.cf_nodes():
            if isinstance(node, If) and above is not None:
                self._before[node] = above
            if isinstance(node, Block):
                above = node
                self._numbers.update({instr: number for number, instr in enumerate(node)})

    def of(self, instr: Instr) -> int:
        return self._numbers[instr]

    def __contains__(self, instr: object) -> bool:
        return instr in self._numbers

    def touches(self, target: Target) -> Mapping[Block, list[tuple[_Event, int]]] | None:
        """Return the reads and writes of a register with their channel masks, in order by block.

        None if it is an array, or used by anything but plain reads and writes.
        """
        if target not in self._touches:
            self._touches[target] = self._touches_of(target)
        return self._touches[target]

    def _touches_of(self, target: Target) -> dict[Block, list[tuple[_Event, int]]] | None:
        found: dict[Block, list[tuple[_Event, int]]] = {}
        uses = _uses_of_register(target) if isinstance(target, Register) else _uses_of_handle(target)
        for owner, mask, is_write in uses:
            block, position = self._place(owner)
            if block is None:
                return None
            event = _Event(position, is_write, *((None, target) if is_write else (target, None)))
            found.setdefault(block, []).append((event, mask))
        for events in found.values():
            events.sort()
        return found

    def _place(self, owner: Instr | If | PhiSrc | None) -> tuple[Block | None, int]:
        if isinstance(owner, If):
            return self._before.get(owner), _END
        if isinstance(owner, PhiSrc):
            return owner.pred, _END
        if owner is None or owner not in self:
            return None, 0
        return owner.block, self.of(owner)


_Use = tuple[Instr | If | PhiSrc | None, int, bool]
"""Position of a register access, its channels, and whether it is a write."""


def _uses_of_register(reg: Register) -> Iterator[_Use]:
    if reg.num_array_elems or reg.index < 0:
        yield None, 0, False
    for src in reg.uses:
        channels = src.swizzle if isinstance(src, AluSrc) else range(16)
        yield (src if isinstance(src, PhiSrc) else src.owner), mask_of(channels), False
    for dest in reg.writes:
        yield dest.instr, dest.write_mask if isinstance(dest.instr, AluInstr) else ALL_CHANNELS, True


def _uses_of_handle(handle: Def) -> Iterator[_Use]:
    declared = handle.instr
    if not isinstance(declared, IntrinsicInstr) or declared.name != "decl_reg":
        yield None, 0, False
        return
    if declared.int_index("num_array_elems"):
        yield None, 0, False
    for src in handle.uses:
        owner = src.owner
        if not isinstance(owner, IntrinsicInstr) or owner.int_index("base"):
            yield None, 0, False
        elif owner.name == "load_reg":
            yield owner, _channels_used(owner.def_), False
        elif owner.name == "store_reg" and owner.sources[-1] is src:
            yield owner, owner.write_mask, True
        else:
            yield None, 0, False


def web_of(base: Target, vec: AluInstr, modern: bool) -> Web | str:
    """Return the web of an operand of a vector, or the reason why it has none.

    Everything but the vector that uses a member must be a copy within the web.
    """
    members: dict[Target, None] = {base: None}
    producers: dict[Producer, None] = {}
    copies: dict[PhiInstr | IntrinsicInstr, None] = {}
    constants: list[tuple[Block, Def]] = []
    work: list[Target] = [base]
    while work:
        member = work.pop()
        if len(members) > _MOST_MEMBERS:
            return "it has too many sources"
        if isinstance(member, Register):
            makers: Iterable[Instr | None] = [dest.instr for dest in member.writes]
        elif isinstance(member.instr, IntrinsicInstr) and member.instr.name == "decl_reg":
            accesses = [src.owner for src in member.uses if isinstance(src.owner, IntrinsicInstr)]
            makers = [access for access in accesses if access.name == "store_reg"]
            for load in accesses:
                if _is_plain_load(load) and load.def_ is not None:
                    members[load.def_] = copies[load] = None
        else:
            makers = [member.instr]
        for maker in makers:
            sources: list[Target] = []
            if isinstance(maker, PhiInstr) and maker.def_ is not None:
                copies[maker] = None
                for src in maker.sources:
                    if src.def_ is None:
                        return "a phi reads a register"
                    if isinstance(src.def_instr, LoadConstInstr):
                        constants.append((src.pred, src.def_))
                    elif not isinstance(src.def_instr, UndefInstr):
                        sources.append(src.def_)
            elif _is_plain_load(maker):
                assert isinstance(maker, IntrinsicInstr)
                copies[maker] = None
                sources.append(maker.sources[0].ssa)
            elif isinstance(maker, Producer):
                producers[maker] = None
            else:
                return "it is not computed by an instruction"
            for source in sources:
                if source not in members:
                    members[source] = None
                    work.append(source)
    if constants and not modern:
        return "a phi has a constant"
    allowed: set[object] = {vec, *copies, *(producer for producer in producers if is_store(producer))}
    for member in members:
        if any(src.owner not in allowed for src in member.uses):
            return "it has other uses"
    return Web(frozenset(members), tuple(producers), tuple(copies), tuple(constants))


def _is_plain_load(instr: Instr | None) -> bool:
    if not isinstance(instr, IntrinsicInstr) or instr.name != "load_reg" or instr.sources[0].def_ is None:
        return False
    return not any(instr.int_index(index) for index in ("base", "legacy_fabs", "legacy_fneg"))


def is_store(instr: Instr) -> bool:
    """Whether an instruction writes a register that a `decl_reg` declares."""
    return isinstance(instr, IntrinsicInstr) and instr.name == "store_reg"


class Holding:
    """Whether a channel of the target can hold a component of a web, which `copy` copies to it by `src`."""

    def __init__(
        self, positions: Positions, target: Target, channel: int, web: Web, src: AluSrc, copy: Instr
    ) -> None:
        self.positions = positions
        self.target = target
        self.bit = 1 << channel
        self.copy = copy
        self.members = web.members
        self.own: dict[Block, list[_Event]] = {}
        for producer in web.producers:
            self._note_definition(producer, src.swizzle[0])
        for instr in web.copies:
            self._note_copy(instr)
        self._note(copy, _Event(positions.of(copy), True, src.def_ or src.reg, target))
        for events in self.own.values():
            events.sort()

    def region(self) -> frozenset[Block] | None:
        """Return the blocks in which the channel holds the web; None if some read finds another value."""
        live = self._live_in()
        touches = self.positions.touches(self.target)
        if live is None or touches is None:
            return None
        region: set[Block] = set()
        entering: dict[Block, frozenset[Target]] = {}
        work: list[tuple[Block, int, frozenset[Target]]] = []
        for block, events in self.own.items():
            region.add(block)
            work += [
                (block, event.position + 1, frozenset((event.changes,)))
                for event in events
                if event.is_fresh and event.changes is not None
            ]
        while work:
            block, start, state = work.pop()
            region.add(block)
            leaving = self._leave(block, start, state, touches, live)
            if leaving is None:
                return None
            for following in block.successors:
                if self.target in leaving and following not in live:
                    continue
                known = entering.get(following)
                joined = leaving if known is None else known & leaving
                if joined != known:
                    entering[following] = joined
                    work.append((following, 0, joined))
        return frozenset(region)

    def _leave(
        self,
        block: Block,
        start: int,
        state: frozenset[Target],
        touches: Mapping[Block, list[tuple[_Event, int]]],
        live: Collection[Block],
    ) -> frozenset[Target] | None:
        """Return what the channel holds at the end of a block; None if a read finds another value."""
        own = self.own.get(block, [])
        last = own[-1].position if own else -1
        flows_out = any(following in live for following in block.successors)
        rest = own[bisect_left(own, _Event(start, False)) :]
        merged = heapq.merge(rest, self._of_target(touches, block, start))
        for position, group in groupby(merged, key=lambda event: event.position):
            if self.target in state and not flows_out and position > last:
                break
            events = list(group)
            if any(event.reads is not None and event.reads not in state for event in events):
                return None
            changed = frozenset(event.changes for event in events if event.changes is not None)
            # Two new values at once are those of two phis. `region` starts at each of them, with that alone.
            fresh = frozenset(
                event.changes for event in events if event.is_fresh and event.changes is not None
            )
            state = fresh or state | changed
        return state

    def _of_target(
        self, touches: Mapping[Block, list[tuple[_Event, int]]], block: Block, start: int
    ) -> Iterator[_Event]:
        events = touches.get(block, [])
        copied_at = self.positions.of(self.copy) if block is self.copy.block else -1
        for number in range(bisect_left(events, (_Event(start, False), 0)), len(events)):
            event, mask = events[number]
            if mask & self.bit and not (event.is_change and event.position == copied_at):
                yield event

    def _live_in(self) -> set[Block] | None:
        """Return the blocks at whose start a member is live; None if one may be read undefined."""
        live: set[tuple[Block, Target]] = set()
        work: list[tuple[Block, int, Target]] = []
        for block, events in self.own.items():
            work += [
                (block, event.position, event.reads)
                for event in events
                if event.reads in self.members and event.reads
            ]
        while work:
            block, position, member = work.pop()
            before = (one for one in self.own.get(block, ()) if one.position < position)
            if any(one.changes is member for one in before):
                continue
            if not block.predecessors:
                return None
            for pred in block.predecessors:
                if (block, member) not in live:
                    work.append((pred, _END + 1, member))
            live.add((block, member))
        return {block for block, _ in live}

    def _note(self, instr: Instr, event: _Event) -> None:
        assert instr.block is not None
        self.own.setdefault(instr.block, []).append(event)

    def _note_definition(self, producer: Producer, component: int) -> None:
        if producer.def_ is not None:
            member: Target | None = producer.def_
        elif producer.reg_dest is not None:
            member = producer.reg_dest.reg if _writes(producer, producer.reg_dest, component) else None
        else:
            assert isinstance(producer, IntrinsicInstr)
            member = producer.sources[1].def_ if producer.write_mask >> component & 1 else None
        if member is not None:
            self._note(producer, _Event(self.positions.of(producer), True, None, member))

    def _note_copy(self, instr: PhiInstr | IntrinsicInstr) -> None:
        if isinstance(instr, IntrinsicInstr):
            self._note(instr, _Event(self.positions.of(instr), True, instr.sources[0].def_, instr.def_))
            return
        for src in instr.sources:
            maker = src.ssa.instr
            reads = None if isinstance(maker, LoadConstInstr | UndefInstr) else src.def_
            event = _Event(_END, True, reads, instr.def_, isinstance(maker, UndefInstr))
            self.own.setdefault(src.pred, []).append(event)


def _writes(instr: Instr, dest: RegDest, component: int) -> bool:
    return not isinstance(instr, AluInstr) or bool(dest.write_mask >> component & 1)


def mask_of(channels: Iterable[int]) -> int:
    """Return the mask of channels, each of which may be given several times."""
    mask = 0
    for channel in channels:
        mask |= 1 << channel
    return mask


def _channels_used(value: Def | None) -> int:
    """Return the mask of the used channels of a loaded register."""
    uses: Iterable[Src] = () if value is None else value.uses
    if any(not isinstance(src, AluSrc) for src in uses):
        return ALL_CHANNELS
    return mask_of(channel for src in uses if isinstance(src, AluSrc) for channel in src.swizzle)
