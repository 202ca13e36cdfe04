"""Intrinsics that end an invocation (discard, terminate) or make it a helper (demote)."""

from __future__ import annotations

from nirls.ir.model.instructions import Instr, IntrinsicInstr

CONDITIONAL_FORM: dict[str, str] = {
    "discard": "discard_if",
    "terminate": "terminate_if",
    "demote": "demote_if",
}
"""Unconditional to conditional form. Until 2024, `discard` meant terminate or demote depending on the API."""

UNCONDITIONAL_FORM: dict[str, str] = {conditional: plain for plain, conditional in CONDITIONAL_FORM.items()}


def is_discard(instr: Instr) -> bool:
    """Whether an instruction is a discard, terminate or demote, conditional or not."""
    return isinstance(instr, IntrinsicInstr) and (
        instr.name in CONDITIONAL_FORM or instr.name in UNCONDITIONAL_FORM
    )


def is_conditional(discard: IntrinsicInstr) -> bool:
    """Whether a discard is one of the `_if` forms."""
    return discard.name in UNCONDITIONAL_FORM


def is_demote(discard: IntrinsicInstr) -> bool:
    """Whether the invocation continues as a helper, so that later derivatives stay defined."""
    return discard.name.startswith("demote")
