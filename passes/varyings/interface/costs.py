"""Costs of computing expressions again in the next stage, and whether that pays."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from nirls.ir.model.instructions import AluInstr, DerefInstr, Instr, IntrinsicInstr
from nirls.ir.model.stage import Stage
from nirls.ir.tables import opcode
from nirls.passes.varyings.interface.driver_profiles import PROFILE_TABLE

LOAD_COST: int = PROFILE_TABLE["costs"]["load"]
INTERPOLATED_LOAD_COST: int = PROFILE_TABLE["costs"]["interpolated_load"]
_UNIFORM_LOAD: int = PROFILE_TABLE["costs"]["uniform_load"]
_VARIABLE_INDEX: int = PROFILE_TABLE["costs"]["variable_index"]
_DOUBLE: int = PROFILE_TABLE["costs"]["double"]
_COSTS: Mapping[str, tuple[int, int, int]] = {
    name: tuple(row["costs"]) for row in PROFILE_TABLE["costs"]["opcodes"] for name in row["names"]
}
"""Costs of opcodes for results of up to 16, 32 and 64 bits."""


def instruction_cost(instr: Instr) -> int:
    """Return the cost of one instruction of a uniform expression (Mesa: `varying_estimate_instr_cost`).

    The units are those of Mesa's default: 1 is a 32-bit FMA of a scalar desktop GPU. The costs are in
    `driver_profiles.toml`.
    """
    if isinstance(instr, AluInstr):
        return _alu_cost(instr)
    if isinstance(instr, IntrinsicInstr):
        return _UNIFORM_LOAD * _dwords(instr.def_.bit_size if instr.def_ is not None else 32)
    if isinstance(instr, DerefInstr) and instr.deref_kind == "array" and instr.const_index is None:
        return _VARIABLE_INDEX
    return 0


def _alu_cost(instr: AluInstr) -> int:
    size = instr.def_.bit_size if instr.def_ is not None else 32
    if instr.op in _COSTS:
        return _COSTS[instr.op][0 if size <= 16 else 1 if size <= 32 else 2]
    source_size = instr.sources[0].bit_size if instr.sources else size
    entry = opcode(instr.op)
    if entry is not None:
        makes_double = size == 64 and entry.output_type.startswith("float")
        reads_double = source_size == 64 and any(kind.startswith("float") for kind in entry.input_types[:1])
        if makes_double or reads_double:
            return _DOUBLE
    return _dwords(max(size, source_size))


def _dwords(bit_size: int) -> int:
    return -(-bit_size // 32)


@dataclass(frozen=True, slots=True)
class Exchange:
    """Costs and savings if the consumer computes some outputs instead of receiving them.

    `halves_saved` is the number of 16-bit halves of varyings saved. `loads_saved` is how many fewer loads
    the consumer executes; an input that is read in two blocks, or for three vertices, counts two or three
    times. `cost` is the cost of the computation in the consumer, in the units of `instruction_cost` and with
    the same multiplicity. `interpolated` is true if the loads interpolate; loads of convergent inputs may
    not.
    """

    producer: Stage
    consumer: Stage
    interpolated: bool
    halves_saved: int
    loads_saved: int
    cost: int


def is_clear_win(exchange: Exchange) -> bool:
    """Whether the consumer becomes no more expensive (the default rule).

    The consumer may run a hundred times for each run of the producer, so savings in the producer do not
    count. A load costs as much as that of a uniform (2 FMAs), and interpolation costs 1 more. The number of
    varyings and of loads must go down, and the computation may not cost more than the saved loads.
    """
    load = INTERPOLATED_LOAD_COST if exchange.interpolated else LOAD_COST
    if exchange.halves_saved <= 0 or exchange.loads_saved <= 0:
        return False
    return exchange.cost <= exchange.loads_saved * load
