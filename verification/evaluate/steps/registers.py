"""Registers of modern register-form NIR: `decl_reg`, `load_reg`, `store_reg`."""

from __future__ import annotations

from collections.abc import Callable

from nirls.ir.model.instructions import IntrinsicInstr
from nirls.ir.model.values import Src
from nirls.verification.evaluate.alu.run import plan_of
from nirls.verification.evaluate.state.compiler import Compiler, no_step
from nirls.verification.evaluate.state.state import State, Step
from nirls.verification.evaluate.storage.cells import Cells
from nirls.verification.evaluate.values.arrays import Array
from nirls.verification.evaluate.values.errors import Unsupported
from nirls.verification.evaluate.values.value import Value, lane_index


def _cells_of(src: Src) -> Callable[[State], Cells]:
    origin = src.def_instr
    if not isinstance(origin, IntrinsicInstr) or origin.name != "decl_reg":
        raise Unsupported("a register that is not declared")
    elements, width = origin.int_index("num_array_elems"), origin.int_index("num_components", 1)
    bit_size = origin.int_index("bit_size", 32)

    def cells(state: State) -> Cells:
        found = state.frame.locals.get(origin)
        if not isinstance(found, Cells):
            found = Cells(elements, width, bit_size, state.lanes)
            state.frame.locals[origin] = found
        return found

    return cells


def _index(compiler: Compiler, instr: IntrinsicInstr, indirect: Src | None) -> Callable[[State], Array | int]:
    base = instr.int_index("base")
    if indirect is None:
        return lambda state: base
    read = compiler.read(indirect)
    return lambda state: base + lane_index(read(state))


def _load(compiler: Compiler, instr: IntrinsicInstr) -> Step:
    cells = _cells_of(instr.sources[0])
    index = _index(compiler, instr, instr.sources[1] if len(instr.sources) > 1 else None)
    write = compiler.write(instr)
    dest = instr.def_
    modifiers = []
    if dest is not None:
        for flag, opcode in (("legacy_fabs", "fabs"), ("legacy_fneg", "fneg")):
            if instr.indices.get(flag) not in (None, 0, "0", "false"):
                modifiers.append(plan_of(opcode, dest.num_components, dest.bit_size, (dest.bit_size,)))

    def step(state: State) -> None:
        value = cells(state).load(index(state), state.lane_numbers)
        for plan in modifiers:
            value.bits = plan.compute(plan.decoded([value.bits]))
        write(state, value)

    return step


def _store(compiler: Compiler, instr: IntrinsicInstr) -> Step:
    read, cells = compiler.read(instr.sources[0]), _cells_of(instr.sources[1])
    index = _index(compiler, instr, instr.sources[2] if len(instr.sources) > 2 else None)
    mask = instr.write_mask
    width, bit_size = instr.sources[0].num_components, instr.sources[0].bit_size
    saturate = instr.indices.get("legacy_fsat") not in (None, 0, "0", "false")
    clamp = plan_of("fsat", width, bit_size, (bit_size,)) if saturate else None

    def step(state: State) -> None:
        value = read(state)
        if clamp is not None:
            bits = clamp.compute(clamp.decoded([value.bits]))
            value = Value(bits, bit_size, value.poison, value.error, value.fragile)
        cells(state).store(
            index(state), state.masks.stored(value), mask, state.masks.active, state.lane_numbers
        )

    return step


STEPS = {
    # The storage is created at its first use: a declaration in a loop does not clear it.
    "decl_reg": no_step,
    "load_reg": _load,
    "load_reg_indirect": _load,
    "store_reg": _store,
    "store_reg_indirect": _store,
}
