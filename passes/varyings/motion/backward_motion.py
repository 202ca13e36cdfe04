"""Step 5: move expressions of inputs into the producer, which then sends the result.

For each input, find the farthest movable instruction that post-dominates it in the value graph. That
instruction becomes an input itself, in the slot of the input where the search began. The other inputs that
it reads are removed too unless something else reads them. Step 7 (inputs that are read per vertex) and step
8 (fewer values for several inputs) are the same kind of motion and alternate with this one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from nirls.ir.model.instructions import AluInstr, Instr
from nirls.ir.model.values import Def
from nirls.passes.varyings.interface.decisions import Step, StepObstacle
from nirls.passes.varyings.interface.scalar_slots import Interface
from nirls.passes.varyings.motion import per_vertex_motion, sending
from nirls.passes.varyings.motion.input_cuts import find_cuts
from nirls.passes.varyings.motion.movability import (
    Movability,
    ReadAs,
    compares_with_constant,
    fits,
    may_be_sent,
    may_be_target,
    parts_of,
)
from nirls.passes.varyings.motion.movable_inputs import MovableInput, Refusal, blocks_of, movable_inputs
from nirls.passes.varyings.motion.per_vertex_motion import VertexMove, find_vertex_moves
from nirls.passes.varyings.motion.sending import Move, Sent
from nirls.passes.varyings.values.placement import PlacementBlocks, PostDominators
from nirls.passes.varyings.values.tess_interpolation import TessEquation

Motion = Move | VertexMove


def move_backward(interface: Interface) -> None:
    """Move expressions into the producer until no motion is left."""
    moving = True
    while moving:
        search = BackwardSearch(interface)
        moving = _move_through_post_dominators(search)
        if not moving:
            for motion in list(_others(search)):
                moving = carry_out(interface, motion) or moving


def motions(interface: Interface) -> list[Motion]:
    """Return the possible motions. Each may be carried out alone, or all of them in this order."""
    search = BackwardSearch(interface)
    found: list[Motion] = list(search.moves())
    taken = {slot for motion in found for slot in motion.slots}
    return found + [motion for motion in _others(search) if taken.isdisjoint(motion.slots)]


def carry_out(interface: Interface, motion: Motion) -> bool:
    """Carry out a motion found by `motions`; return false if another change has made it impossible."""
    if not all(len(slot.stores) == 1 and slot.input_loads for slot in motion.slots):
        return False
    if any(instr.block is None for instr in (*motion.instrs, *motion.loads)):
        return False
    if isinstance(motion, Move):
        sending.carry_out(interface, motion)
    else:
        per_vertex_motion.carry_out(interface, motion)
    return True


def by_expression(found: Iterable[Motion]) -> list[Motion]:
    """Join the motions of one expression on the components of the same vec4 slots."""
    groups: dict[object, list[Motion]] = {}
    for motion in found:
        slots = tuple(slot.location for slot in motion.slots)
        what = tuple(instr.op if isinstance(instr, AluInstr) else instr.kind for instr in motion.instrs)
        is_alone = isinstance(motion, Move) and len(motion.sent) == 1
        groups.setdefault((slots, what) if is_alone else motion, []).append(motion)
    return [_joined(group) for group in groups.values()]


def _joined(group: Sequence[Motion]) -> Motion:
    moves = [motion for motion in group if isinstance(motion, Move)]
    slots = [slot for move in moves for slot in move.slots]
    if len(moves) < 2 or len(set(slots)) < len(slots):
        return group[0]
    sent = tuple(sent for move in moves for sent in move.sent)
    return Move(sent, tuple(item for move in moves for item in move.inputs))


def _others(search: BackwardSearch) -> Iterator[Motion]:
    """Yield the motions that involve more than one post-dominator."""
    yield from find_cuts(search.interface, search.inputs, search.movability, search.placement)
    yield from find_vertex_moves(search.interface)


def _move_through_post_dominators(search: BackwardSearch) -> bool:
    moving = False
    for move in search.moves():
        moving = True
        made = sending.carry_out(search.interface, move)
        if any(item.slot.input_loads for item in move.inputs if item.slot not in move.targets):
            # The remaining uses of the other inputs have other post-dominators now.
            break
        search.exchange(move, made)
    return moving


class BackwardSearch:
    """Search for movable post-dominators in a consumer.

    A move may be carried out before the next one is requested.
    """

    def __init__(self, interface: Interface) -> None:
        self.interface = interface
        self.inputs = movable_inputs(interface)
        self.by_load = {item.load: item for item in self.inputs}
        self.reads = {item.load: item.read_as for item in self.inputs}
        self.movability = Movability(self.reads, interface.variables)
        self.gone: set[Instr] = set()
        self.blocks = blocks_of(self.inputs)
        self.placement = PlacementBlocks(interface.producer_impl, self.blocks)
        self.tree = PostDominators(interface.consumer_impl) if self.inputs else None
        self.obstacles: dict[Instr, Refusal] = {}

    def exchange(self, move: Move, made: list[MovableInput]) -> None:
        """Drop the inputs that a move has removed, and add the new ones, which later moves may include."""
        self.gone.update(item.load for item in move.inputs)
        for item in made:
            self.by_load[item.load] = item
            self.reads[item.load] = item.read_as
        self.blocks.update(blocks_of(made))

    def moves(self) -> Iterator[Move]:
        """Yield moves that do not conflict, by the slot where the search begins."""
        tried: set[Instr] = set()
        for item in self.inputs:
            if item.load in self.gone or not may_be_target(item.slot):
                continue
            for candidate, read_as in reversed(list(self._candidates(item))):
                if candidate in tried:
                    continue
                move = self._move(item, candidate, read_as)
                if move is None:
                    continue
                tried.add(candidate)
                yield move
                break
            else:
                obstacle = self.obstacles.get(item.load)
                if obstacle is not None:
                    self.interface.obstruct(item.slot, StepObstacle(Step.BACKWARD, *obstacle))

    def _candidates(self, item: MovableInput) -> Iterator[tuple[Instr, ReadAs]]:
        """Yield the movable post-dominators of an input that could be inputs, nearest first."""
        tree = self.tree
        above = None if tree is None else tree.immediate(item.load)
        if above is None:
            self.obstacles[item.load] = "no-common-reader", "no single expression covers all its uses"
        while tree is not None and above is not None:
            read_as = self.movability.read_as(above)
            if read_as is None:
                self.obstacles[item.load] = "not-movable", self.movability.obstacle(above)
                return
            if self._can_be_input(above, read_as, item):
                yield above, read_as
            else:
                self.obstacles[item.load] = (
                    "unsuitable",
                    "its expression cannot be a varying of its size",
                )
            above = tree.immediate(above)

    def _can_be_input(self, instr: Instr, read_as: ReadAs, item: MovableInput) -> bool:
        if not may_be_sent(self.interface, instr, read_as):
            return False
        if isinstance(read_as, TessEquation) != isinstance(item.read_as, TessEquation):
            # A patch input cannot hold a value per vertex.
            return False
        return fits(self.interface, instr, item.slot) and not compares_with_constant(instr, item.load)

    def _move(self, item: MovableInput, instr: Instr, read_as: ReadAs) -> Move | None:
        block = self.placement.block_for(instr)
        if block is None:
            self.obstacles[item.load] = "guarded", self.placement.obstacle(instr)
            return None
        parts = parts_of(instr, self.by_load)
        inputs = tuple(used for part in parts if (used := self.by_load.get(part)) is not None)
        if item not in inputs:
            return None
        return Move((Sent(instr, read_as, item, block),), inputs)


@dataclass(frozen=True, slots=True)
class MotionGain:
    """Varyings and ALU instructions of the consumer, before and after."""

    varyings_before: int
    varyings_after: int
    instructions_before: int
    instructions_after: int

    @property
    def saved(self) -> int:
        """Varyings saved; if their number stays the same, instructions saved."""
        varyings = self.varyings_before - self.varyings_after
        return varyings or self.instructions_before - self.instructions_after


def gain_of(interface: Interface, motion: Motion) -> MotionGain:
    """Return the gain of a motion: the code and the inputs that only the moved expressions use go."""
    dead = _only_used_by(motion.instrs)
    stay = {slot for slot in motion.slots if not dead.issuperset(slot.input_loads)} | {*motion.targets}
    alu = sum(isinstance(instr, AluInstr) for instr in interface.consumer_impl.instrs())
    # A boolean is sent as a number, which the consumer compares with zero.
    compared = sum(instr.def_ is not None and instr.def_.bit_size == 1 for instr in motion.instrs)
    moved = sum(isinstance(instr, AluInstr) for instr in dead)
    return MotionGain(len(motion.slots), len(stay), alu, alu - moved + compared)


def _only_used_by(roots: Iterable[Instr]) -> set[Instr]:
    """Return instructions, and those that become dead with them."""
    dead = set(roots)
    work = list(dead)
    while work:
        for src in work.pop().all_srcs():
            value = src.def_
            maker = None if value is None else value.instr
            if value is None or maker is None or maker in dead or not _is_dead(value, dead):
                continue
            dead.add(maker)
            work.append(maker)
    return dead


def _is_dead(value: Def, dead: set[Instr]) -> bool:
    return all(isinstance(user, Instr) and user in dead for user in value.users())
