"""The kinds of discards and their conditional forms."""

from __future__ import annotations

import pytest

from nirls.ir.model.instructions import AluInstr, IntrinsicInstr
from nirls.ir.tables import intrinsic
from nirls.passes.discards.kinds import (
    CONDITIONAL_FORM,
    UNCONDITIONAL_FORM,
    is_conditional,
    is_demote,
    is_discard,
)


@pytest.mark.parametrize("plain", sorted(CONDITIONAL_FORM))
def test_both_forms_are_discards_and_only_one_has_a_condition(plain: str) -> None:
    one, other = (IntrinsicInstr(name, [], {}) for name in (plain, CONDITIONAL_FORM[plain]))
    assert is_discard(one)
    assert is_discard(other)
    assert not is_conditional(one)
    assert is_conditional(other)
    assert UNCONDITIONAL_FORM[other.name] == plain
    conditional, unconditional = intrinsic(other.name), intrinsic(plain)
    assert conditional is not None
    assert unconditional is not None
    assert len(conditional.src_components) == 1
    assert unconditional.src_components == ()


def test_only_a_demoted_invocation_goes_on() -> None:
    assert is_demote(IntrinsicInstr("demote_if", [], {}))
    assert not is_demote(IntrinsicInstr("terminate_if", [], {}))


def test_others_are_no_discards() -> None:
    assert not is_discard(IntrinsicInstr("is_helper_invocation", [], {}))
    assert not is_discard(AluInstr("discard", []))
