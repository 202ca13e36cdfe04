"""All codes of validation problems, with their titles: what documentation and editors list."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from nirls.ir.validation.problem import Severity


@dataclass(frozen=True, slots=True)
class ProblemKind:
    """A code, its title, how bad it is unless a check says otherwise, and the rule in a sentence or two."""

    code: str
    title: str
    severity: Severity
    rule: str


_ALL = (
    # Text
    ProblemKind("syntax", "Unreadable line", "error", "The line is not NIR as any known printer writes it."),
    ProblemKind(
        "damaged-dump",
        "Damaged dump",
        "error",
        "The dump is cut off, or lines of another thread are mixed into it. Nothing else is reported about"
        " it, and no pass runs on it.",
    ),
    ProblemKind(
        "mesa-validation",
        "Error reported by Mesa's validator",
        "error",
        "Mesa printed an `error:` line below this instruction when it validated the shader.",
    ),
    ProblemKind("unknown-stage", "Unknown shader stage", "warning", "The `shader:` line names no stage."),
    # Values
    ProblemKind(
        "undefined-value", "Value is not defined", "error", "Every value that is read is defined somewhere."
    ),
    ProblemKind(
        "duplicate-value", "Value is defined twice", "error", "Every value is defined by one instruction."
    ),
    ProblemKind(
        "dominance",
        "Definition does not dominate the use",
        "error",
        "A value is defined on every path that leads to its use; a phi source on every path to the end of"
        " its predecessor.",
    ),
    ProblemKind(
        "missing-destination",
        "Result is missing",
        "error",
        "The instruction makes a value.",
    ),
    ProblemKind(
        "unexpected-destination", "Instruction has no result", "error", "The instruction makes no value."
    ),
    ProblemKind(
        "bad-bit-size",
        "Wrong bit size",
        "error",
        "Bit sizes are 1, 8, 16, 32 or 64, are those that the opcode or intrinsic asks for, and are equal"
        " wherever the opcode's types have no size.",
    ),
    ProblemKind(
        "bad-component-count",
        "Wrong number of components",
        "error",
        "Vectors have 1 to 5, 8 or 16 components, and as many as the opcode, intrinsic or type asks for.",
    ),
    ProblemKind(
        "bad-swizzle",
        "Swizzle reads a component that does not exist",
        "error",
        "Each letter of a swizzle names a component that the value has.",
    ),
    ProblemKind(
        "bad-write-mask",
        "Write mask writes a component that does not exist",
        "error",
        "A write mask has only bits of components that the value or register has.",
    ),
    ProblemKind(
        "bad-constant",
        "Constant does not fit",
        "error",
        "A load_const has one number for each component, none above what the bit size holds.",
    ),
    # Opcodes
    ProblemKind(
        "unknown-opcode", "Unknown opcode", "warning", "No Mesa release from 2015 to 25.0 has the opcode."
    ),
    ProblemKind(
        "unknown-intrinsic",
        "Unknown intrinsic",
        "warning",
        "No Mesa release from 2015 to 25.0 has the intrinsic.",
    ),
    ProblemKind(
        "bad-source-count",
        "Wrong number of sources",
        "error",
        "Opcodes, intrinsics and texture instructions have the sources of their table entry.",
    ),
    ProblemKind(
        "bad-modifier",
        "Modifier does not fit",
        "error",
        "Saturation is for float results only.",
    ),
    ProblemKind(
        "constant-required",
        "Source must be a constant",
        "error",
        "The piece that extract_u8 and its like take out is given by a constant, and exists in the source.",
    ),
    # Phis
    ProblemKind(
        "phi-sources",
        "Phi sources are not the predecessors",
        "error",
        "A phi has exactly one source for each predecessor of its block.",
    ),
    ProblemKind("phi-position", "Phi is not at the start", "error", "Phis come first in their block."),
    # Control flow
    ProblemKind(
        "bad-control-flow",
        "Broken control flow",
        "error",
        "Bodies start and end with a block, and blocks alternate with ifs and loops.",
    ),
    ProblemKind(
        "bad-jump",
        "Misplaced jump",
        "error",
        "A jump ends its block; break and continue stand in a loop, and nothing leaves a continue construct"
        " but break; gotos stand in functions without ifs and loops only.",
    ),
    ProblemKind(
        "duplicate-block", "Block number is used twice", "error", "Block numbers are unique in a function."
    ),
    ProblemKind(
        "stale-predecessors",
        "Predecessor comment is wrong",
        "warning",
        "The `preds:` comment names the blocks that lead here.",
    ),
    ProblemKind(
        "stale-successors",
        "Successor comment is wrong",
        "warning",
        "The `succs:` comment names the blocks that this one leads to.",
    ),
    ProblemKind(
        "bad-condition",
        "Condition is not a boolean",
        "error",
        "A condition is one component of 1 bit, or of 8, 16 or 32 bits once booleans are lowered.",
    ),
    # Intrinsics
    ProblemKind(
        "wrong-stage",
        "Not in this stage",
        "error",
        "The intrinsic, variable or flag exists in other shader stages only.",
    ),
    ProblemKind(
        "missing-index",
        "Index is missing",
        "warning",
        "An intrinsic prints the constant indices of a known release that decide what it accesses.",
    ),
    ProblemKind("bad-index", "Wrong value of an index", "error", "The index cannot have this value."),
    ProblemKind(
        "bad-alignment",
        "Impossible alignment",
        "error",
        "align_mul is a power of two, and align_offset is below it.",
    ),
    ProblemKind(
        "bad-slot",
        "Wrong I/O slot",
        "error",
        "The slots of an access exist for the stage and direction, and its components lie within a slot.",
    ),
    ProblemKind(
        "bad-xfb",
        "Transform feedback captures a component twice",
        "error",
        "Each component of a store is captured once at most.",
    ),
    ProblemKind(
        "bad-register",
        "Wrong use of a register",
        "error",
        "A register is declared, read and written with its own sizes, and indexed only as an array within"
        " its bounds.",
    ),
    ProblemKind(
        "bad-parameter", "Wrong parameter", "error", "A parameter exists, and is read with its own sizes."
    ),
    # Derefs and variables
    ProblemKind(
        "undeclared-variable", "Variable is not declared", "error", "A deref names a declared variable."
    ),
    ProblemKind(
        "bad-deref",
        "Broken deref",
        "error",
        "A deref has the mode of its parent and the type that its parent's type gives it.",
    ),
    ProblemKind(
        "bad-deref-use",
        "Deref used where it may not be",
        "error",
        "What an intrinsic takes as a deref is one; derefs of inputs, outputs and uniforms do not go"
        " through phis.",
    ),
    ProblemKind(
        "read-only", "Store to read-only memory", "error", "Inputs, uniforms and constants are never written."
    ),
    ProblemKind("unknown-mode", "Unknown variable mode", "warning", "Mesa has no such variable mode."),
    # Textures
    ProblemKind(
        "bad-texture-source",
        "Wrong source of a texture instruction",
        "error",
        "Each kind of source is there once at most, where the operation takes it, with the width it asks.",
    ),
    ProblemKind(
        "missing-texture-source",
        "Source of a texture instruction is missing",
        "error",
        "Sampling needs a coordinate; txb a bias, txl a lod, txd derivatives, txf_ms a sample.",
    ),
    ProblemKind(
        "bad-texture-type",
        "Wrong result of a texture instruction",
        "error",
        "The result has the printed type's size, and the components and base type of the operation.",
    ),
    # Calls
    ProblemKind("unknown-function", "Unknown function", "warning", "The dump declares the function called."),
    ProblemKind(
        "bad-call", "Arguments do not fit", "error", "A call passes what the function declares, in its sizes."
    ),
)

KINDS: Mapping[str, ProblemKind] = MappingProxyType({kind.code: kind for kind in _ALL})
"""Every code that validation may report, in the order of documentation."""
