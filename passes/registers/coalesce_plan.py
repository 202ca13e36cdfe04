"""Planning of vector coalescing: `vecN` operands that can be computed directly in the target register.

The rules are from the review of the vec coalescing pass of 2015, which became Mesa's lower_vec_to_movs
and, for register intrinsics, nir_lower_vec_to_regs.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from nirls.ir.model.control_flow import Block, FunctionImpl, If
from nirls.ir.model.instructions import AluInstr, Instr, IntrinsicInstr, TexInstr, constant_of
from nirls.ir.model.values import AluSrc, Def, RegDest, Register, Src
from nirls.ir.tables import opcode
from nirls.passes.cleanup.copies import VECTORS

Target = Register | Def
"""A register of an old dump, or the def of a `decl_reg`."""


@dataclass(frozen=True, slots=True)
class InPlace:
    """An instruction that can write channels of the target: component `places[n]` to channel `channels[n]`.

    Places are positions among the components that it currently computes. Channels are in ascending order.
    An intrinsic or texture instruction writes a whole register.
    """

    producer: AluInstr | IntrinsicInstr | TexInstr
    channels: tuple[int, ...]
    places: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class VectorPlan:
    """The coalescing of one vector. `store` is its `store_reg`, None for registers of old dumps.

    `kept` are channels that already are in place; `left` are channels that still need a move, each with its
    source. `direct` are those of them that `store_reg` can take without a move: constants, and values as wide
    as the register with each component in its channel.
    """

    vec: AluInstr
    store: IntrinsicInstr | None
    target: Target
    width: int
    in_place: tuple[InPlace, ...]
    kept: tuple[int, ...]
    left: tuple[tuple[int, AluSrc], ...]

    @property
    def direct(self) -> tuple[tuple[int, AluSrc], ...]:
        if self.store is None:
            return ()
        return tuple(
            (channel, src) for channel, src in self.left if self._is_constant(src) or self._is_whole(src.def_)
        )

    def _is_constant(self, src: AluSrc) -> bool:
        return constant_of(src.def_) is not None

    def _is_whole(self, value: Def | None) -> bool:
        if value is None or value.num_components != self.width:
            return False
        return all(src.swizzle[0] == channel for channel, src in self.left if src.def_ is value)

    @property
    def channels_saved(self) -> int:
        """The number of channels that no longer need a move."""
        return len(self.kept) + sum(len(one.channels) for one in self.in_place) + len(self.direct)


@dataclass(slots=True)
class _Touches:
    """The last position in a block at which each register channel was read or written."""

    channels: dict[Target, list[int]] = field(default_factory=dict)

    def note(self, target: Target, channels: Iterable[int], position: int) -> None:
        known = self.channels.setdefault(target, [-1] * 16)
        for channel in channels:
            known[channel] = position

    def last(self, target: Target, channel: int) -> int:
        known = self.channels.get(target)
        return -1 if known is None else known[channel]


def plan_vectors(impl: FunctionImpl) -> list[VectorPlan]:
    """Find the vectors of a function of which at least one channel can be coalesced.

    The plans have no instruction in common, so each can be applied alone or all in order.
    """
    if not impl.registers and not any(_is_store(instr) for instr in impl.instrs()):
        return []
    plans: list[VectorPlan] = []
    taken: set[Instr] = set()
    for block in impl.blocks():
        for plan in _BlockPlanner(block).plans():
            parts = {plan.vec, *(one.producer for one in plan.in_place)}
            if not parts & taken:
                plans.append(plan)
                taken |= parts
    return plans


class _BlockPlanner:
    """Planner for one block, in one forward walk."""

    def __init__(self, block: Block) -> None:
        self.block = block
        self.positions: dict[Instr, int] = {instr: number for number, instr in enumerate(block)}
        self.touches = _Touches()

    def plans(self) -> list[VectorPlan]:
        found: list[VectorPlan] = []
        for instr, position in self.positions.items():
            if isinstance(instr, AluInstr) and instr.op in VECTORS and instr.reg_dest is not None:
                plan = self._of_register(instr, instr.reg_dest)
            elif isinstance(instr, IntrinsicInstr) and _is_store(instr):
                plan = self._of_store(instr)
            else:
                plan = None
            if plan is not None:
                found.append(plan)
            self._note(instr, position)
        return found

    def _note(self, instr: Instr, position: int) -> None:
        for src in instr.all_srcs():
            if src.reg is not None:
                self.touches.note(src.reg, _channels_read(src), position)
        if instr.reg_dest is not None:
            mask = instr.reg_dest.write_mask if isinstance(instr, AluInstr) else 0xFFFF
            self.touches.note(instr.reg_dest.reg, _channels_of(mask), position)
        if isinstance(instr, IntrinsicInstr) and instr.name.startswith(("load_reg", "store_reg")):
            handle = instr.sources[min(len(instr.sources) - 1, int(instr.name.startswith("store_reg")))].def_
            if handle is not None:
                is_store = instr.name == "store_reg"
                channels = _channels_of(instr.write_mask) if is_store else _channels_used(instr.def_)
                self.touches.note(handle, channels, position)

    def _of_register(self, vec: AluInstr, dest: RegDest) -> VectorPlan | None:
        reg = dest.reg
        if reg.num_array_elems or dest.indirect is not None or dest.offset or "sat" in vec.flags:
            return None
        channels = [channel for channel in range(reg.num_components) if dest.write_mask >> channel & 1]
        if len(channels) == len(vec.sources):
            reads = list(zip(channels, vec.sources, strict=True))
        elif len(vec.sources) == reg.num_components:
            reads = [(channel, vec.sources[channel]) for channel in channels]
        else:
            return None
        return self._plan(vec, None, reg, reg.num_components, reads)

    def _of_store(self, store: IntrinsicInstr) -> VectorPlan | None:
        if len(store.sources) != 2 or store.int_index("base") or store.int_index("legacy_fsat"):
            return None
        value, handle = store.sources[0].def_, store.sources[1].def_
        vec = None if value is None else value.instr
        declared = None if handle is None else handle.instr
        if value is None or handle is None or not isinstance(vec, AluInstr) or vec.op not in VECTORS:
            return None
        if vec not in self.positions or len(value.uses) != 1 or "sat" in vec.flags:
            return None
        if not isinstance(declared, IntrinsicInstr) or declared.name != "decl_reg":
            return None
        width = declared.int_index("num_components", 1)
        if declared.int_index("num_array_elems") or len(vec.sources) != width:
            return None
        reads = [
            (channel, vec.sources[channel]) for channel in range(width) if store.write_mask >> channel & 1
        ]
        return self._plan(vec, store, handle, width, reads)

    def _plan(
        self,
        vec: AluInstr,
        store: IntrinsicInstr | None,
        target: Target,
        width: int,
        reads: list[tuple[int, AluSrc]],
    ) -> VectorPlan | None:
        kept = [channel for channel, src in reads if _is_there_already(src, target, channel)]
        groups: dict[AluInstr | IntrinsicInstr | TexInstr, list[tuple[int, int]]] = {}
        for channel, src in reads:
            producer = self._producer(src, vec) if channel not in kept else None
            if producer is not None:
                groups.setdefault(producer, []).append((channel, src.swizzle[0]))
        accepted: list[InPlace] = []
        for producer, pairs in groups.items():
            in_place = self._accept(producer, pairs, vec, target, reads)
            if in_place is not None:
                accepted.append(in_place)
        done = {*kept, *(channel for one in accepted for channel in one.channels)}
        left = tuple((channel, src) for channel, src in reads if channel not in done)
        plan = VectorPlan(vec, store, target, width, tuple(accepted), tuple(kept), left)
        if not done and not plan.direct:
            return None
        return plan if store is not None or can_move(left, target) else None

    def _producer(self, src: AluSrc, vec: AluInstr) -> AluInstr | IntrinsicInstr | TexInstr | None:
        """Return the only instruction that defines an operand, if the vector is its only user."""
        if src.negate or src.abs:
            return None
        if src.def_ is not None:
            maker = src.def_.instr
            alone = all(use.owner is vec for use in src.def_.uses)
            if not alone or not isinstance(maker, AluInstr | IntrinsicInstr | TexInstr):
                return None
            return maker if self._is_above(maker, vec) else None
        reg = src.reg
        if reg is None or reg.num_array_elems or any(use.owner is not vec for use in reg.uses):
            return None
        makers = [dest.instr for dest in reg.writes if dest.write_mask >> src.swizzle[0] & 1]
        if any(dest.instr is None or not self._is_above(dest.instr, vec) for dest in reg.writes):
            return None
        maker = makers[0] if len(makers) == 1 else None
        return maker if isinstance(maker, AluInstr) else None

    def _is_above(self, maker: Instr, vec: AluInstr) -> bool:
        return maker in self.positions and self.positions[maker] < self.positions[vec]

    def _accept(
        self,
        producer: AluInstr | IntrinsicInstr | TexInstr,
        pairs: list[tuple[int, int]],
        vec: AluInstr,
        target: Target,
        reads: list[tuple[int, AluSrc]],
    ) -> InPlace | None:
        """Return the in-place form of a producer; None if it is not per channel or there is a conflict."""
        if isinstance(producer, AluInstr):
            if not is_per_channel(producer) or _width_of(producer) is None:
                return None
        elif not _writes_whole(producer, pairs, target):
            return None
        # Modifiers prevent coalescing: afterwards, the result exists only in the target channels.
        made = producer.def_
        reads_of_it = [
            src
            for src in vec.sources
            if (made is not None and src.def_ is made)
            or (producer.reg_dest is not None and src.reg is producer.reg_dest.reg)
        ]
        if any(src.negate or src.abs for src in reads_of_it):
            return None
        position = self.positions[producer]
        channels = sorted(pairs)
        for channel, _ in channels:
            if self.touches.last(target, channel) > position:
                return None
            if any(src.reg is target and channel in src.swizzle for other, src in reads if other != channel):
                return None
        places = _places_of(producer)
        if any(component not in places for _, component in channels):
            return None
        return InPlace(
            producer,
            tuple(channel for channel, _ in channels),
            tuple(places[component] for _, component in channels),
        )


def is_per_channel(instr: AluInstr) -> bool:
    """Whether component i of the result comes from component i of the sources alone.

    A selection may have one scalar condition for all.
    """
    entry = opcode(instr.op)
    if entry is None or len(entry.input_sizes) != len(instr.sources) or instr.op in VECTORS:
        return False
    if entry.output_size:
        return False
    has_scalar_condition = entry.is_selection and entry.input_sizes[0] == 1
    if any(entry.input_sizes[1:] if has_scalar_condition else entry.input_sizes):
        return False
    return all(
        len(src.swizzle) == (size or _width_of(instr))
        for src, size in zip(instr.sources, entry.input_sizes, strict=True)
    )


def _writes_whole(producer: IntrinsicInstr | TexInstr, pairs: list[tuple[int, int]], target: Target) -> bool:
    """Whether a result is a whole register of old dumps: only ALU instructions have a write mask."""
    made = producer.def_
    if not isinstance(target, Register) or made is None:
        return False
    whole = [(channel, channel) for channel in range(target.num_components)]
    return (made.num_components, made.bit_size) == (target.num_components, target.bit_size) and pairs == whole


def can_move(left: tuple[tuple[int, AluSrc], ...], target: Target) -> bool:
    """Whether one instruction can write the remaining channels of a vector to an old-style register."""
    if not left or (len(left) > 1 and f"vec{len(left)}" in VECTORS):
        return True
    first = left[0][1]
    same = all((src.def_, src.reg) == (first.def_, first.reg) for _, src in left)
    return same and not any(src.negate or src.abs or src.reg_indirect is not None for _, src in left)


def _is_store(instr: Instr) -> bool:
    return isinstance(instr, IntrinsicInstr) and instr.name == "store_reg"


def _width_of(instr: Instr) -> int | None:
    if instr.def_ is not None:
        return instr.def_.num_components
    if instr.reg_dest is None or instr.reg_dest.indirect is not None or instr.reg_dest.offset:
        return None
    return instr.reg_dest.write_mask.bit_count()


def _places_of(instr: Instr) -> dict[int, int]:
    """Map each readable component of a result to its position among the computed ones."""
    if instr.def_ is not None:
        return {component: component for component in range(instr.def_.num_components)}
    if instr.reg_dest is None:
        return {}
    return {channel: place for place, channel in enumerate(_channels_of(instr.reg_dest.write_mask))}


def _is_there_already(src: AluSrc, target: Target, channel: int) -> bool:
    plain = not src.negate and not src.abs and not src.reg_offset and src.reg_indirect is None
    return plain and src.reg is target and src.swizzle[0] == channel


def _channels_of(mask: int) -> list[int]:
    return [channel for channel in range(16) if mask >> channel & 1]


def _channels_read(src: Src) -> Iterable[int]:
    return src.swizzle if isinstance(src, AluSrc) else range(16)


def _channels_used(value: Def | None) -> Iterable[int]:
    """Return the used channels of a loaded register."""
    if value is None:
        return range(16)
    used: set[int] = set()
    for src in value.uses:
        if not isinstance(src, AluSrc) or isinstance(src.owner, If):
            return range(16)
        used.update(src.swizzle)
    return used
