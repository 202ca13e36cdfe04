"""Execution of a motion of step 5 or 8: compute consumer values in the producer and send them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from nirls.ir.io.interpolation import Interpolation
from nirls.ir.model.builder import Builder
from nirls.ir.model.control_flow import Block
from nirls.ir.model.instructions import IndexValue, Instr, IntrinsicInstr
from nirls.ir.model.values import AluSrc, Def
from nirls.passes.dead_code import remove_with_its_sources
from nirls.passes.varyings.interface.decisions import Fate, Step
from nirls.passes.varyings.interface.scalar_slots import Category, Interface, PackingGroup, ScalarSlot
from nirls.passes.varyings.motion.movability import ReadAs, ReadMode, parts_of
from nirls.passes.varyings.motion.movable_inputs import MovableInput
from nirls.passes.varyings.motion.slot_accesses import forbid_mediump, indices_of, retire_stores
from nirls.passes.varyings.values.expression_text import expression_text
from nirls.passes.varyings.values.tess_interpolation import TessEquation, vertex_number
from nirls.passes.varyings.values.transfer import copy_value

_EXPORT = "export_vertex_amd"


@dataclass(frozen=True, slots=True, eq=False)
class Sent:
    """An instruction of the consumer that becomes an input, in the slot of `target`.

    `block` is the producer block that stores all inputs it is computed from.
    """

    instr: Instr
    read_as: ReadAs
    target: MovableInput
    block: Block


@dataclass(frozen=True, slots=True, eq=False)
class Move:
    """Values that are sent together instead of `inputs`, which are all inputs they are computed from."""

    sent: tuple[Sent, ...]
    inputs: tuple[MovableInput, ...]

    @property
    def instrs(self) -> tuple[Instr, ...]:
        """The expression that the producer will compute."""
        return tuple(sent.instr for sent in self.sent)

    @property
    def loads(self) -> tuple[Instr, ...]:
        """The instructions that produce the values of the inputs."""
        return tuple(item.load for item in self.inputs)

    @property
    def slots(self) -> tuple[ScalarSlot, ...]:
        """The slots of all inputs."""
        return tuple(item.slot for item in self.inputs)

    @property
    def targets(self) -> tuple[ScalarSlot, ...]:
        """The slots that hold the values afterwards."""
        return tuple(sent.target.slot for sent in self.sent)


def carry_out(interface: Interface, move: Move) -> list[MovableInput]:
    """Compute the values in the producer, and load them in the consumer; return the new inputs."""
    stored = {
        item.load.def_: item.slot.stores[0].sources[0].ssa
        for item in move.inputs
        if item.load.def_ is not None
    }
    record(interface, [(sent.instr, sent.target.slot) for sent in move.sent])
    # All copies are made before any store changes, because each may read the present value of another slot.
    results = [compute_in_producer(interface, sent.instr, sent.block, stored) for sent in move.sent]
    is_mediump = all(item.slot.is_mediump for item in move.inputs)
    made = []
    for sent, result in zip(move.sent, results, strict=True):
        store_instead(interface, sent.target.slot, sent.block, result)
        made.append(_load(interface, sent, result.bit_size))
        if not is_mediump:
            forbid_mediump(sent.target.slot.accesses)
    for sent in move.sent:
        remove_with_its_sources(sent.instr)
    retire_unread(interface, move.targets)
    return made


def _where_outputs_go(interface: Interface, block: Block) -> Builder:
    """Return a builder at the end of a producer block, or before the exports of AMD's lowered stages."""
    builder = interface.producer_builder.at_end_of(block)
    for instr in block:
        if isinstance(instr, IntrinsicInstr) and instr.name == _EXPORT:
            builder.before = instr
            break
    return builder


def compute_in_producer(
    interface: Interface,
    instr: Instr,
    block: Block,
    stored: dict[Def, Def],
) -> Def:
    """Copy a value to the end of a producer block, in the form to be sent: booleans as 32-bit numbers."""
    if instr.def_ is None:
        raise ValueError("only an instruction with a value can become an input")
    builder = _where_outputs_go(interface, block)
    result = copy_value(instr.def_, builder, interface.producer, interface.variables, stored)
    return builder.alu("b2b32", [result], 1, 32) if result.bit_size == 1 else result


def store_instead(interface: Interface, slot: ScalarSlot, block: Block, result: Def) -> None:
    """Move the only store of a slot to the end of a block and make it store another value."""
    store = slot.stores[0]
    old = store.sources[0].ssa
    store.unlink()
    _where_outputs_go(interface, block).insert(store)
    if old.bit_size != result.bit_size:
        store.indices["src_type"] = _sized(store.indices.get("src_type"), result.bit_size)
    store.sources[0].set_def(result)
    slot.value = result
    slot.bit_size = result.bit_size


def replace_value(interface: Interface, old: Def, new: Def) -> None:
    """Replace the uses of a value by a new load at the builder's cursor."""
    if old.bit_size == 1:
        builder = interface.consumer_builder
        new = builder.alu("ine", [new, builder.load_const([0], new.bit_size)], 1, 1)
    new.index = old.index
    old.replace_all_uses_with(new)


def record(interface: Interface, results: Iterable[tuple[Instr, ScalarSlot]]) -> None:
    """Record in the journal the results that are sent, each in the slot of an input."""
    if interface.progress.journal is None:
        return
    producer = interface.producer_stage.abbreviation
    for instr, slot in results:
        if instr.def_ is None:
            continue
        text = expression_text(instr.def_, interface.consumer_stage)
        message = f"the {producer} sends {text} in its place"
        interface.affect(slot, Step.BACKWARD, Fate.RESULT, message, gone=False)


def retire_unread(interface: Interface, targets: tuple[ScalarSlot, ...]) -> None:
    """Drop removed loads, and remove the stores of slots that have no loads left.

    All slots are checked: the only use of an input may have been to define how another one is interpolated.
    """
    slots = interface.in_order()
    for slot in slots:
        had_loads = bool(slot.input_loads)
        slot.forget_removed()
        unread = had_loads and not slot.input_loads and not slot.output_loads
        if unread and not slot.blocked and slot not in targets:
            names = " and ".join(map(interface.origin, targets))
            message = f"the {interface.producer_stage.abbreviation} computes its expression (see {names})"
            retire_stores(interface, slot, Step.BACKWARD, Fate.MOVED_TO_PRODUCER, message)
    for slot in slots:
        slot.forget_removed()
    interface.progress.on_producer(interface)
    interface.progress.on_consumer(interface)


def like(name: str, model: IntrinsicInstr, bit_size: int) -> dict[str, IndexValue]:
    """Return the indices of a load `name` of the same varying as `model`, in printed order."""
    indices = indices_of(name, model)
    indices["dest_type"] = _sized(model.indices.get("dest_type"), bit_size)
    return indices


def _load(interface: Interface, sent: Sent, bit_size: int) -> MovableInput:
    slot, value = sent.target.slot, sent.instr.def_
    after = sent.target.load
    if value is None or after.def_ is None:
        raise ValueError("an input has a value, and so has what is sent in its place")
    interface.consumer_builder.after_instr(after)
    if isinstance(sent.read_as, TessEquation):
        # The vertices now hold another value; they are loaded and interpolated as before.
        slot.category = Category(PackingGroup.FLAT, None, bit_size)
        total = _interpolate(interface, slot, sent.read_as, after.def_)
        if total.instr is None:
            raise ValueError("a sum is an instruction")
        replace_value(interface, value, total)
        return MovableInput(slot, total.instr, sent.read_as)
    new = _load_once(interface, sent, slot.input_loads[0], bit_size)
    if new.def_ is None:
        raise ValueError("a load makes a value")
    replace_value(interface, value, new.def_)
    return MovableInput(slot, new, sent.read_as)


def _load_once(interface: Interface, sent: Sent, model: IntrinsicInstr, bit_size: int) -> IntrinsicInstr:
    slot = sent.target.slot
    builder = interface.consumer_builder
    sources = [model.sources[-1].ssa]
    name, group = "load_input", PackingGroup.FLAT
    interpolation = None
    if interface.feeds_fragments and sent.read_as is not ReadMode.FLAT:
        name, group = "load_interpolated_input", PackingGroup.CONVERGENT
        sources.insert(0, _barycentric(interface, sent, model))
        if isinstance(sent.read_as, Interpolation):
            group, interpolation = PackingGroup.INTERPOLATED, sent.read_as
    slot.convergent = group is PackingGroup.CONVERGENT
    slot.category = Category(group, interpolation, bit_size)
    load = builder.intrinsic(name, sources, like(name, model, bit_size), 1, bit_size)
    slot.input_loads = [load]
    return load


def _barycentric(interface: Interface, sent: Sent, model: IntrinsicInstr) -> Def:
    """Return the coordinates for the new load: those of the target's load if they are right."""
    if model.name == "load_interpolated_input" and sent.read_as in (sent.target.read_as, ReadMode.CONVERGENT):
        return model.sources[0].ssa
    if not isinstance(sent.read_as, Interpolation):
        raise ValueError("only an interpolated input has coordinates")
    indices = {"interp_mode": sent.read_as.mode}
    return interface.consumer_builder.load(sent.read_as.barycentric, [], indices, 2, 32)


def _interpolate(interface: Interface, slot: ScalarSlot, equation: TessEquation, old: Def) -> Def:
    """Return the sum that interpolates a slot.

    It is the shortest one if the weights are coordinates, else the old sum.
    """
    coordinates, old_sum = equation.coordinates(), old.instr
    if coordinates is None or old_sum is None:
        return old
    maker = next(
        (
            part.def_
            for part in parts_of(old_sum, slot.input_loads)
            if isinstance(part, IntrinsicInstr) and part.name == "load_tess_coord"
        ),
        None,
    )
    by_vertex = {vertex_number(load): load.def_ for load in slot.input_loads}
    if maker is None or len(by_vertex) != len(slot.input_loads):
        return old
    builder = interface.consumer_builder
    total: Def | None = None
    for vertex, coordinate in zip((vertex for vertex, _ in equation.weights), coordinates, strict=True):
        value = by_vertex[vertex]
        if value is None:
            raise ValueError("a load makes a value")
        factors: list[Def | AluSrc] = [value, AluSrc(maker, (coordinate,))]
        if total is None:
            total = builder.alu("fmul", factors, 1, value.bit_size)
        else:
            total = builder.alu("ffma", [*factors, total], 1, value.bit_size)
    if total is None:
        raise ValueError("there are vertices")
    return total


def _sized(alu_type: object, bit_size: int) -> str:
    return f"{str(alu_type or 'float').rstrip('0123456789')}{bit_size}"
