"""The ALU opcodes and intrinsics of Mesa, from 2015 to release 26.2: shapes, flags and documentation.

`opcodes.txt` and `intrinsics.txt` have a row for each form (notation: `rows`). The releases from 22.3 on are
known as a whole and merged by `tools/mesa_tables.py`; rows of older ones were written by hand.
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
