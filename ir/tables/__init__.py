"""The ALU opcodes and intrinsics of Mesa, from 2015 to release 25.0: shapes, flags and documentation.

The tables of the releases 22.3 and 25.0 are whole and generated (`tools/generate_tables.py`); what only
older releases had is listed by hand in `retired`.
"""

from nirls.ir.tables.documentation import describe_intrinsic, describe_opcode
from nirls.ir.tables.entries import ANY_COMPONENTS, FREE_COMPONENTS, Intrinsic, Opcode
from nirls.ir.tables.lookup import (
    intrinsic,
    intrinsic_names,
    intrinsics,
    opcode,
    opcode_names,
    opcodes,
)
from nirls.ir.tables.signatures import intrinsic_signature, opcode_signature

__all__ = [
    "ANY_COMPONENTS",
    "FREE_COMPONENTS",
    "Intrinsic",
    "Opcode",
    "describe_intrinsic",
    "describe_opcode",
    "intrinsic",
    "intrinsic_names",
    "intrinsic_signature",
    "intrinsics",
    "opcode",
    "opcode_names",
    "opcode_signature",
    "opcodes",
]
