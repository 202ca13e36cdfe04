"""Finding codes of validation, with their titles. Their pages state the rules."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from nirls.ir.finding import FindingCode, Severity


def _error(code: str, title: str) -> FindingCode:
    return FindingCode(code, title, Severity.ERROR)


def _warning(code: str, title: str) -> FindingCode:
    return FindingCode(code, title, Severity.WARNING)


_ALL = (
    # Text
    _error("syntax", "Unreadable line"),
    _error("damaged-dump", "Damaged dump"),
    _error("mesa-validation", "Error reported by Mesa's validator"),
    _warning("unknown-stage", "Unknown shader stage"),
    FindingCode("omitted-lines", "Lines are left out", Severity.INFORMATION),
    # Values
    _error("undefined-value", "Value is not defined"),
    _error("duplicate-value", "Value is defined twice"),
    _error("dominance", "Definition does not dominate the use"),
    _warning("missing-destination", "Result is missing"),
    _warning("unexpected-destination", "Instruction has no result"),
    _error("bad-bit-size", "Wrong bit size"),
    _error("bad-component-count", "Wrong number of components"),
    _error("bad-swizzle", "Swizzle reads a component that does not exist"),
    _error("bad-write-mask", "Write mask writes a component that does not exist"),
    _error("bad-constant", "Constant does not fit"),
    # Opcodes
    _warning("unknown-opcode", "Unknown opcode"),
    _warning("unknown-intrinsic", "Unknown intrinsic"),
    _warning("bad-source-count", "Wrong number of sources"),
    _error("bad-modifier", "Modifier does not fit"),
    _warning("constant-required", "Source must be a constant"),
    # Phis
    _error("phi-sources", "Phi sources are not the predecessors"),
    _error("phi-position", "Phi is not at the start"),
    # Control flow
    _error("bad-control-flow", "Broken control flow"),
    _error("bad-jump", "Misplaced jump"),
    _error("duplicate-block", "Block number is used twice"),
    _warning("stale-predecessors", "Predecessor comment is wrong"),
    _warning("stale-successors", "Successor comment is wrong"),
    _error("bad-condition", "Condition is not a boolean"),
    # Intrinsics
    _warning("wrong-stage", "Not in this stage"),
    _warning("missing-index", "Index is missing"),
    _error("bad-index", "Wrong value of an index"),
    _error("bad-alignment", "Impossible alignment"),
    _warning("bad-slot", "Wrong I/O slot"),
    _warning("overlapping-outputs", "Outputs share bits"),
    _error("bad-xfb", "Transform feedback captures a component twice"),
    _error("bad-register", "Wrong use of a register"),
    _error("bad-parameter", "Wrong parameter"),
    # Derefs and variables
    _error("undeclared-variable", "Variable is not declared"),
    _error("bad-deref", "Broken deref"),
    _error("bad-deref-use", "Deref used where it may not be"),
    _error("read-only", "Store to read-only memory"),
    _warning("unknown-mode", "Unknown variable mode"),
    # Textures
    _error("bad-texture-source", "Wrong source of a texture instruction"),
    _warning("missing-texture-source", "Source of a texture instruction is missing"),
    _error("bad-texture-type", "Wrong result of a texture instruction"),
    # Calls
    _warning("unknown-function", "Unknown function"),
    _error("bad-call", "Arguments do not fit"),
)

KINDS: Mapping[str, FindingCode] = MappingProxyType({kind.code: kind for kind in _ALL})
"""Finding codes of validation by name, in the order of the documentation."""
