"""Step 3: compute constants, uniforms, UBO loads and expressions of these where they are read.

Input loads of the consumer and output loads of the producer are replaced by a computation of the value, and
the stores are removed.
"""

from __future__ import annotations

from collections.abc import Iterator

from nirls.ir.effects import effects_of
from nirls.ir.model.instructions import (
    AluInstr,
    DerefInstr,
    Instr,
    IntrinsicInstr,
    LoadConstInstr,
    UndefInstr,
)
from nirls.ir.model.shader import Shader
from nirls.ir.model.values import Def
from nirls.passes.cleanup.constants import float_of
from nirls.passes.dead_code import remove_unread
from nirls.passes.varyings.expression_cost import instruction_cost
from nirls.passes.varyings.scalar_slots import Interface, ScalarSlot
from nirls.passes.varyings.stores import retire_stores
from nirls.passes.varyings.transfer import copy_value, flush_infinities
from nirls.passes.varyings.uniform_variables import UniformVariables


def propagatable(interface: Interface, variables: UniformVariables) -> Iterator[tuple[ScalarSlot, Def]]:
    """Yield the slots that always hold the same uniform expression, with that value."""
    for slot in interface.in_order():
        if slot.blocked or not slot.allowed.propagate or slot.value is None:
            continue
        if not slot.input_loads and not slot.output_loads:
            continue
        cost = uniform_expression_cost(slot.value, variables)
        if cost is None or _is_over_limit(interface, cost):
            continue
        if _state_lets_through(interface, slot, slot.value):
            yield slot, slot.value


def too_costly(interface: Interface, variables: UniformVariables) -> Iterator[tuple[ScalarSlot, Def, int]]:
    """Yield the slots that always hold a uniform expression over the cost limit, with value and cost."""
    for slot in interface.in_order():
        if slot.blocked or not slot.allowed.propagate or slot.value is None or not slot.input_loads:
            continue
        cost = uniform_expression_cost(slot.value, variables)
        if cost is None or not _is_over_limit(interface, cost):
            continue
        if _state_lets_through(interface, slot, slot.value):
            yield slot, slot.value, cost


def _is_over_limit(interface: Interface, cost: int) -> bool:
    limit = interface.options.cost_limit
    return limit is not None and cost > limit


def propagate(interface: Interface, variables: UniformVariables) -> None:
    """Propagate all propagatable slots, and remove their stores."""
    for slot, value in list(propagatable(interface, variables)):
        propagate_slot(interface, variables, slot, value)


def propagate_slot(interface: Interface, variables: UniformVariables, slot: ScalarSlot, value: Def) -> None:
    """Compute the value of one slot at each of its loads."""
    slot.forget_removed()
    for load in slot.input_loads:
        interface.consumer_builder.before_instr(load)
        _replace(interface, variables, load, value, interface.consumer)
        interface.progress.on_consumer(interface)
    for load in slot.output_loads:
        interface.producer_builder.before_instr(load)
        _replace(interface, variables, load, value, interface.producer)
        interface.progress.on_producer(interface)
    slot.input_loads, slot.output_loads = [], []
    retire_stores(interface, slot)


def uniform_expression_cost(value: Def, variables: UniformVariables) -> int | None:
    """Return the cost of an expression of constants, uniforms and UBO loads; None for any other value.

    An instruction that is used twice counts once.
    """
    cost = 0
    seen: set[Instr] = set()
    work = [value]
    while work:
        maker = work.pop().instr
        if maker is None:
            return None
        if maker in seen or isinstance(maker, LoadConstInstr | UndefInstr):
            continue
        seen.add(maker)
        if not _is_movable(maker, variables):
            return None
        cost += instruction_cost(maker)
        for src in maker.srcs():
            if src.def_ is None:
                return None
            work.append(src.def_)
    return cost


def _is_movable(instr: Instr, variables: UniformVariables) -> bool:
    if isinstance(instr, AluInstr):
        return instr.def_ is not None and not is_across_lanes(instr)
    if isinstance(instr, DerefInstr):
        return variables.may_move(instr)
    if not isinstance(instr, IntrinsicInstr):
        return False
    return is_uniform_load(instr) or variables.resources.may_repeat(instr)


def is_uniform_load(instr: IntrinsicInstr) -> bool:
    """Whether an intrinsic loads through a deref (whose variable is checked separately)."""
    if instr.name != "load_deref" or not instr.sources or instr.sources[0].def_ is None:
        return False
    return isinstance(instr.sources[0].def_.instr, DerefInstr)


def is_across_lanes(instr: AluInstr) -> bool:
    """Whether an ALU operation reads other lanes, as the derivatives of older dialects do."""
    return effects_of(instr).crosses_lanes


def _state_lets_through(interface: Interface, slot: ScalarSlot, value: Def) -> bool:
    """Whether fixed-function state keeps a value: colors are clamped, texture coordinates replaced."""
    is_color, is_texcoord = interface.is_color(slot), interface.is_texcoord(slot)
    if not is_color and not is_texcoord:
        return True
    maker = value.instr
    if not isinstance(maker, LoadConstInstr):
        return False
    number = float_of(maker.values[0], value.bit_size)
    if is_color:
        return 0.0 <= number <= 1.0
    # Coordinate replacement never gives a negative zero.
    return {2: "0.0", 3: "1.0"}.get(slot.component) == str(number)


def _replace(
    interface: Interface, variables: UniformVariables, load: IntrinsicInstr, value: Def, shader: Shader
) -> None:
    old = load.def_
    if old is None:
        return
    builder = interface.consumer_builder if shader is interface.consumer else interface.producer_builder
    flush = load.name == "load_interpolated_input" and interface.options.preserves_nans(old.bit_size)
    if flush:
        copy = flush_infinities(copy_value(value, builder, shader, variables, {}), builder, old.index)
    else:
        copy = copy_value(value, builder, shader, variables, {}, old.index)
    old.replace_all_uses_with(copy)
    freed = [src.def_ for src in load.all_srcs() if src.def_ is not None]
    load.remove()
    remove_unread(freed)
