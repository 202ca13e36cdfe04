"""Step 8: send fewer values for several inputs if no single expression covers all uses of one of them.

`t0 = a + b + c; t1 = a + b * k1 + c * k2` has no common post-dominator but needs only t0 and t1. Such
values are a cut in the graph of movable expressions that is smaller than the set of inputs it separates
from all other code. The rules for what may move are those of step 5.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from nirls.ir.model.control_flow import Block
from nirls.ir.model.instructions import Instr
from nirls.ir.model.walks import closure, makers
from nirls.passes.varyings.interface.scalar_slots import Interface
from nirls.passes.varyings.motion.movability import (
    Movability,
    ReadAs,
    fits,
    may_be_sent,
    may_be_target,
    parts_of,
    sent_size,
)
from nirls.passes.varyings.motion.movable_inputs import MovableInput
from nirls.passes.varyings.motion.sending import Move, Sent
from nirls.passes.varyings.values.minimum_cut import one_each, smaller_cut
from nirls.passes.varyings.values.placement import PlacementBlocks
from nirls.passes.varyings.values.tess_interpolation import TessEquation

_FEWEST_INPUTS = 3
_ROUNDS = 32
"""Limit of the search for one set of inputs, in visits per edge on average."""


@dataclass(eq=False, slots=True)
class _Node:
    """An input, or an instruction on inputs that the producer could compute.

    `block` of the producer stores all inputs that it reads; `escapes` is set if code that does not move
    reads it.
    """

    instr: Instr
    read_as: ReadAs
    block: Block
    input: MovableInput | None = None
    escapes: bool = False
    readers: list[_Node] = field(default_factory=list)


def find_cuts(
    interface: Interface, inputs: Sequence[MovableInput], movability: Movability, placement: PlacementBlocks
) -> Iterator[Move]:
    """Yield sets of values to send instead of more inputs, each in its own component of the graph."""
    if len(inputs) < _FEWEST_INPUTS:
        return
    nodes = _movable_region(interface, inputs, movability, placement)
    by_load = {item.load: item for item in inputs}
    for part in _connected(nodes):
        move = _smaller_set(interface, part, by_load)
        if move is not None:
            yield move


def _movable_region(
    interface: Interface, inputs: Sequence[MovableInput], movability: Movability, placement: PlacementBlocks
) -> list[_Node]:
    """Return all movable instructions computed from inputs, in printed order, so that readers come later."""
    by_load = {item.load: item for item in inputs}
    region: dict[Instr, _Node] = {}
    for instr in interface.consumer_impl.instrs():
        item = by_load.get(instr)
        if item is not None:
            block = placement.block_for(instr)
            if block is not None:
                region[instr] = _Node(instr, item.read_as, block, item)
            continue
        operands = dict.fromkeys(makers(instr.all_srcs()))
        read = [region[operand] for operand in operands if operand in region]
        read_as = movability.read_as(instr) if read else None
        block = None if read_as is None else placement.block_for(instr)
        if read_as is None or block is None:
            continue
        node = region[instr] = _Node(instr, read_as, block)
        for operand in read:
            operand.readers.append(node)
    for node in region.values():
        node.escapes = _escapes(node, region)
    return list(region.values())


def _escapes(node: _Node, region: dict[Instr, _Node]) -> bool:
    """Whether code that does not move reads a value, or nothing reads it at all."""
    value = node.instr.def_
    if value is None or not value.uses:
        return True
    for src in value.uses:
        reader = region.get(src.owner) if isinstance(src.owner, Instr) else None
        if reader is None or reader.input is not None:
            return True
    return False


def _connected(nodes: list[_Node]) -> Iterator[list[_Node]]:
    """Yield the components of a region that could gain: at least three inputs that only movable code reads.

    An input that other code reads stays as it is; the search does not pass it.
    """
    neighbours: dict[_Node, list[_Node]] = {
        node: list(node.readers) for node in nodes if node.input is None or not node.escapes
    }
    for node in list(neighbours):
        for reader in node.readers:
            neighbours[reader].append(node)
    position = {node: number for number, node in enumerate(nodes)}
    seen: set[_Node] = set()
    for start in neighbours:
        if start in seen:
            continue
        part = closure([start], neighbours.__getitem__)
        seen.update(part)
        if sum(node.input is not None for node in part) >= _FEWEST_INPUTS:
            yield sorted(part, key=position.__getitem__)


def _smaller_set(interface: Interface, part: list[_Node], by_load: dict[Instr, MovableInput]) -> Move | None:
    number = {node: position for position, node in enumerate(part)}
    successors = [[number[reader] for reader in node.readers] for node in part]
    edges = len(part) + sum(len(readers) for readers in successors)
    cut = smaller_cut(
        successors,
        [position for position, node in enumerate(part) if node.input is not None],
        [node.escapes for node in part],
        [may_be_sent(interface, node.instr, node.read_as) for node in part],
        _ROUNDS * edges,
    )
    if cut is None:
        return None
    values = [part[position] for position in sorted(cut.nodes) if part[position].input is None]
    freed = [item for position in sorted(cut.before) if (item := part[position].input) is not None]
    if not values or sum(sent_size(node.instr) for node in values) >= sum(
        item.slot.bit_size for item in freed
    ):
        return None
    return _move(interface, values, freed, by_load)


def _move(
    interface: Interface, values: list[_Node], freed: list[MovableInput], by_load: dict[Instr, MovableInput]
) -> Move | None:
    """Return the move that sends each value in the slot of a freed input that it is computed from."""
    gone = set(freed)
    used: dict[MovableInput, None] = {}
    choices: list[list[MovableInput]] = []
    for node in values:
        inputs = [by_load[made] for made in parts_of(node.instr, by_load) if made in by_load]
        inputs.sort(key=_place)
        used.update(dict.fromkeys(inputs))
        choices.append([item for item in inputs if item in gone and _takes(interface, node, item)])
    places = one_each(choices)
    if places is None:
        return None
    sent = tuple(
        Sent(node.instr, node.read_as, place, node.block) for node, place in zip(values, places, strict=True)
    )
    return Move(sent, tuple(sorted(used, key=_place)))


def _place(item: MovableInput) -> int:
    return item.slot.number


def _takes(interface: Interface, node: _Node, item: MovableInput) -> bool:
    """Whether the slot of an input can hold a value."""
    if isinstance(node.read_as, TessEquation) != isinstance(item.read_as, TessEquation):
        return False
    return may_be_target(item.slot) and fits(interface, node.instr, item.slot)
