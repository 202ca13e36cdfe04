"""The intrinsics that end an invocation or make it a helper, and how they are alike."""

from __future__ import annotations

from nirls.ir.model.instructions import Instr, IntrinsicInstr

CONDITIONAL_FORM: dict[str, str] = {
    "discard": "discard_if",
    "terminate": "terminate_if",
    "demote": "demote_if",
}
"""Each kind with its conditional form. `discard` was one of the other two, as the API had it, until 2024."""

UNCONDITIONAL_FORM: dict[str, str] = {conditional: plain for plain, conditional in CONDITIONAL_FORM.items()}


def is_discard(instr: Instr) -> bool:
    """Whether it is a discard of any kind, conditional or not."""
    return isinstance(instr, IntrinsicInstr) and (
        instr.name in CONDITIONAL_FORM or instr.name in UNCONDITIONAL_FORM
    )


def is_conditional(discard: IntrinsicInstr) -> bool:
    """Whether it is one of the `_if` forms."""
    return discard.name in UNCONDITIONAL_FORM


def is_demote(discard: IntrinsicInstr) -> bool:
    """Whether the invocation goes on as a helper, so that derivatives behind it stay defined."""
    return discard.name.startswith("demote")
