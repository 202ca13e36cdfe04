from __future__ import annotations

from collections import Counter

import pytest

from nirls.verification.pass_abilities import (
    ABILITIES,
    Operation,
    OperationKind,
    Operations,
    ability_of,
    beyond_ability,
)

ADD = Operation(OperationKind.ALU, "fadd")
MUL = Operation(OperationKind.ALU, "fmul")
CONSTANT = Operation(OperationKind.CONSTANT, "load_const")
IADD = Operation(OperationKind.ALU, "iadd")
PHI = Operation(OperationKind.PHI, "phi")
DEREF = Operation(OperationKind.DEREF, "deref_var")
COPY, LOAD, STORE = (
    Operation(OperationKind.COPY, name) for name in ("copy_deref", "load_deref", "store_deref")
)
DEMOTE, DEMOTE_IF = (Operation(OperationKind.DISCARD, name) for name in ("demote", "demote_if"))
UBO = Operation(OperationKind.INTRINSIC, "load_ubo")
VAR0, VAR1 = (Operation(OperationKind.INTRINSIC, "load_input", f"VARYING_SLOT_VAR{one}") for one in range(2))


@pytest.mark.parametrize(
    ("pass_name", "before", "after", "beyond"),
    [
        ("nir_opt_dce", [ADD, MUL], [ADD], ()),
        ("nir_opt_dce", [VAR0], [VAR0, UBO], ("load_ubo",)),
        ("nir_opt_dce", [ADD], [ADD, CONSTANT, MUL], ("fmul", "load_const")),
        ("nir_opt_cse", [VAR0, VAR0], [VAR0, VAR1, VAR1], ("load_input of VARYING_SLOT_VAR1",)),
        # One operation made wrong is a fault of the pass.
        ("nir_opt_dce", [ADD], [MUL], ()),
        ("nir_opt_dce", [VAR0], [VAR1], ()),
        ("nir_lower_alu_to_scalar", [ADD], [ADD, ADD, ADD, ADD], ()),
        ("nir_lower_alu_to_scalar", [ADD], [ADD, UBO], ("load_ubo",)),
        ("nir_opt_algebraic_late", [ADD], [MUL, MUL, CONSTANT], ()),
        # What Mesa's passes make besides what they are for.
        ("nir_opt_deref", [ADD], [ADD, IADD, IADD], ()),
        ("nir_opt_remove_phis", [ADD, PHI], [ADD, ADD, ADD], ()),
        ("nir_opt_dead_cf", [DEREF], [DEREF, DEREF, DEREF, PHI], ()),
        ("nir_lower_vars_to_ssa", [COPY], [LOAD, STORE], ()),
        ("nir_opt_constant_folding", [DEMOTE_IF, DEMOTE_IF], [DEMOTE, DEMOTE], ()),
        # Nothing is known of other passes.
        ("nir_lower_tex", [ADD], [UBO, UBO], ()),
    ],
)
def test_operations_that_a_pass_cannot_make(
    pass_name: str, before: list[Operation], after: list[Operation], beyond: tuple[str, ...]
) -> None:
    operations = (Operations(Counter(one), {}) for one in (before, after))
    assert beyond_ability(pass_name, *operations) == beyond


@pytest.mark.parametrize(
    ("renumbered", "beyond"),
    [(False, ("load_const", "load_ubo")), (True, ())],
)
def test_new_values_are_made_operations_where_values_keep_their_numbers(
    renumbered: bool, beyond: tuple[str, ...]
) -> None:
    before = {b"%%%d" % number: MUL if number % 2 else ADD for number in range(20)}
    before |= {b"%30": CONSTANT, b"%31": UBO}
    kept = {
        b"%%%d" % (number + renumbered): operation
        for number, operation in enumerate(list(before.values())[:20])
    }
    after = {**kept, b"%40": CONSTANT, b"%41": UBO} if not renumbered else {**kept, b"%40": CONSTANT}
    operations = (Operations(Counter(one.values()), one) for one in (before, after))
    assert beyond_ability("nir_opt_dce", *operations) == beyond


@pytest.mark.parametrize(
    ("number", "operation", "beyond"),
    [(30, CONSTANT, ("load_const",)), (5, CONSTANT, ()), (30, ADD, ()), (30, UBO, ("load_ubo",))],
)
def test_one_fresh_constant_is_a_clear_sign(
    number: int, operation: Operation, beyond: tuple[str, ...]
) -> None:
    before = {b"%%%d" % one: ADD if one % 2 else CONSTANT for one in range(20) if one != 5}
    after = {value: one for value, one in before.items() if value != b"%7"} | {b"%%%d" % number: operation}
    operations = (Operations(Counter(one.values()), one) for one in (before, after))
    assert beyond_ability("nir_opt_dce", *operations) == beyond


def test_each_pass_has_one_row() -> None:
    names = [name for row in ABILITIES for name in row.passes]
    assert len(names) == len(set(names)) >= 20
    assert ability_of("nir_lower_tex") is None
