"""Loads of a control shader's inputs, once the vertex shader runs in front of it.

An input of the invocation's own vertex is a value that is there already. One of another vertex is passed
through an output of the patch, which its invocation stores before all wait at a barrier.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from nirls.ir.model.builder import Builder
from nirls.ir.model.instructions import IndexValue, IntrinsicInstr, UndefInstr
from nirls.ir.model.io_semantics import IoSemantics
from nirls.ir.model.shader import Shader
from nirls.ir.model.slots import varying_slot
from nirls.ir.model.values import Def
from nirls.ir.tables import intrinsic
from nirls.passes.buffers.booleans import Booleans
from nirls.passes.dead_code import remove_unread
from nirls.passes.tessellation.inline_vs_interface import IoAccess, IoPart, VsTcsInterface
from nirls.passes.tessellation.inline_vs_outputs import choose
from nirls.passes.varyings.accesses import intrinsics

_FIRST, _LAST = varying_slot("VAR0"), varying_slot("VAR31")


@dataclass(slots=True)
class CrossSlots:
    """The outputs that carry inputs from one invocation to others: which slot stands for which input slot.

    `parts` are the scalars that are carried, by their places as inputs.
    """

    slot_of: dict[int, int] = field(default_factory=dict)
    base_of: dict[int, int] = field(default_factory=dict)
    parts: list[IoPart] = field(default_factory=list)


def plan_cross_slots(interface: VsTcsInterface, tcs: Shader, tes: Shader | None) -> CrossSlots | None:
    """Free output slots for what is read across invocations; None if there are not enough.

    Input slots that one load chooses between stay next to each other. An input keeps its slot number where
    that is free.
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
    """Store what other invocations read; returns how many scalars. What was never written stays unwritten."""
    template = _store_template(interface)
    stored = 0
    for part in plan.parts:
        value = values.get(part)
        if value is None or isinstance(value.instr, UndefInstr):
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
    """Replace every load of an input."""
    for load in interface.loads:
        builder.before_instr(load.instr)
        is_own = load.own
        made = _own_value(builder, load, values, booleans) if is_own else _load_output(builder, load, plan)
        freed = [src.ssa for src in load.instr.sources]
        assert load.instr.def_ is not None
        load.instr.def_.replace_all_uses_with(made)
        load.instr.remove()
        remove_unread(freed)


def _own_value(builder: Builder, load: IoAccess, values: Mapping[IoPart, Def], booleans: Booleans) -> Def:
    scalars = [_own_scalar(builder, load, part, values, booleans) for part in load.parts.values()]
    if len(scalars) == 1:
        return scalars[0]
    return builder.alu(f"vec{len(scalars)}", scalars, len(scalars), load.bit_size)


def _own_scalar(
    builder: Builder, load: IoAccess, part: IoPart, values: Mapping[IoPart, Def], booleans: Booleans
) -> Def:
    found = [(element, values.get(part.further(element))) for element in load.elements()]
    known = [(element, value) for element, value in found if value is not None]
    if not known:
        return builder.undef(1, load.bit_size)
    (_, otherwise), *others = known
    if not others:
        return otherwise
    return choose(builder, booleans, load.offset_value, others, otherwise)


def _load_output(builder: Builder, load: IoAccess, plan: CrossSlots) -> Def:
    """The same load from the output that carries the input."""
    first = next(iter(load.parts.values())).further(load.offset or 0)
    indices = _indices("load_per_vertex_output", load.instr, plan, first)
    assert load.instr.def_ is not None
    indices["io_semantics"] = _semantics(plan.slot_of[first.slot], load, first)
    width = load.instr.def_.num_components
    vertex, offset = (src.ssa for src in load.instr.sources)
    if load.offset:
        offset = builder.load_const([0], offset.bit_size)
    made = builder.intrinsic("load_per_vertex_output", [vertex, offset], indices, width, load.bit_size)
    assert made.def_ is not None
    return made.def_


def _semantics(slot: int, load: IoAccess, part: IoPart) -> IoSemantics:
    slots = [at.slot for at in load.parts.values()]
    return IoSemantics(
        slot, load.num_slots if load.offset is None else max(slots) - min(slots) + 1, _flags(part)
    )


def _flags(part: IoPart) -> tuple[str, ...]:
    """The evaluation shader does not read the output: it is no varying."""
    return ("high_16bits", "no_varying") if part.high else ("no_varying",)


def _indices(name: str, template: IntrinsicInstr, plan: CrossSlots, part: IoPart) -> dict[str, IndexValue]:
    """The indices of an access of the output, in the form that the dump's release has them."""
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
    # Releases differ in whether accesses have a range.
    return {
        index: changed[index] if index in changed else given.get(index, 1)
        for index in entry.indices
        if index != "range" or "range" in given
    }


def _store_template(interface: VsTcsInterface) -> IntrinsicInstr:
    return next(load.instr for load in interface.loads)


def _base_type(part: IoPart, interface: VsTcsInterface) -> str:
    """What kind of number is stored there: as the vertex shader said."""
    for store in interface.stores:
        if part in store.all_parts():
            kind = store.instr.indices.get("src_type")
            return kind.rstrip("0123456789") if isinstance(kind, str) else "float"
    return "float"


def _runs(loads: Iterable[IoAccess], parts: Iterable[IoPart]) -> list[list[int]]:
    """The input slots that are read, those that one load chooses between together."""
    runs: list[set[int]] = [{part.slot} for part in parts]
    runs += [{part.slot for part in load.all_parts()} for load in loads]
    joined: list[set[int]] = []
    for run in sorted(runs, key=min):
        # Slots of a range follow each other, so only the last run can overlap with the next one.
        if joined and max(joined[-1]) >= min(run):
            joined[-1] |= run
        else:
            joined.append(set(run))
    return [list(range(min(run), max(run) + 1)) for run in joined]


def _free_run(run: list[int], taken: set[int]) -> int | None:
    """The first slot of as many free ones in a row: the same slots if possible."""
    starts: list[int] = [run[0], *range(_FIRST, _LAST + 1)]
    for start in starts:
        wanted = range(start, start + len(run))
        if start >= _FIRST and wanted[-1] <= _LAST and taken.isdisjoint(wanted):
            return start
    return None


def _taken_slots(tcs: Shader, tes: Shader | None) -> set[int]:
    """Slots of the control shader's outputs, and those that the evaluation shader reads."""
    taken: set[int] = set()
    for shader, word in ((tcs, "output"), (tes, "input")):
        for instr in () if shader is None else intrinsics(shader):
            semantics = instr.io_semantics
            if semantics is not None and word in instr.name:
                taken.update(range(semantics.location, semantics.location + max(semantics.num_slots, 1)))
    return taken


def _next_base(tcs: Shader) -> int:
    """The first driver location behind those of the outputs."""
    ends = [
        instr.int_index("base") + max(instr.io_semantics.num_slots, 1)
        for instr in intrinsics(tcs)
        if instr.io_semantics is not None and "output" in instr.name
    ]
    return max(ends, default=0)
