"""Step 3: compute constants, uniforms, UBO loads and expressions of these where they are read.

Input loads of the consumer and output loads of the producer are replaced by a computation of the value, and
the stores are removed.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass

from nirls.ir.effects import effects_of
from nirls.ir.io.access import kind_of_slot_access
from nirls.ir.model.float_bits import float_of
from nirls.ir.model.instructions import (
    AluInstr,
    DerefInstr,
    Instr,
    IntrinsicInstr,
    LoadConstInstr,
    UndefInstr,
    scalar_constant,
)
from nirls.ir.model.shader import Shader
from nirls.ir.model.values import Def
from nirls.ir.model.walks import closure, makers
from nirls.passes.dead_code import remove_with_its_sources
from nirls.passes.varyings.interface.costs import instruction_cost
from nirls.passes.varyings.interface.decisions import Fate, Step, StepObstacle
from nirls.passes.varyings.interface.scalar_slots import Interface, ScalarSlot
from nirls.passes.varyings.interface.uniform_variables import UniformVariables
from nirls.passes.varyings.motion.slot_accesses import retire_stores
from nirls.passes.varyings.values.expression_text import expression_text
from nirls.passes.varyings.values.transfer import copy_value, flush_infinities


def propagatable(interface: Interface) -> Iterator[tuple[ScalarSlot, Def]]:
    """Yield the slots that always hold the same uniform expression, with that value."""
    for slot, value in _read_slots(interface):
        obstacle = _obstacle(interface, slot, value)
        if obstacle is None and value is not None:
            yield slot, value
        elif obstacle is not None:
            interface.obstruct(slot, obstacle)


def too_costly(interface: Interface) -> Iterator[tuple[ScalarSlot, Def, StepObstacle]]:
    """Yield the inputs that always hold a uniform expression over the cost limit, with value and cost."""
    for slot, value in _read_slots(interface):
        obstacle = _obstacle(interface, slot, value)
        if obstacle is not None and obstacle.limit is not None and value is not None and slot.input_loads:
            yield slot, value, obstacle


def _read_slots(interface: Interface) -> Iterator[tuple[ScalarSlot, Def | None]]:
    for slot in interface.in_order():
        if not slot.blocked and slot.stores and (slot.input_loads or slot.output_loads):
            yield slot, slot.value


def _obstacle(interface: Interface, slot: ScalarSlot, value: Def | None) -> StepObstacle | None:
    """Return why a slot is not propagated; None if it is. The cost limit is tested last."""
    if not slot.allowed.propagate:
        return StepObstacle(Step.PROPAGATION, "state", slot.allowed.reason)
    if value is None:
        stores = f"its {len(slot.stores)} stores write different values"
        return StepObstacle(Step.PROPAGATION, "several-values", stores)
    expression = uniform_expression(value, interface.variables)
    if isinstance(expression, NotUniform):
        return StepObstacle(Step.PROPAGATION, "not-uniform", expression.message)
    state = _state_obstacle(interface, slot, value)
    if state:
        return StepObstacle(Step.PROPAGATION, "state", state)
    return over_limit(expression, interface.options.cost_limit)


def over_limit(cost: int, limit: int | None) -> StepObstacle | None:
    """Return the obstacle of an expression of uniforms that costs more than the limit, if any."""
    if limit is None or cost <= limit:
        return None
    message = f"its expression of uniforms costs {cost}, over the limit {limit}"
    return StepObstacle(Step.PROPAGATION, "cost-limit", message, "the cost limit was higher", cost, limit)


def propagate(interface: Interface, numbers: Collection[int] | None = None) -> None:
    """Propagate the propagatable slots of these numbers, or all, and remove their stores."""
    for slot, value in list(propagatable(interface)):
        if numbers is None or slot.number in numbers:
            _propagate_slot(interface, slot, value)


def _propagate_slot(interface: Interface, slot: ScalarSlot, value: Def) -> None:
    """Compute the value of one slot at each of its loads."""
    effect = _what_propagates(interface, value)
    slot.forget_removed()
    for load in slot.input_loads:
        interface.consumer_builder.before_instr(load)
        _replace(interface, load, value, interface.consumer)
        interface.progress.on_consumer(interface)
    for load in slot.output_loads:
        interface.producer_builder.before_instr(load)
        _replace(interface, load, value, interface.producer)
        interface.progress.on_producer(interface)
    slot.input_loads, slot.output_loads = [], []
    retire_stores(interface, slot, Step.PROPAGATION, Fate.PROPAGATED, effect)


def _what_propagates(interface: Interface, value: Def) -> str:
    if interface.progress.journal is None:
        return ""
    consumer = interface.consumer_stage.abbreviation
    text = expression_text(value, interface.producer_stage)
    if isinstance(value.instr, LoadConstInstr):
        return f"the constant {text} is used in the {consumer}"
    cost = uniform_expression(value, interface.variables)
    return f"the {consumer} computes {text} (cost {cost})"


@dataclass(frozen=True, slots=True)
class NotUniform:
    """The reason why a value is no expression of constants, uniforms and UBO loads."""

    message: str


def uniform_expression(value: Def, variables: UniformVariables) -> int | NotUniform:
    """Return the cost of an expression of constants, uniforms and UBO loads, or why a value is none.

    An instruction that is used twice counts once.
    """
    cost = 0
    seen: set[Instr] = set()
    work = [value]
    while work:
        maker = work.pop().instr
        if maker is None:
            return NotUniform(f"%{value.index} depends on a value that is not defined")
        if maker in seen:
            continue
        seen.add(maker)
        obstacle = move_obstacle(maker, variables)
        if obstacle:
            is_itself = maker is value.instr
            return NotUniform(obstacle if is_itself else f"its value is not uniform ({obstacle})")
        cost += instruction_cost(maker)
        for src in maker.srcs():
            if src.def_ is None:
                return NotUniform(f"%{value.index} depends on a register")
            work.append(src.def_)
    return cost


def uniform_cost(values: Iterable[Def]) -> int:
    """Return the cost of computing uniform expressions together; an instruction of several counts once."""
    starts = [value.instr for value in values if value.instr is not None]
    return sum(map(instruction_cost, closure(starts, lambda instr: makers(instr.srcs()))))


def move_obstacle(instr: Instr, variables: UniformVariables) -> str:
    """Return why the other stage cannot run an instruction; "" if it can. Its sources are not tested."""
    if isinstance(instr, LoadConstInstr | UndefInstr):
        return ""
    if isinstance(instr, AluInstr):
        if instr.def_ is None or instr.reg_dest is not None:
            return f"{instr.op} writes a register"
        return f"{instr.op} reads other invocations" if is_across_lanes(instr) else ""
    if isinstance(instr, IntrinsicInstr) and instr.def_ is None:
        return f"@{instr.name} cannot move"
    what = _named(instr)
    if isinstance(instr, DerefInstr):
        obstacle = variables.obstacle(instr)
    elif isinstance(instr, IntrinsicInstr):
        if is_uniform_load(instr):
            return ""
        if kind_of_slot_access(instr) is not None:
            return f"{what} differs between invocations"
        obstacle = variables.resources.obstacle(instr)
    else:
        return f"{what} cannot move"
    return f"{what}: {obstacle}" if obstacle else ""


def _named(instr: Instr) -> str:
    """Return an instruction as messages name it: `%5 = @load_input (VAR0.x)`, `%7 = phi`."""
    value = getattr(instr, "def_", None)
    if isinstance(value, Def) and isinstance(instr, IntrinsicInstr) and kind_of_slot_access(instr):
        return f"the input %{value.index}" if "input" in instr.name else f"the output %{value.index}"
    name = f"@{instr.name}" if isinstance(instr, IntrinsicInstr) else instr.kind
    return f"%{value.index} = {name}" if isinstance(value, Def) else name


def is_uniform_load(instr: IntrinsicInstr) -> bool:
    """Whether an intrinsic loads through a deref (whose variable is checked separately)."""
    return (
        instr.name == "load_deref"
        and bool(instr.sources)
        and isinstance(instr.sources[0].def_instr, DerefInstr)
    )


def is_across_lanes(instr: AluInstr) -> bool:
    """Whether an ALU operation reads other lanes, as the derivatives of older dialects do."""
    return effects_of(instr).crosses_lanes


def _state_obstacle(interface: Interface, slot: ScalarSlot, value: Def) -> str:
    """Return which fixed-function state may change a value; "" if none does."""
    is_color, is_texcoord = interface.is_color(slot), interface.is_texcoord(slot)
    if not is_color and not is_texcoord:
        return ""
    bits = scalar_constant(value)
    number = None if bits is None else float_of(bits, value.bit_size)
    if is_color:
        is_kept = number is not None and 0.0 <= number <= 1.0
        return "" if is_kept else "colors may be clamped, and it is no constant from 0 to 1"
    # Coordinate replacement never gives a negative zero.
    is_kept = {2: "0.0", 3: "1.0"}.get(slot.component) == str(number)
    return "" if is_kept else "point sprites may replace TEXn, and it is not their constant"


def _replace(interface: Interface, load: IntrinsicInstr, value: Def, shader: Shader) -> None:
    old = load.def_
    if old is None:
        return
    builder = interface.consumer_builder if shader is interface.consumer else interface.producer_builder
    flush = load.name == "load_interpolated_input" and interface.options.preserves_nans(old.bit_size)
    if flush:
        copy = flush_infinities(
            copy_value(value, builder, shader, interface.variables, {}), builder, old.index
        )
    else:
        copy = copy_value(value, builder, shader, interface.variables, {}, old.index)
    old.replace_all_uses_with(copy)
    remove_with_its_sources(load)
