"""Names of the instructions that the evaluator supports."""

from __future__ import annotations

from nirls.ir.effects import DERIVATIVE_OPCODES
from nirls.verification.evaluate.alu.run import supported_opcodes
from nirls.verification.evaluate.steps import INTRINSIC_STEPS
from nirls.verification.evaluate.steps.opaque_values import opaque_system_values


def supported_intrinsics() -> frozenset[str]:
    """Return the names of supported intrinsics. Some forms of them may still be unsupported."""
    return frozenset(INTRINSIC_STEPS) | opaque_system_values()


def supported_alu_opcodes() -> frozenset[str]:
    """Return the supported ALU opcodes, derivatives included."""
    return supported_opcodes() | frozenset(name for name in DERIVATIVE_OPCODES if "must_abs" not in name)
