"""Planning of vector coalescing: `vecN` operands that can be computed directly in the target register.

The rules are from the review of the vec coalescing pass of 2015, which became Mesa's lower_vec_to_movs
and, for register intrinsics, nir_lower_vec_to_regs.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from nirls.ir.model.control_flow import Block, FunctionImpl
from nirls.ir.model.instructions import AluInstr, Instr, IntrinsicInstr, PhiInstr, TexInstr, constant_of
from nirls.ir.model.values import AluSrc, Def, RegDest, Register
from nirls.ir.tables import opcode
from nirls.ir.tables.families import VECTORS
from nirls.passes.registers.webs import Holding, Positions, Producer, Target, Web, is_store, web_of

_ALU_ONLY = "only ALU instructions write single channels"


@dataclass(frozen=True, slots=True)
class InPlace:
    """An instruction that can write channels of the target: component `places[n]` to channel `channels[n]`.

    Places are positions among the components that it currently computes, or stores in case of a `store_reg`.
    Channels are in ascending order. An intrinsic or texture instruction writes a whole register.
    """

    producer: Producer
    channels: tuple[int, ...]
    places: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class ConstantInPlace:
    """A constant that a phi has from a block: component `places[n]` is for channel `channels[n]`."""

    block: Block
    value: Def
    channels: tuple[int, ...]
    places: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class VectorPlan:
    """The coalescing of one vector. `store` is its `store_reg`, None for registers of old dumps.

    `kept` are channels that already are in place; `left` are channels that still need a move, each with its
    source. `direct` are those of them that `store_reg` can take without a move: constants, and values as wide
    as the register with each component in its channel. `reasons` say why the others are left. `copies` are
    phis and loads of other registers that go. In `region`, the target holds operands before the vector does;
    `several` if one of them has several producers.
    """

    vec: AluInstr
    store: IntrinsicInstr | None
    target: Target
    width: int
    in_place: tuple[InPlace, ...]
    constants: tuple[ConstantInPlace, ...]
    copies: tuple[PhiInstr | IntrinsicInstr, ...]
    kept: tuple[int, ...]
    left: tuple[tuple[int, AluSrc], ...]
    reasons: tuple[tuple[AluSrc, str], ...]
    region: frozenset[Block]
    several: bool

    @property
    def direct(self) -> tuple[tuple[int, AluSrc], ...]:
        if self.store is None:
            return ()
        return tuple(
            (channel, src)
            for channel, src in self.left
            if constant_of(src.def_) is not None or self._is_whole(src.def_)
        )

    def _is_whole(self, value: Def | None) -> bool:
        if value is None or value.num_components != self.width:
            return False
        return all(src.swizzle[0] == channel for channel, src in self.left if src.def_ is value)

    @property
    def written(self) -> frozenset[int]:
        """The channels that are written by other instructions than the vector."""
        written: list[InPlace | ConstantInPlace] = [*self.in_place, *self.constants]
        return frozenset(channel for group in written for channel in group.channels)

    @property
    def channels_saved(self) -> int:
        """The number of channels that no longer need a move."""
        return len(self.kept) + len(self.written) + len(self.direct)

    @property
    def instrs(self) -> set[Instr]:
        """The instructions that the plan changes."""
        own: set[Instr] = {self.vec, *(in_place.producer for in_place in self.in_place), *self.copies}
        return own if self.store is None else own | {self.store}

    @property
    def is_local(self) -> bool:
        """Whether each operand has one producer, in the block of the vector."""
        return len(self.region) <= 1 and not self.copies and not self.several


def plan_vectors(impl: FunctionImpl) -> list[VectorPlan]:
    """Find the vectors of a function of which at least one channel can be coalesced.

    Each plan is right as long as no other is carried out; see `compatible_plans`.
    """
    if not impl.registers and not any(is_store(instr) for instr in impl.instrs()):
        return []
    planner = _Planner(impl)
    plans = (planner.plan(instr) for instr in impl.instrs())
    return [plan for plan in plans if plan is not None]


def compatible_plans(impl: FunctionImpl) -> list[VectorPlan]:
    """Find plans that can be carried out together, in order.

    They change different instructions, and a register holds operands of one vector at a time: those of a plan
    that is not local are held in blocks of their own.
    """
    vector_plans: list[VectorPlan] = []
    taken: set[Instr] = set()
    held: dict[Target, set[Block]] = {}
    held_across: dict[Target, set[Block]] = {}
    for plan in plan_vectors(impl):
        in_the_way = held_across if plan.is_local else held
        if plan.instrs & taken or plan.region & in_the_way.get(plan.target, set()):
            continue
        vector_plans.append(plan)
        taken |= plan.instrs
        held.setdefault(plan.target, set()).update(plan.region)
        if not plan.is_local:
            held_across.setdefault(plan.target, set()).update(plan.region)
    return vector_plans


class _Planner:
    """Planner for the vectors of one function."""

    def __init__(self, impl: FunctionImpl) -> None:
        self.positions = Positions(impl)

    def plan(self, instr: Instr) -> VectorPlan | None:
        if isinstance(instr, AluInstr) and instr.op in VECTORS and instr.reg_dest is not None:
            return self._of_register(instr, instr.reg_dest)
        return self._of_store(instr) if isinstance(instr, IntrinsicInstr) and is_store(instr) else None

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
        reads: Sequence[tuple[int, AluSrc]],
    ) -> VectorPlan | None:
        kept = [channel for channel, src in reads if _is_there_already(src, target, channel)]
        accepted: list[_Operand] = []
        reasons: list[tuple[AluSrc, str]] = []
        for web, of_web in self._webs([read for read in reads if read[0] not in kept], vec, store):
            operand = web if isinstance(web, str) else self._operand(web, of_web, store or vec, target, width)
            if isinstance(operand, _Operand):
                accepted.append(operand)
            else:
                reasons.append((of_web[0][1], operand))
        done = {*kept, *(channel for member in accepted for channel in member.channels)}
        plan = VectorPlan(
            vec,
            store,
            target,
            width,
            tuple(in_place for member in accepted for in_place in member.in_place),
            tuple(constant for member in accepted for constant in member.constants),
            tuple(copy for member in accepted for copy in member.web.copies),
            tuple(kept),
            tuple((channel, src) for channel, src in reads if channel not in done),
            tuple(reasons),
            frozenset(block for member in accepted for block in member.region),
            any(len(member.web.producers) > 1 for member in accepted),
        )
        if not done and not plan.direct:
            return None
        return plan if store is not None or can_move(plan.left) else None

    def _webs(
        self, reads: Iterable[tuple[int, AluSrc]], vec: AluInstr, store: IntrinsicInstr | None
    ) -> list[tuple[Web | str, list[tuple[int, AluSrc]]]]:
        """Return the webs of the operands, or the reasons why they have none, with the reads of each."""
        found: list[tuple[Web | str, list[tuple[int, AluSrc]]]] = []
        by_value: dict[Target, list[tuple[int, AluSrc]]] = {}
        for channel, src in reads:
            value = src.def_ if src.def_ is not None else src.reg
            if value is None or constant_of(src.def_) is not None:
                continue
            if value not in by_value:
                web = web_of(value, vec, store is not None)
                of_web: list[tuple[int, AluSrc]] = []
                by_value |= dict.fromkeys((value,) if isinstance(web, str) else web.members, of_web)
                found.append((web, of_web))
            by_value[value].append((channel, src))
        return found

    def _operand(
        self, web: Web, reads: Sequence[tuple[int, AluSrc]], copy: Instr, target: Target, width: int
    ) -> _Operand | str:
        """Return how an operand is computed in place, or the reason why it is not."""
        # Modifiers prevent coalescing: afterwards, the result exists only in the target channels.
        if any(src.negate or src.abs for _, src in reads):
            return "it is read with a modifier"
        if any(instr not in self.positions for instr in web.instrs):
            return "it is in no block"
        if target in web.members or not all(map(self._is_plain, web.members)):
            return "it is an array or the register itself"
        pairs = [(channel, src.swizzle[0]) for channel, src in reads]
        in_place: list[InPlace] = []
        for producer in web.producers:
            written = _in_place(producer, pairs, target, width)
            if isinstance(written, str):
                return written
            if written.channels:
                in_place.append(written)
        region: set[Block] = set()
        for channel, src in reads:
            held = Holding(self.positions, target, channel, web, src, copy).region()
            if held is None:
                return f"channel {'xyzw'[channel] if width <= 4 else channel} is in use until the vector"
            region |= held
        channels, places = tuple(channel for channel, _ in pairs), tuple(place for _, place in pairs)
        constants = [ConstantInPlace(block, value, channels, places) for block, value in web.constants]
        return _Operand(web, channels, tuple(in_place), tuple(constants), frozenset(region))

    def _is_plain(self, member: Target) -> bool:
        is_register = isinstance(member, Register) or _is_declared(member)
        return not is_register or self.positions.touches(member) is not None


@dataclass(frozen=True, slots=True)
class _Operand:
    """An operand that is computed in channels of the target."""

    web: Web
    channels: tuple[int, ...]
    in_place: tuple[InPlace, ...]
    constants: tuple[ConstantInPlace, ...]
    region: frozenset[Block]


def _in_place(
    producer: Producer, pairs: Sequence[tuple[int, int]], target: Target, width: int
) -> InPlace | str:
    """Return how a producer writes the channels of the target, or the reason why it cannot."""
    places = _places_of(producer)
    if places is None:
        return "its instruction has an indexed destination"
    written = sorted((channel, component) for channel, component in pairs if component in places)
    in_place = InPlace(
        producer,
        tuple(channel for channel, _ in written),
        tuple(places[component] for _, component in written),
    )
    if isinstance(producer, AluInstr):
        is_possible = can_be_reswizzled(producer, None if isinstance(target, Register) else width)
        return in_place if is_possible else f"{producer.op} is not per channel"
    if isinstance(target, Register):
        return in_place if _writes_whole(producer, pairs, target) else _ALU_ONLY
    if not isinstance(producer, IntrinsicInstr) or not is_store(producer):
        return _ALU_ONLY
    return in_place if _can_store(producer, in_place, width) else "its value is stored in another channel"


def _can_store(store: IntrinsicInstr, in_place: InPlace, width: int) -> bool:
    """Whether a `store_reg` can store to channels of another register instead."""
    value = store.sources[0].def_
    if value is None or store.int_index("base") or store.int_index("legacy_fsat"):
        return False
    if constant_of(value) is not None or not in_place.channels:
        return True
    if value.num_components == width and in_place.channels == in_place.places:
        return True
    maker = value.instr
    return isinstance(maker, AluInstr) and len(value.uses) == 1 and can_be_reswizzled(maker, width)


def can_be_reswizzled(instr: AluInstr, width: int | None) -> bool:
    """Whether an ALU instruction can compute any of its components in any channel.

    `width` is the number of components that its def then has; None if it writes a register with a mask.
    """
    entry = opcode(instr.op)
    if entry is None or _width_of(instr) is None:
        return False
    if "replicated" in instr.op:
        return width in (None, entry.output_size or width)
    return is_per_channel(instr)


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


def _writes_whole(
    producer: IntrinsicInstr | TexInstr, pairs: Sequence[tuple[int, int]], target: Target
) -> bool:
    """Whether a result is a whole register of old dumps: only ALU instructions have a write mask."""
    made = producer.def_ if producer.reg_dest is None else producer.reg_dest.reg
    if not isinstance(target, Register) or made is None:
        return False
    whole = [(channel, channel) for channel in range(target.num_components)]
    return (made.num_components, made.bit_size) == (target.num_components, target.bit_size) and [
        *pairs
    ] == whole


def can_move(left: tuple[tuple[int, AluSrc], ...]) -> bool:
    """Whether one instruction can write the remaining channels of a vector to an old-style register."""
    if not left or f"vec{len(left)}" in VECTORS:
        return True
    first = left[0][1]
    same = all((src.def_, src.reg) == (first.def_, first.reg) for _, src in left)
    return same and not any(src.negate or src.abs or src.reg_indirect is not None for _, src in left)


def _width_of(instr: Instr) -> int | None:
    if instr.def_ is not None:
        return instr.def_.num_components
    if instr.reg_dest is None or instr.reg_dest.indirect is not None or instr.reg_dest.offset:
        return None
    return instr.reg_dest.write_mask.bit_count()


def _places_of(instr: Producer) -> dict[int, int] | None:
    """Map each readable component of a result to its position among the computed ones."""
    if instr.def_ is not None:
        return {component: component for component in range(instr.def_.num_components)}
    if isinstance(instr, IntrinsicInstr) and is_store(instr):
        return {channel: channel for channel in _channels_of(instr.write_mask)}
    if instr.reg_dest is None or instr.reg_dest.indirect is not None or instr.reg_dest.offset:
        return None
    mask = instr.reg_dest.write_mask
    if not isinstance(instr, AluInstr):
        return {channel: channel for channel in range(instr.reg_dest.reg.num_components)}
    return {channel: place for place, channel in enumerate(_channels_of(mask))}


def _is_there_already(src: AluSrc, target: Target, channel: int) -> bool:
    plain = not src.negate and not src.abs and not src.reg_offset and src.reg_indirect is None
    return plain and src.reg is target and src.swizzle[0] == channel


def _channels_of(mask: int) -> list[int]:
    return [channel for channel in range(16) if mask >> channel & 1]


def _is_declared(value: Def) -> bool:
    return isinstance(value.instr, IntrinsicInstr) and value.instr.name == "decl_reg"
