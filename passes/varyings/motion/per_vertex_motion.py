"""Step 7: backward motion for inputs that are read per vertex (VS-TCS, VS-GS, TES-GS).

If a geometry shader computes `in[i].a * k + in[i].b` for every i, the producer can compute that once for
each vertex and send it. All loads of one expression must read the same vertex, and all loads of the slot
that takes the result must belong to that expression, each for its vertex. Mesa does not implement this.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass

from nirls.ir.model.control_flow import Block
from nirls.ir.model.instructions import (
    AluInstr,
    DerefInstr,
    Instr,
    IntrinsicInstr,
    LoadConstInstr,
    UndefInstr,
    scalar_constant,
)
from nirls.ir.model.stage import Stage
from nirls.ir.model.values import Def
from nirls.ir.model.walks import makers, operands_first
from nirls.ir.tables import opcode
from nirls.passes.dead_code import remove_with_its_sources
from nirls.passes.varyings.interface.decisions import Step, StepObstacle
from nirls.passes.varyings.interface.scalar_slots import Category, Interface, PackingGroup, ScalarSlot
from nirls.passes.varyings.motion.movability import (
    AtVertex,
    Movability,
    ReadAs,
    compares_with_constant,
    fits,
    may_be_sent,
    may_be_target,
    parts_of,
)
from nirls.passes.varyings.motion.movable_inputs import store_obstacle
from nirls.passes.varyings.motion.sending import (
    compute_in_producer,
    like,
    record,
    replace_value,
    retire_unread,
    store_instead,
)
from nirls.passes.varyings.motion.slot_accesses import forbid_mediump
from nirls.passes.varyings.values.placement import PlacementBlocks, PostDominators

_CONSUMERS = frozenset((Stage.TESS_CTRL, Stage.GEOMETRY))


@dataclass(frozen=True, slots=True, eq=False)
class ExpressionInstance:
    """An instance of the expression in the consumer; `load` is its load of the target slot."""

    instr: Instr
    load: IntrinsicInstr


@dataclass(frozen=True, slots=True, eq=False)
class VertexMove:
    """An expression that moves into the producer, with all its instances in the consumer.

    The slot of `target` holds the result. `slots` are all slots that it is computed from, and `block` is
    the producer block that stores all of them.
    """

    target: ScalarSlot
    sites: tuple[ExpressionInstance, ...]
    slots: tuple[ScalarSlot, ...]
    block: Block

    @property
    def instrs(self) -> tuple[Instr, ...]:
        """The expression that the producer will compute."""
        return tuple(site.instr for site in self.sites)

    @property
    def loads(self) -> tuple[Instr, ...]:
        """The loads that the new loads replace."""
        return tuple(site.load for site in self.sites)

    @property
    def targets(self) -> tuple[ScalarSlot, ...]:
        """The slot that holds the value afterwards."""
        return (self.target,)


def find_vertex_moves(interface: Interface) -> Iterator[VertexMove]:
    """Yield moves without common slots, by the slot that takes the result."""
    if interface.consumer_stage not in _CONSUMERS:
        return
    slot_of: dict[Instr, ScalarSlot] = {
        load: slot for slot in interface.in_order() if _reads_by_vertex(slot) for load in slot.input_loads
    }
    if not slot_of:
        return
    search = _Search(interface, slot_of)
    taken: set[ScalarSlot] = set()
    for slot in dict.fromkeys(slot_of.values()):
        if slot in taken or not may_be_target(slot):
            continue
        move = search.move(slot)
        if move is not None and taken.isdisjoint(move.slots):
            taken.update(move.slots)
            yield move
        elif move is None:
            obstacle = StepObstacle(Step.BACKWARD, "no-expression", search.obstacles[slot])
            interface.obstruct(slot, obstacle)


def carry_out(interface: Interface, move: VertexMove) -> None:
    """Compute the expression in the producer, and load the result at each of its instances."""
    first = move.sites[0]
    is_mediump = all(slot.is_mediump for slot in move.slots)
    stored: dict[Def, Def] = {
        load.def_: slot.stores[0].sources[0].ssa
        for slot in move.slots
        for load in slot.input_loads
        if load.def_ is not None
    }
    record(interface, [(first.instr, move.target)])
    result = compute_in_producer(interface, first.instr, move.block, stored)
    store_instead(interface, move.target, move.block, result)
    group = PackingGroup.FLAT if move.target.category is None else move.target.category.group
    move.target.category = Category(group, None, result.bit_size)
    made = []
    for site in move.sites:
        builder = interface.consumer_builder.after_instr(site.load)
        sources = [src.ssa for src in site.load.sources]
        indices = like(site.load.name, site.load, result.bit_size)
        load = builder.intrinsic(site.load.name, sources, indices, 1, result.bit_size)
        if site.instr.def_ is None or load.def_ is None:
            raise ValueError("a load makes a value, and so does what is sent")
        replace_value(interface, site.instr.def_, load.def_)
        made.append(load)
    for site in move.sites:
        remove_with_its_sources(site.instr)
    move.target.input_loads = made
    if not is_mediump:
        forbid_mediump(move.target.accesses)
    retire_unread(interface, move.targets)


def _reads_by_vertex(slot: ScalarSlot) -> bool:
    if slot.blocked or not slot.input_loads or slot.is_patch or store_obstacle(slot) is not None:
        return False
    if slot.stores[0].name != "store_output":
        return False
    return all(load.name == "load_per_vertex_input" for load in slot.input_loads)


def vertex_of(load: IntrinsicInstr) -> AtVertex:
    """Return the vertex that a load reads; constants as numbers, so that equal ones compare equal."""
    value = load.sources[0].ssa
    number = scalar_constant(value)
    return AtVertex(value if number is None else number)


class _Search:
    """Search for per-vertex expressions in a consumer."""

    def __init__(
        self,
        interface: Interface,
        slot_of: dict[Instr, ScalarSlot],
    ) -> None:
        self.interface = interface
        self.slot_of = slot_of
        reads: dict[Instr, ReadAs] = {
            load: vertex_of(load) for load in slot_of if isinstance(load, IntrinsicInstr)
        }
        self.movability = Movability(reads, interface.variables)
        self.expressions = _Expressions(slot_of)
        blocks = {load: slot.stores[0].block for load, slot in slot_of.items()}
        self.placement = PlacementBlocks(
            interface.producer_impl, {load: block for load, block in blocks.items() if block is not None}
        )
        self.tree = PostDominators(interface.consumer_impl)
        self.obstacles: dict[ScalarSlot, str] = {}

    def move(self, slot: ScalarSlot) -> VertexMove | None:
        """Return the largest expression that all loads of a slot feed; None after setting the obstacle."""
        self.obstacles[slot] = "the stage does not compute the same expression of it for all vertices"
        above = [self._candidates(slot, load) for load in slot.input_loads]
        for number in reversed(above[0]):
            if not all(number in candidates for candidates in above):
                continue
            move = self._move(slot, [candidates[number] for candidates in above])
            if move is not None:
                return move
        return None

    def _candidates(self, slot: ScalarSlot, load: IntrinsicInstr) -> dict[int, Instr]:
        """Return the post-dominators of a load that could be sent, nearest first, by expression number."""
        found: dict[int, Instr] = {}
        instr = self.tree.immediate(load)
        # A load whose vertex depends on another input starts an expression, and is never an inner part of
        # one.
        while instr is not None and instr not in self.slot_of:
            read_as = self.movability.read_as(instr)
            if not isinstance(read_as, AtVertex):
                if not found:
                    self.obstacles[slot] = self.movability.obstacle(instr)
                break
            if (
                may_be_sent(self.interface, instr, read_as)
                and fits(self.interface, instr, slot)
                and not compares_with_constant(instr, load)
            ):
                found[self.expressions.number(instr)] = instr
            instr = self.tree.immediate(instr)
        return found

    def _move(self, slot: ScalarSlot, instrs: list[Instr]) -> VertexMove | None:
        block = self.placement.block_for(instrs[0])
        if block is None:
            self.obstacles[slot] = self.placement.obstacle(instrs[0])
            return None
        parts = parts_of(instrs[0], self.slot_of)
        slots = tuple(dict.fromkeys(self.slot_of[part] for part in parts if part in self.slot_of))
        sites = {
            instr: ExpressionInstance(instr, load)
            for instr, load in zip(instrs, slot.input_loads, strict=True)
        }
        return VertexMove(slot, tuple(sites.values()), slots, block)


class _Expressions:
    """Value numbering: equal for expressions computed alike from the same slots of any vertex."""

    def __init__(self, slot_of: dict[Instr, ScalarSlot]) -> None:
        self.slot_of = slot_of
        self.numbers: dict[Instr, int] = {}
        self.by_key: dict[Hashable, int] = {}

    def number(self, instr: Instr) -> int:
        """Return the number of a movable expression."""
        for current in operands_first(
            instr, lambda instr: () if instr in self.slot_of else makers(instr.srcs()), self.numbers
        ):
            self.numbers[current] = self.by_key.setdefault(self._key(current), len(self.by_key))
        return self.numbers[instr]

    def _key(self, instr: Instr) -> Hashable:
        slot = self.slot_of.get(instr)
        if slot is not None:
            return ("slot", slot.number)
        size = None if instr.def_ is None else (instr.def_.bit_size, instr.def_.num_components)
        operands = [(None if src.ssa.instr is None else self.numbers[src.ssa.instr]) for src in instr.srcs()]
        match instr:
            case LoadConstInstr():
                return ("const", size, instr.values)
            case UndefInstr():
                return ("undef", size)
            case AluInstr():
                reads: list[Hashable] = [
                    (operand, src.swizzle, src.negate, src.abs)
                    for operand, src in zip(operands, instr.sources, strict=True)
                ]
                entry = opcode(instr.op)
                if entry is not None and entry.is_commutative and len(reads) >= 2:
                    reads[:2] = sorted(reads[:2], key=repr)
                return ("alu", instr.op, size, instr.flags, tuple(reads))
            case IntrinsicInstr():
                return ("intrinsic", instr.name, size, tuple(instr.indices.items()), tuple(operands))
            case DerefInstr():
                what = (instr.deref_kind, instr.mode, instr.type_name, instr.field, instr.const_index)
                variable = id(instr.var) if instr.var is not None else instr.var_name
                return ("deref", what, variable, tuple(operands))
        return ("other", id(instr))
