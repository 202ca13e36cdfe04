"""ALU opcodes and intrinsics of Mesa from 2015 to release 26.2: signatures, flags, documentation.

`opcodes.txt` and `intrinsics.txt` have a row for each form (notation: `rows`). The complete tables of the
releases from 22.3 on are merged by `tools/mesa_tables.py`; rows of older releases are hand-written.
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
