"""The cost of computing an expression again in the next stage (Mesa: `varying_estimate_instr_cost`).

The units are those of Mesa's default: 1 is a 32-bit FMA of a scalar desktop GPU.
"""

from __future__ import annotations

from nirls.ir.model.instructions import AluInstr, DerefInstr, Instr, IntrinsicInstr
from nirls.ir.tables import opcode
from nirls.ir.tables.families import VECTORS

_FREE = VECTORS | {"mov", "fabs", "fneg", "fsat"}
_WIDE_MULTIPLICATION = frozenset(("imul", "umul_low", "imul_2x32_64", "umul_2x32_64"))
_FOUR = frozenset(("imul_high", "umul_high", "fsign"))
_TRANSCENDENTAL = frozenset(
    ("fexp2", "flog2", "frcp", "frsq", "fsqrt", "fsin", "fcos", "fsin_amd", "fcos_amd")
)
_INTEGER_DIVISION = frozenset(("idiv", "udiv", "imod", "umod", "irem"))
_UNIFORM_LOAD = 2
_VARIABLE_INDEX = 128
_POWER = 9


def instruction_cost(instr: Instr) -> int:
    """Return the cost of one instruction of a uniform expression."""
    if isinstance(instr, AluInstr):
        return _alu_cost(instr)
    if isinstance(instr, IntrinsicInstr):
        return _UNIFORM_LOAD * _dwords(instr.def_.bit_size if instr.def_ is not None else 32)
    if isinstance(instr, DerefInstr) and instr.deref_kind == "array" and instr.const_index is None:
        return _VARIABLE_INDEX
    return 0


def _alu_cost(instr: AluInstr) -> int:
    size = instr.def_.bit_size if instr.def_ is not None else 32
    source_size = instr.sources[0].bit_size if instr.sources else size
    if instr.op in _FREE:
        return 0
    if instr.op in _WIDE_MULTIPLICATION:
        return 1 if size <= 16 else 4 * _dwords(size)
    if instr.op in _FOUR:
        return 4
    if instr.op in _TRANSCENDENTAL:
        return 32 if size == 64 else 4
    if instr.op == "fpow":
        return _POWER
    if instr.op in _INTEGER_DIVISION:
        return 80 if size == 64 else 40
    if instr.op == "fdiv":
        return 80 if size == 64 else 5
    if instr.op in ("fmod", "frem"):
        return 80 if size == 64 else 8
    entry = opcode(instr.op)
    if entry is not None:
        makes_double = size == 64 and entry.output_type.startswith("float")
        reads_double = source_size == 64 and any(kind.startswith("float") for kind in entry.input_types[:1])
        if makes_double or reads_double:
            return 16
    return _dwords(max(size, source_size))


def _dwords(bit_size: int) -> int:
    return -(-bit_size // 32)
