"""Step 5: expressions of inputs move into the producer, which then sends the result.

For each input the farthest movable instruction is sought through which everything made of the input
passes. It becomes an input itself, in the place of the one that the search began at. The other inputs that
it needs go too unless something else reads them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from nirls.ir.analysis.dominance import DominatorTree, post_dominance
from nirls.ir.control_flow import Block
from nirls.ir.instructions import AluInstr, DerefInstr, IndexValue, Instr, IntrinsicInstr, LoadConstInstr
from nirls.ir.stage import Stage
from nirls.ir.tables import intrinsic, opcode
from nirls.ir.values import AluSrc, Def
from nirls.passes.dead_code import remove_with_its_sources
from nirls.passes.varyings.interpolation import Interpolation, barycentric_of, is_at_a_point
from nirls.passes.varyings.movability import Movability, ReadAs, Reading, TessWeights
from nirls.passes.varyings.scalar_slots import Category, Group, Interface, ScalarSlot
from nirls.passes.varyings.stores import retire_stores
from nirls.passes.varyings.tess_interpolation import (
    TessInterpolation,
    find_interpolation,
    may_be_triangles,
)
from nirls.passes.varyings.transfer import copy_value
from nirls.passes.varyings.uniform_variables import UniformVariables
from nirls.passes.varyings.value_graph import PostDominators

_PRODUCERS = frozenset((Stage.VERTEX, Stage.TESS_CTRL, Stage.TESS_EVAL))


@dataclass(frozen=True, slots=True, eq=False)
class MovableInput:
    """An input that may be part of a moved expression.

    `load` is the instruction that makes its value: the load, or the sum that interpolates it by hand.
    """

    slot: ScalarSlot
    load: Instr
    read_as: ReadAs
    tess: TessInterpolation | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Move:
    """An instruction of the consumer that may become an input, in the slot of `target`.

    `inputs` are all that it is computed from, `block` the one with all their stores.
    """

    instr: Instr
    read_as: ReadAs
    target: MovableInput
    inputs: tuple[MovableInput, ...]
    block: Block


def move_backward(interface: Interface, variables: UniformVariables) -> None:
    """Move whatever can be moved, until nothing can."""
    moving = True
    while moving:
        moving = False
        search = Search(interface, variables)
        for move in search.moves():
            moving = True
            made = carry_out(interface, variables, move)
            if any(item.slot.input_loads for item in move.inputs if item is not move.target):
                # What is left of the other inputs has other post-dominators now.
                break
            search.exchange(move, made)


class Search:
    """Finds moves in a consumer as it is. A move may be carried out while the next one is awaited."""

    def __init__(self, interface: Interface, variables: UniformVariables) -> None:
        self.interface = interface
        self.inputs = movable_inputs(interface)
        self.by_load = {item.load: item for item in self.inputs}
        self.reads = {item.load: item.read_as for item in self.inputs}
        self.movability = Movability(self.reads, variables, interface.options)
        self.gone: set[Instr] = set()
        self.always: DominatorTree | None = None
        self.tree = PostDominators(interface.consumer_impl) if self.inputs else None

    def exchange(self, move: Move, made: MovableInput) -> None:
        """Leave out what a move has taken away; what it made may be part of later ones."""
        self.gone.update(item.load for item in move.inputs)
        self.by_load[made.load] = made
        self.reads[made.load] = made.read_as

    def moves(self) -> Iterator[Move]:
        """Moves that do not get in each other's way, by the slot where the search begins."""
        tried: set[Instr] = set()
        for item in self.inputs:
            if item.load in self.gone or not self._may_be_target(item):
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

    def _may_be_target(self, item: MovableInput) -> bool:
        """A captured output must keep its value, so its slot cannot take another one."""
        return not item.slot.captured and item.slot.allowed.move_code

    def _candidates(self, item: MovableInput) -> Iterator[tuple[Instr, ReadAs]]:
        """The movable post-dominators of an input that could be an input, nearest first."""
        tree = self.tree
        above = None if tree is None else tree.immediate(item.load)
        while tree is not None and above is not None:
            read_as = self.movability.read_as(above)
            if read_as is None:
                return
            if self._can_be_input(above, read_as, item):
                yield above, read_as
            above = tree.immediate(above)

    def _can_be_input(self, instr: Instr, read_as: ReadAs, item: MovableInput) -> bool:
        value = instr.def_
        if value is None or isinstance(instr, DerefInstr) or value.num_components != 1:
            return False
        if isinstance(read_as, TessWeights) != isinstance(item.read_as, TessWeights):
            # A patch input cannot take a value for each vertex.
            return False
        if not self._size_is_supported(value.bit_size, item):
            return False
        if isinstance(instr, AluInstr) and value.bit_size == 1 and _tests_against_constant(instr, item.load):
            # The result would be sent as a number and be tested against zero: nothing gained.
            return False
        if self.interface.feeds_fragments and read_as is Reading.CONVERGENT:
            # It may end up interpolated with others, so it must be a number that can be.
            return isinstance(instr, AluInstr) and value.bit_size in (16, 32) and _makes_float(instr)
        return True

    def _size_is_supported(self, bit_size: int, item: MovableInput) -> bool:
        options = self.interface.options
        if bit_size == 16 and not options.supports_16bit_io:
            return False
        if bit_size not in (1, 16, 32):
            return False
        sent = 32 if bit_size == 1 else bit_size
        return sent == item.slot.bit_size or options.pack

    def _move(self, item: MovableInput, instr: Instr, read_as: ReadAs) -> Move | None:
        inputs = self._inputs_of(instr)
        blocks = {used.slot.stores[0].block for used in inputs}
        block = blocks.pop() if len(blocks) == 1 else None
        if block is None or item not in inputs:
            return None
        if self._selects(instr) and not self._always_runs(block):
            # A selection may pass over an input that was not written; its result must be written then.
            return None
        return Move(instr, read_as, item, tuple(inputs), block)

    def _always_runs(self, block: Block) -> bool:
        """Whether every invocation of the producer gets to a block."""
        if self.always is None:
            self.always = post_dominance(self.interface.producer_impl)
        return self.always.dominates(block, self.interface.producer_impl.start_block)

    def _selects(self, instr: Instr) -> bool:
        """Whether an expression chooses between values anywhere."""
        return any(
            isinstance(part, AluInstr) and (entry := opcode(part.op)) is not None and entry.is_selection
            for part in self._parts(instr)
        )

    def _inputs_of(self, instr: Instr) -> list[MovableInput]:
        parts = self._parts(instr)
        return [item for part in parts if (item := self.by_load.get(part)) is not None]

    def _parts(self, instr: Instr) -> list[Instr]:
        """What an expression is computed from, itself first, down to the inputs."""
        seen = {instr: None}
        work = [instr]
        while work:
            current = work.pop()
            if current in self.by_load:
                continue
            for src in current.srcs():
                maker = None if src.def_ is None else src.def_.instr
                if maker is not None and maker not in seen:
                    seen[maker] = None
                    work.append(maker)
        return list(seen)


def movable_inputs(interface: Interface) -> list[MovableInput]:
    """The inputs that fulfil the conditions on a single input, by slot.

    One store, no output loads; one load, or the loads of one interpolation by hand.
    """
    if interface.producer_stage not in _PRODUCERS:
        return []
    found = []
    for slot in interface.in_order():
        if slot.blocked or not slot.allowed.move_code or slot.value is None or slot.output_loads:
            continue
        if len(slot.stores) != 1 or not slot.input_loads:
            continue
        item = _movable_input(interface, slot)
        if item is not None:
            found.append(item)
    return found


def _movable_input(interface: Interface, slot: ScalarSlot) -> MovableInput | None:
    if interface.consumer_stage is Stage.TESS_EVAL and not slot.is_patch:
        return _tess_input(interface, slot)
    if len(slot.input_loads) != 1 or slot.stores[0].name != "store_output":
        return None
    load = slot.input_loads[0]
    read_as: ReadAs
    if load.name == "load_interpolated_input":
        found = _interpolated(interface, slot, load)
        if found is None:
            return None
        read_as = found
    elif load.name == "load_input":
        read_as = Reading.FLAT
        if interface.consumer_stage is Stage.TESS_EVAL:
            read_as = Reading.CONVERGENT
    else:
        return None
    return MovableInput(slot, load, read_as)


def _interpolated(interface: Interface, slot: ScalarSlot, load: IntrinsicInstr) -> ReadAs | None:
    """How an interpolated load is read; None where nothing may move across the interpolation."""
    if slot.convergent:
        exact = interface.options.preserve_nans or interface.options.preserve_infs
        return None if exact else Reading.CONVERGENT
    barycentric = barycentric_of(load)
    if barycentric is None or is_at_a_point(barycentric) or slot.category is None:
        return None
    return slot.category.interpolation


def _tess_input(interface: Interface, slot: ScalarSlot) -> MovableInput | None:
    if not may_be_triangles(interface.consumer):
        return None
    store = slot.stores[0]
    if interface.producer_stage is Stage.TESS_CTRL and not _stores_own_vertex(store):
        return None
    found = find_interpolation(slot.input_loads)
    if found is None:
        return None
    return MovableInput(slot, found.result, TessWeights(found.weights), found)


def _stores_own_vertex(store: IntrinsicInstr) -> bool:
    if store.name != "store_per_vertex_output" or store.sources[1].def_ is None:
        return False
    maker = store.sources[1].def_.instr
    return isinstance(maker, IntrinsicInstr) and maker.name == "load_invocation_id"


def _tests_against_constant(instr: AluInstr, load: Instr) -> bool:
    if len(instr.sources) > 2:
        return False
    makers = [None if src.def_ is None else src.def_.instr for src in instr.sources]
    return load in makers and all(maker is load or isinstance(maker, LoadConstInstr) for maker in makers)


def _makes_float(instr: AluInstr) -> bool:
    entry = opcode(instr.op)
    return entry is not None and entry.output_type.startswith("float")


def carry_out(interface: Interface, variables: UniformVariables, move: Move) -> MovableInput:
    """Compute an instruction in the producer, and load the result in the consumer. Returns the new input."""
    value = move.instr.def_
    if value is None:
        raise ValueError("only an instruction with a value can become an input")
    stored = {
        item.load.def_: item.slot.stores[0].sources[0].ssa
        for item in move.inputs
        if item.load.def_ is not None
    }
    producer = interface.producer_builder.at_end_of(move.block)
    result = copy_value(value, producer, interface.producer, variables, stored)
    if result.bit_size == 1:
        result = producer.alu("b2b32", [result], 1, 32)
    _store(interface, move, result)
    made = _load(interface, move, value, result.bit_size)
    remove_with_its_sources(move.instr)
    for item in move.inputs:
        if item is move.target:
            continue
        slot = item.slot
        slot.input_loads = [load for load in slot.input_loads if load.block is not None]
        if not slot.input_loads:
            retire_stores(interface, slot)
    interface.progress.on_producer(interface)
    interface.progress.on_consumer(interface)
    return made


def _store(interface: Interface, move: Move, result: Def) -> None:
    """The store of the target's slot goes to the end of its block and stores the result."""
    slot = move.target.slot
    store = slot.stores[0]
    old = store.sources[0].ssa
    store.unlink()
    interface.producer_builder.at_end_of(move.block).insert(store)
    if old.bit_size != result.bit_size:
        store.indices["src_type"] = _sized(store.indices.get("src_type"), result.bit_size)
    store.sources[0].set_def(result)
    slot.value = result
    slot.bit_size = result.bit_size


def _load(interface: Interface, move: Move, value: Def, bit_size: int) -> MovableInput:
    slot = move.target.slot
    builder = interface.consumer_builder
    after = move.target.load
    if after.block is None:
        raise ValueError("the load of a movable input is in a block")
    builder.block, builder.before = after.block, after.next
    model = slot.input_loads[0]
    index = value.index if value.bit_size == bit_size else None
    if isinstance(move.read_as, TessWeights) and move.target.tess is not None:
        new = _interpolate(interface, move.target.tess, model, slot, bit_size, index)
        slot.category = Category(Group.FLAT, None, bit_size)
    else:
        new = _load_once(interface, move, model, bit_size, index)
    if new.instr is None:
        raise ValueError("a new load is an instruction")
    made = MovableInput(slot, new.instr, move.read_as)
    if value.bit_size == 1:
        zero = builder.load_const([0], bit_size)
        new = builder.alu("ine", [new, zero], 1, 1)
        new.index = value.index
    value.replace_all_uses_with(new)
    return made


def _load_once(
    interface: Interface, move: Move, model: IntrinsicInstr, bit_size: int, index: int | None
) -> Def:
    slot = move.target.slot
    builder = interface.consumer_builder
    sources = [model.sources[-1].ssa]
    name, group = "load_input", Group.FLAT
    interpolation = None
    if interface.feeds_fragments and move.read_as is not Reading.FLAT:
        name, group = "load_interpolated_input", Group.CONVERGENT
        sources.insert(0, _barycentric(interface, move, model))
        if isinstance(move.read_as, Interpolation):
            group, interpolation = Group.INTERPOLATED, move.read_as
    slot.convergent = group is Group.CONVERGENT
    slot.category = Category(group, interpolation, bit_size)
    indices = like(name, model, bit_size)
    load = builder.intrinsic(name, sources, indices, 1, bit_size)
    slot.input_loads = [load]
    if load.def_ is None:
        raise ValueError("a load makes a value")
    if index is not None:
        load.def_.index = index
    return load.def_


def _barycentric(interface: Interface, move: Move, model: IntrinsicInstr) -> Def:
    """The coordinates for the new load: those of the target's load if they are right."""
    if model.name == "load_interpolated_input" and move.read_as in (move.target.read_as, Reading.CONVERGENT):
        return model.sources[0].ssa
    if not isinstance(move.read_as, Interpolation):
        raise ValueError("only an interpolated input has coordinates")
    made = interface.consumer_builder.intrinsic(
        move.read_as.barycentric, [], {"interp_mode": move.read_as.mode}, 2, 32
    )
    if made.def_ is None:
        raise ValueError("a load makes a value")
    return made.def_


def _interpolate(
    interface: Interface,
    tess: TessInterpolation,
    model: IntrinsicInstr,
    slot: ScalarSlot,
    bit_size: int,
    index: int | None,
) -> Def:
    """Load the slot for the three vertices and interpolate by hand."""
    builder = interface.consumer_builder
    by_vertex = {vertex_index(load): load for load in slot.input_loads}
    total: Def | None = None
    loads: list[IntrinsicInstr] = []
    for vertex in range(3):
        old = by_vertex[vertex]
        load = builder.intrinsic(
            old.name, [src.ssa for src in old.sources], like(old.name, model, bit_size), 1, bit_size
        )
        loads.append(load)
        if load.def_ is None:
            raise ValueError("a load makes a value")
        weight = AluSrc(tess.tess_coord, (tess.weights[vertex],))
        factors: list[Def | AluSrc] = [load.def_, weight]
        if total is None:
            total = builder.alu("fmul", factors, 1, bit_size)
        else:
            total = builder.alu("ffma", [*factors, total], 1, bit_size)
    if total is None:
        raise ValueError("there are three vertices")
    if index is not None:
        total.index = index
    slot.input_loads = loads
    return total


def vertex_index(load: IntrinsicInstr) -> int:
    """The constant vertex index of a per-vertex load. Raises ValueError where it is not constant."""
    maker = load.sources[0].ssa.instr
    if not isinstance(maker, LoadConstInstr):
        raise ValueError("the vertex index is not constant")
    return maker.values[0]


def like(name: str, model: IntrinsicInstr, bit_size: int) -> dict[str, IndexValue]:
    """The indices of a load `name` of the same varying as `model`, in printed order."""
    entry = intrinsic(name)
    names = list(model.indices) if entry is None else entry.indices
    indices = {
        index: model.indices.get(index, 0) for index in names if index in model.indices or index == "range"
    }
    indices["dest_type"] = _sized(model.indices.get("dest_type"), bit_size)
    return indices


def _sized(alu_type: object, bit_size: int) -> str:
    return f"{str(alu_type or 'float').rstrip('0123456789')}{bit_size}"
