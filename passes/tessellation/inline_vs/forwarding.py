"""Forwarding of vertex shader outputs to control shader inputs after inlining the vertex shader.

Output stores become SSA values. An input of the invocation's own vertex is replaced by the SSA value. An
input of another vertex is loaded from a per-vertex output, which the other invocation stores before a
barrier.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from nirls.ir.model.builder import Builder
from nirls.ir.model.control_flow import Block, FunctionImpl
from nirls.ir.model.instructions import IndexValue, IntrinsicInstr, is_undef
from nirls.ir.model.io_semantics import IoSemantics
from nirls.ir.model.phi_builder import PhiBuilder, PhiValue
from nirls.ir.model.shader import Shader
from nirls.ir.model.slots import varying_slot
from nirls.ir.model.values import Def, Src
from nirls.ir.tables import intrinsic
from nirls.ir.tables.entries import base_type
from nirls.passes.booleans import Booleans
from nirls.passes.dead_code import remove_with_its_sources
from nirls.passes.tessellation.inline_vs.interface import InterfaceAccess, IoPart, VsTcsInterface
from nirls.passes.varyings.interface.accesses import intrinsics


def outputs_at_end(impl: FunctionImpl, interface: VsTcsInterface, booleans: Booleans) -> dict[IoPart, Src]:
    """Remove the output stores of a vertex shader and return the final value of each scalar.

    The last block of the body must always be reached, so there must be no early return. A store at a
    variable offset becomes a selection for each possible element. The returned sources belong to no
    instruction and only keep the values in use; the caller clears them.
    """
    return _OutputsToSsa(impl, interface, booleans).run()


class _OutputsToSsa:
    def __init__(self, impl: FunctionImpl, interface: VsTcsInterface, booleans: Booleans) -> None:
        self.impl = impl
        self.booleans = booleans
        self.phis = PhiBuilder(impl)
        self.builder: Builder = self.phis.builder
        self.stores = {store.instr: store for store in interface.stores}
        self.current: dict[IoPart, Def] = {}
        blocks: dict[IoPart, list[Block]] = {part: [] for part in interface.written()}
        for store in interface.stores:
            for part in store.all_parts():
                assert store.instr.block is not None
                blocks[part].append(store.instr.block)
        self.values: dict[IoPart, PhiValue] = {
            part: self.phis.add_value(1, interface.sizes[part], stored) for part, stored in blocks.items()
        }

    def run(self) -> dict[IoPart, Src]:
        for block in self.phis.blocks_in_order():
            self.current = {}
            for instr in block:
                store = self.stores.get(instr)  # type: ignore[call-overload]
                if store is not None:
                    self._assign(store, block)
                    instr.remove()
            for part, value in self.current.items():
                self.values[part].assign(block, value)
        end = self.impl.blocks()[-1]
        held = {part: Src(value.at_end_of(end)) for part, value in self.values.items()}
        self.phis.finish()
        return held

    def _assign(self, store: InterfaceAccess, block: Block) -> None:
        self.builder.before_instr(store.instr)
        stored = store.instr.sources[0].ssa
        for lane, part in store.parts.items():
            scalar = self.builder.mov(stored, lane)
            if store.offset is not None:
                self.current[part.further(store.offset)] = scalar
                continue
            for element in store.elements():
                at = part.further(element)
                now = self.current.get(at) or self.values[at].at_start_of(block)
                self.current[at] = choose(
                    self.builder, self.booleans, store.offset_value, [(element, scalar)], now
                )


def choose(
    builder: Builder, booleans: Booleans, number: Def, by_number: Iterable[tuple[int, Def]], otherwise: Def
) -> Def:
    """Build selections of the value listed for a number, `otherwise` for numbers that are not listed."""
    chosen = otherwise
    for candidate, value in by_number:
        constant = builder.load_const([candidate], number.bit_size)
        equal = booleans.less_than.replace("ilt", "ieq")
        test = builder.alu(equal, [number, constant], 1, booleans.bit_size)
        chosen = builder.alu(booleans.select, [test, value, chosen], value.num_components, value.bit_size)
    return chosen


_FIRST, _LAST = varying_slot("VAR0"), varying_slot("VAR31")


@dataclass(slots=True)
class CrossSlots:
    """The outputs that pass inputs between invocations.

    `slot_of` and `base_of` map input slots to output slots and bases. `parts` are the passed scalars,
    identified as inputs.
    """

    slot_of: dict[int, int] = field(default_factory=dict)
    base_of: dict[int, int] = field(default_factory=dict)
    parts: list[IoPart] = field(default_factory=list)


def plan_cross_slots(interface: VsTcsInterface, tcs: Shader, tes: Shader | None) -> CrossSlots | None:
    """Assign free output slots to inputs read across invocations; None if there are not enough.

    Input slots accessed by one indirect load stay contiguous. An input keeps its slot number if possible.
    """
    cross = [load for load in interface.loads if not load.own]
    plan = CrossSlots()
    plan.parts = list(dict.fromkeys(part for load in cross for part in load.all_parts()))
    taken = _taken_slots(tcs, tes)
    base = _next_base(tcs)
    for run in _runs(cross, plan.parts):
        start = _free_run(run, taken)
        if start is None:
            return None
        for number, slot in enumerate(run):
            plan.slot_of[slot] = start + number
            plan.base_of[slot] = base
            taken.add(start + number)
            base += 1
    return plan


def store_cross_outputs(
    builder: Builder,
    plan: CrossSlots,
    interface: VsTcsInterface,
    values: Mapping[IoPart, Def],
    own: Def,
    zero: Def,
) -> int:
    """Store the values read by other invocations, except undefined ones; return the number of scalars."""
    template = interface.loads[0].instr
    stored = 0
    for part in plan.parts:
        value = values.get(part)
        if value is None or is_undef(value):
            continue
        indices = _indices("store_per_vertex_output", template, plan, part)
        indices["src_type"] = f"{_base_type(part, interface)}{value.bit_size}"
        builder.intrinsic("store_per_vertex_output", [value, own, zero], indices)
        stored += 1
    return stored


def replace_loads(
    builder: Builder,
    interface: VsTcsInterface,
    plan: CrossSlots,
    values: Mapping[IoPart, Def],
    booleans: Booleans,
) -> None:
    """Replace every input load of the control shader."""
    for load in interface.loads:
        builder.before_instr(load.instr)
        is_own = load.own
        made = _own_value(builder, load, values, booleans) if is_own else _load_output(builder, load, plan)
        assert load.instr.def_ is not None
        load.instr.def_.replace_all_uses_with(made)
        remove_with_its_sources(load.instr)


def _own_value(
    builder: Builder, load: InterfaceAccess, values: Mapping[IoPart, Def], booleans: Booleans
) -> Def:
    scalars = [_own_scalar(builder, load, part, values, booleans) for part in load.parts.values()]
    if len(scalars) == 1:
        return scalars[0]
    return builder.alu(f"vec{len(scalars)}", scalars, len(scalars), load.bit_size)


def _own_scalar(
    builder: Builder, load: InterfaceAccess, part: IoPart, values: Mapping[IoPart, Def], booleans: Booleans
) -> Def:
    found = [(element, values.get(part.further(element))) for element in load.elements()]
    known = [(element, value) for element, value in found if value is not None]
    if not known:
        return builder.undef(1, load.bit_size)
    (_, otherwise), *others = known
    if not others:
        return otherwise
    return choose(builder, booleans, load.offset_value, others, otherwise)


def _load_output(builder: Builder, load: InterfaceAccess, plan: CrossSlots) -> Def:
    """Build the load of the output that passes the input."""
    first = next(iter(load.parts.values())).further(load.offset or 0)
    indices = _indices("load_per_vertex_output", load.instr, plan, first)
    assert load.instr.def_ is not None
    indices["io_semantics"] = _semantics(plan.slot_of[first.slot], load, first)
    width = load.instr.def_.num_components
    vertex, offset = (src.ssa for src in load.instr.sources)
    if load.offset:
        offset = builder.load_const([0], offset.bit_size)
    return builder.load("load_per_vertex_output", [vertex, offset], indices, width, load.bit_size)


def _semantics(slot: int, load: InterfaceAccess, part: IoPart) -> IoSemantics:
    slots = [at.slot for at in load.parts.values()]
    return IoSemantics(
        slot, load.num_slots if load.offset is None else max(slots) - min(slots) + 1, _flags(part)
    )


def _flags(part: IoPart) -> tuple[str, ...]:
    """Return the io_semantics flags: `no_varying`, because the evaluation shader does not read the output."""
    return ("high_16bits", "no_varying") if part.high else ("no_varying",)


def _indices(name: str, template: IntrinsicInstr, plan: CrossSlots, part: IoPart) -> dict[str, IndexValue]:
    """Return the intrinsic indices of an output access, in the form of the dump's Mesa release."""
    entry = intrinsic(name)
    assert entry is not None
    changed: dict[str, IndexValue] = {
        "base": plan.base_of[part.slot],
        "component": part.component,
        "write_mask": 1,
        "src_type": "float32",
        "io_semantics": IoSemantics(plan.slot_of[part.slot], 1, _flags(part)),
    }
    given = template.indices
    # Not all releases have a range index.
    return {
        index: changed[index] if index in changed else given.get(index, 1)
        for index in entry.indices
        if index != "range" or "range" in given
    }


def _base_type(part: IoPart, interface: VsTcsInterface) -> str:
    """Return the base type of the first vertex shader store of a scalar, `float` if unknown."""
    for store in interface.stores:
        if part in store.all_parts():
            return base_type(store.instr.indices.get("src_type")) or "float"
    return "float"


def _runs(loads: Iterable[InterfaceAccess], parts: Iterable[IoPart]) -> list[list[int]]:
    """Group the input slots into contiguous runs; the slots of one indirect load are in the same run."""
    runs: list[set[int]] = [{part.slot} for part in parts]
    runs += [{part.slot for part in load.all_parts()} for load in loads]
    joined: list[set[int]] = []
    for run in sorted(runs, key=min):
        # Runs are contiguous and sorted, so only the last one can overlap with the next.
        if joined and max(joined[-1]) >= min(run):
            joined[-1] |= run
        else:
            joined.append(set(run))
    return [list(range(min(run), max(run) + 1)) for run in joined]


def _free_run(run: list[int], taken: set[int]) -> int | None:
    """Return the first slot of a free contiguous range, preferably the same slots."""
    starts: list[int] = [run[0], *range(_FIRST, _LAST + 1)]
    for start in starts:
        wanted = range(start, start + len(run))
        if start >= _FIRST and wanted[-1] <= _LAST and taken.isdisjoint(wanted):
            return start
    return None


def _taken_slots(tcs: Shader, tes: Shader | None) -> set[int]:
    """Return the slots of outputs of the control shader and of inputs of the evaluation shader."""
    taken: set[int] = set()
    for shader, word in ((tcs, "output"), (tes, "input")):
        for instr in () if shader is None else intrinsics(shader):
            semantics = instr.io_semantics
            if semantics is not None and word in instr.name:
                taken.update(semantics.slots)
    return taken


def _next_base(tcs: Shader) -> int:
    """Return the first unused base (driver location) of the outputs."""
    ends = [
        instr.int_index("base") + len(instr.io_semantics.slots)
        for instr in intrinsics(tcs)
        if instr.io_semantics is not None and "output" in instr.name
    ]
    return max(ends, default=0)
