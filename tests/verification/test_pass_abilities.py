from __future__ import annotations

from collections import Counter

import pytest

from nirls.verification.pass_abilities import (
    ABILITIES,
    Operation,
    OperationKind,
    ability_of,
    beyond_ability,
)

ADD = Operation(OperationKind.ALU, "fadd")
MUL = Operation(OperationKind.ALU, "fmul")
CONSTANT = Operation(OperationKind.CONSTANT, "load_const")
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
        # Nothing is known of other passes.
        ("nir_lower_tex", [ADD], [UBO, UBO], ()),
    ],
)
def test_operations_that_a_pass_cannot_make(
    pass_name: str, before: list[Operation], after: list[Operation], beyond: tuple[str, ...]
) -> None:
    assert beyond_ability(pass_name, Counter(before), Counter(after)) == beyond


def test_each_pass_has_one_row() -> None:
    names = [name for row in ABILITIES for name in row.passes]
    assert len(names) == len(set(names)) >= 20
    assert ability_of("nir_lower_tex") is None
