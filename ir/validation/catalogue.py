"""All codes of validation problems, with their titles: what documentation and editors list."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from nirls.ir.finding import FindingCode, Severity


def _error(code: str, title: str, rule: str) -> FindingCode:
    return FindingCode(code, title, Severity.ERROR, rule=rule)


def _warning(code: str, title: str, rule: str) -> FindingCode:
    return FindingCode(code, title, Severity.WARNING, rule=rule)


_ALL = (
    # Text
    _error("syntax", "Unreadable line", "The line is not NIR as any known printer writes it."),
    _error(
        "damaged-dump",
        "Damaged dump",
        "The dump is cut off, or lines of another thread are mixed into it. Nothing else is reported about"
        " it, and no pass runs on it.",
    ),
    _error(
        "mesa-validation",
        "Error reported by Mesa's validator",
        "Mesa printed an `error:` line below this instruction when it validated the shader.",
    ),
    _warning("unknown-stage", "Unknown shader stage", "The `shader:` line names no stage."),
    # Values
    _error("undefined-value", "Value is not defined", "Every value that is read is defined somewhere."),
    _error("duplicate-value", "Value is defined twice", "Every value is defined by one instruction."),
    _error(
        "dominance",
        "Definition does not dominate the use",
        "A value is defined on every path that leads to its use; a phi source on every path to the end of"
        " its predecessor.",
    ),
    _error(
        "missing-destination",
        "Result is missing",
        "The instruction makes a value.",
    ),
    _error("unexpected-destination", "Instruction has no result", "The instruction makes no value."),
    _error(
        "bad-bit-size",
        "Wrong bit size",
        "Bit sizes are 1, 8, 16, 32 or 64, are those that the opcode or intrinsic asks for, and are equal"
        " wherever the opcode's types have no size.",
    ),
    _error(
        "bad-component-count",
        "Wrong number of components",
        "Vectors have 1 to 5, 8 or 16 components, and as many as the opcode, intrinsic or type asks for.",
    ),
    _error(
        "bad-swizzle",
        "Swizzle reads a component that does not exist",
        "Each letter of a swizzle names a component that the value has.",
    ),
    _error(
        "bad-write-mask",
        "Write mask writes a component that does not exist",
        "A write mask has only bits of components that the value or register has.",
    ),
    _error(
        "bad-constant",
        "Constant does not fit",
        "A load_const has one number for each component, none above what the bit size holds.",
    ),
    # Opcodes
    _warning("unknown-opcode", "Unknown opcode", "No Mesa release from 2015 to 25.0 has the opcode."),
    _warning(
        "unknown-intrinsic",
        "Unknown intrinsic",
        "No Mesa release from 2015 to 25.0 has the intrinsic.",
    ),
    _error(
        "bad-source-count",
        "Wrong number of sources",
        "Opcodes, intrinsics and texture instructions have the sources of their table entry.",
    ),
    _error(
        "bad-modifier",
        "Modifier does not fit",
        "Saturation is for float results only.",
    ),
    _error(
        "constant-required",
        "Source must be a constant",
        "The piece that extract_u8 and its like take out is given by a constant, and exists in the source.",
    ),
    # Phis
    _error(
        "phi-sources",
        "Phi sources are not the predecessors",
        "A phi has exactly one source for each predecessor of its block.",
    ),
    _error("phi-position", "Phi is not at the start", "Phis come first in their block."),
    # Control flow
    _error(
        "bad-control-flow",
        "Broken control flow",
        "Bodies start and end with a block, and blocks alternate with ifs and loops.",
    ),
    _error(
        "bad-jump",
        "Misplaced jump",
        "A jump ends its block; break and continue stand in a loop, and nothing leaves a continue construct"
        " but break; gotos stand in functions without ifs and loops only.",
    ),
    _error("duplicate-block", "Block number is used twice", "Block numbers are unique in a function."),
    _warning(
        "stale-predecessors",
        "Predecessor comment is wrong",
        "The `preds:` comment names the blocks that lead here.",
    ),
    _warning(
        "stale-successors",
        "Successor comment is wrong",
        "The `succs:` comment names the blocks that this one leads to.",
    ),
    _error(
        "bad-condition",
        "Condition is not a boolean",
        "A condition is one component of 1 bit, or of 8, 16 or 32 bits once booleans are lowered.",
    ),
    # Intrinsics
    _error(
        "wrong-stage",
        "Not in this stage",
        "The intrinsic, variable or flag exists in other shader stages only.",
    ),
    _warning(
        "missing-index",
        "Index is missing",
        "An intrinsic prints the constant indices of a known release that decide what it accesses.",
    ),
    _error("bad-index", "Wrong value of an index", "The index cannot have this value."),
    _error(
        "bad-alignment",
        "Impossible alignment",
        "align_mul is a power of two, and align_offset is below it.",
    ),
    _error(
        "bad-slot",
        "Wrong I/O slot",
        "The slots of an access exist for the stage and direction, and its components lie within a slot.",
    ),
    _error(
        "bad-xfb",
        "Transform feedback captures a component twice",
        "Each component of a store is captured once at most.",
    ),
    _error(
        "bad-register",
        "Wrong use of a register",
        "A register is declared, read and written with its own sizes, and indexed only as an array within"
        " its bounds.",
    ),
    _error("bad-parameter", "Wrong parameter", "A parameter exists, and is read with its own sizes."),
    # Derefs and variables
    _error("undeclared-variable", "Variable is not declared", "A deref names a declared variable."),
    _error(
        "bad-deref",
        "Broken deref",
        "A deref has the mode of its parent and the type that its parent's type gives it.",
    ),
    _error(
        "bad-deref-use",
        "Deref used where it may not be",
        "What an intrinsic takes as a deref is one; derefs of inputs, outputs and uniforms do not go"
        " through phis.",
    ),
    _error("read-only", "Store to read-only memory", "Inputs, uniforms and constants are never written."),
    _warning("unknown-mode", "Unknown variable mode", "Mesa has no such variable mode."),
    # Textures
    _error(
        "bad-texture-source",
        "Wrong source of a texture instruction",
        "Each kind of source is there once at most, where the operation takes it, with the width it asks.",
    ),
    _error(
        "missing-texture-source",
        "Source of a texture instruction is missing",
        "Sampling needs a coordinate; txb a bias, txl a lod, txd derivatives, txf_ms a sample.",
    ),
    _error(
        "bad-texture-type",
        "Wrong result of a texture instruction",
        "The result has the printed type's size, and the components and base type of the operation.",
    ),
    # Calls
    _warning("unknown-function", "Unknown function", "The dump declares the function called."),
    _error("bad-call", "Arguments do not fit", "A call passes what the function declares, in its sizes."),
)

KINDS: Mapping[str, FindingCode] = MappingProxyType({kind.code: kind for kind in _ALL})
"""Every code that validation may report, in the order of documentation."""
