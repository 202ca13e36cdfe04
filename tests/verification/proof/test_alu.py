"""Plans of ALU instructions, and the numbers of their results."""

from __future__ import annotations

import pytest

from nirls.ir.model.float_controls import USUAL, FloatControls
from nirls.ir.model.instructions import AluInstr, LoadConstInstr
from nirls.ir.model.shader import Shader
from nirls.ir.model.values import Def
from nirls.verification.proof.algebra import Algebra
from nirls.verification.proof.alu import AluNumbers, AluPlan
from nirls.verification.proof.events import Events
from nirls.verification.proof.values import Number, UnprovedError, Values
from tests.passes.registers.test_lower_vec_and_coalesce import register_form
from tests.passes.shader_text import ONE, ZERO, shader

INPUT = "32x4 %2 = @load_push_constant (%0) (base=0, range=16, align_mul=16, align_offset=0)"
TWO = "32 %3 = load_const (0x40000000 = 2.000000)"
TRUE = "1 %4 = load_const (true)"
FALSE = "1 %5 = load_const (false)"
TEST = "1 %6 = flt %2.x, %2.y"
HEAD = (ZERO, ONE, INPUT, TWO, TRUE, FALSE, TEST)


def alu(made: Shader) -> list[tuple[AluInstr, Def]]:
    instrs = [one for one in made.instrs() if isinstance(one, AluInstr)]
    return [(one, one.def_) for one in instrs if one.def_ is not None]


def plan_of(line: str) -> AluPlan:
    return AluPlan.of(*alu(shader("FRAGMENT", *HEAD, line))[-1])


def rows(plan: AluPlan) -> list[list[tuple[int, int]]]:
    """The operands of each component as indices of defs and components."""
    return [[(value.index, component) for value, component in row] for row in plan.rows]


@pytest.mark.parametrize(
    ("line", "expected", "widths", "result"),
    [
        ("32x2 %9 = fadd %2.xz, %2.yw", [[(2, 0), (2, 1)], [(2, 2), (2, 3)]], (1, 1), 1),
        ("32 %9 = fdot2 %2.xz, %2.yw", [[(2, 0), (2, 2), (2, 1), (2, 3)]], (2, 2), 1),
        ("32x2 %9 = vec2 %2.w, %1", [[(2, 3)], [(1, 0)]], (1, 1), 2),
        ("32x2 %9 = mov %2.yx", [[(2, 1)], [(2, 0)]], (1,), 1),
        ("32 %9 = unheard_of %2.xy, %1", [[(2, 0), (2, 1), (1, 0)]], (2, 1), 1),
        ("32x2 %9 = unheard_of %2.xy", [[(2, 0), (2, 1)]] * 2, (2,), 2),
    ],
)
def test_operands_of_each_component(
    line: str, expected: list[list[tuple[int, int]]], widths: tuple[int, ...], result: int
) -> None:
    plan = plan_of(line)
    assert (rows(plan), plan.widths, plan.result) == (expected, widths, result)


def test_modifiers_make_no_copy_and_no_commutative_operation() -> None:
    assert plan_of("32 %9 = mov %2.x").is_copy
    assert not plan_of("32 %9 = mov -%2.x").is_copy
    assert not plan_of("32 %9 = mov.sat %2.x").is_copy
    assert plan_of("32 %9 = fadd %2.x, %2.y").is_commutative
    assert not plan_of("32 %9 = fadd -%2.x, %2.y").is_commutative
    assert not plan_of("32 %9 = fsub %2.x, %2.y").is_commutative


def test_math_controls_are_no_part_of_the_key() -> None:
    plain, exact = plan_of("32 %9 = fadd %2.x, %2.y"), plan_of("32 %9 = fadd! %2.x, %2.y")
    assert plain.what == exact.what
    assert (plain.words, exact.words) == (frozenset(), {"exact"})
    assert plan_of("32 %9 = fadd abs(%2.x), %2.y").what != plain.what
    assert plan_of("32 %9 = fadd.sat %2.x, %2.y").what != plain.what


def test_an_operation_that_reads_other_components_has_no_plan() -> None:
    with pytest.raises(UnprovedError):
        plan_of("32 %9 = fdot3 %1, %1")


def test_register_has_no_plan() -> None:
    instr, value = alu(register_form("vec1 32 ssa_9 = fneg r1.x"))[-1]
    with pytest.raises(UnprovedError):
        AluPlan.of(instr, value)


def numbered(
    *lines: str, controls: FloatControls = USUAL, normal_forms: bool = False
) -> tuple[Values, list[tuple[Number, ...]]]:
    """The values of a shader, and the numbers of its last ALU instructions, one for each line."""
    values = Values()
    algebra = Algebra(values, controls, cancels=lambda _: True) if normal_forms else None
    numbers, events = AluNumbers(values, controls, algebra), Events(0)
    for instr in shader("FRAGMENT", *HEAD, *lines).instrs():
        value = instr.def_
        if isinstance(instr, AluInstr) and value is not None:
            values.now[value] = numbers.numbers(AluPlan.of(instr, value), value, 0, events)
        elif isinstance(instr, LoadConstInstr) and value is not None:
            values.now[value] = tuple(
                values.constant(value, row, bits, value.bit_size) for row, bits in enumerate(instr.values)
            )
        elif value is not None:
            values.now[value] = values.rows(
                value, [(value.index, row) for row in range(value.num_components)]
            )
    return values, list(values.now.values())[-len(lines) :]


@pytest.mark.parametrize(
    ("one", "other", "is_same"),
    [
        ("fadd %2.x, %2.y", "fadd %2.x, %2.y", True),
        ("fadd %2.x, %2.y", "fadd %2.y, %2.x", True),
        ("fsub %2.x, %2.y", "fsub %2.y, %2.x", False),
        ("fdot2 %2.xy, %2.zw", "fdot2 %2.zw, %2.xy", True),
        ("fdot2 %2.xy, %2.zw", "fdot2 %2.zw, %2.yx", False),
        # The first two operands commute, the third does not.
        ("ffma %2.x, %2.y, %2.z", "ffma %2.y, %2.x, %2.z", True),
        ("ffma %2.x, %2.y, %2.z", "ffma %2.z, %2.y, %2.x", False),
        ("fadd -%2.x, %2.y", "fadd %2.y, -%2.x", False),
        ("fadd -%2.x, %2.y", "fadd %2.x, -%2.y", False),
        ("fadd %2.x, %2.y", "fadd! %2.x, %2.y", True),
        ("iadd %2.x, %2.y", "fadd %2.x, %2.y", False),
        ("unheard_of %2.x, %2.y", "unheard_of %2.y, %2.x", False),
    ],
)
def test_equal_operations_have_one_number(one: str, other: str, is_same: bool) -> None:
    _, (first, second) = numbered(f"32 %8 = {one}", f"32 %9 = {other}")
    assert (first == second) is is_same


def test_components_of_an_operation_on_vectors_have_their_own_numbers() -> None:
    _, (pair,) = numbered("32x2 %9 = unheard_of %2.xx")
    assert pair[0] != pair[1]
    _, (pair,) = numbered("32x2 %9 = fadd %2.xx, %2.yy")
    assert pair[0] == pair[1]


def test_a_copy_has_the_numbers_of_its_operands() -> None:
    values, (swapped, vector) = numbered("32x2 %8 = mov %2.yx", "32x2 %9 = vec2 %8.y, %1")
    source, one = (
        next(numbers for value, numbers in values.now.items() if value.index == index) for index in (2, 1)
    )
    assert swapped == (source[1], source[0])
    assert vector == (source[0], one[0])


@pytest.mark.parametrize(
    ("line", "bits"),
    [
        ("32 %9 = fadd %1, %3", 0x40400000),
        ("32 %9 = fdot2 %10, %10", 0x40A00000),
        ("32 %9 = fadd -%1, %3", None),
        ("32 %9 = fadd %1, %2.x", None),
        ("32 %9 = unheard_of %1", None),
    ],
)
def test_operations_on_constants_are_folded(line: str, bits: int | None) -> None:
    values, (_, found) = numbered("32x2 %10 = vec2 %1, %3", line)
    assert values.constants.get(found[0]) == (None if bits is None else (bits, 32))


def test_float_controls_decide_whether_an_operation_is_folded() -> None:
    line = "32 %9 = fadd %1, %3"
    values, (found,) = numbered(line, controls=FloatControls(rounds=True))
    assert found[0] not in values.constants


@pytest.mark.parametrize(("condition", "component"), [("%4", 0), ("%5", 1), ("%6", None)])
def test_selection_by_a_constant_is_its_operand(condition: str, component: int | None) -> None:
    values, (found,) = numbered(f"32 %9 = bcsel {condition}, %2.x, %2.y")
    source = next(numbers for value, numbers in values.now.items() if value.index == 2)
    assert found[0] == source[component] if component is not None else found[0] not in source


def test_selection_of_a_phi_is_that_of_a_bcsel() -> None:
    values, (chosen, _) = numbered("32x2 %8 = bcsel %6.xx, %2.xy, %2.zy", "32x2 %9 = vec2 %0, %0")
    now = {value.index: (value, numbers) for value, numbers in values.now.items()}
    phi, (x, y, z, _), condition = now[9][0], now[2][1], now[6][1][0]
    numbers = AluNumbers(values, USUAL)
    # Where both sides agree, nothing is selected.
    assert numbers.selected(phi, 0, condition, 1, ((x, y), (z, y))) == [chosen[0], y]
    assert numbers.selected(phi, 0, condition, 1, ((z,), (x,))) != [chosen[0]]
    assert numbers.selected(phi, 0, condition, 32, ((x,), (z,))) != [chosen[0]]
    truth = now[4][1][0]
    assert numbers.selected(phi, 0, truth, 1, ((x, y), (z, z))) == [x, y]


@pytest.mark.parametrize("normal_forms", [False, True])
@pytest.mark.parametrize(("op", "is_same"), [("fddx", False), ("fneg", True)])
def test_result_across_lanes_depends_on_its_place(op: str, is_same: bool, normal_forms: bool) -> None:
    lines = (f"32 %8 = {op} %2.x", "32 %9 = fsqrt %2.x")
    values, (first, _) = numbered(*lines, normal_forms=normal_forms)
    defs = {value.index: value for value in values.now}
    assert isinstance(defs[8].instr, AluInstr)
    algebra = Algebra(values, USUAL, cancels=lambda _: True) if normal_forms else None
    plan, numbers = AluPlan.of(defs[8].instr, defs[8]), AluNumbers(values, USUAL, algebra)
    assert numbers.numbers(plan, defs[9], 0, Events(0)) == first
    assert (numbers.numbers(plan, defs[9], 0, Events(1)) == first) is is_same


def test_result_of_an_undefined_operand_is_undefined() -> None:
    values, (made,) = numbered("32 %9 = fadd %2.x, %2.y")
    value = next(one for one in values.now if one.index == 9)
    source = next(one for one in values.now if one.index == 2)
    assert isinstance(value.instr, AluInstr)
    values.undefined.add(values.now[source][1])
    AluNumbers(values, USUAL).numbers(AluPlan.of(value.instr, value), value, 0, Events(0))
    assert made[0] in values.undefined


def test_operand_without_a_number_has_no_proof() -> None:
    value = alu(shader("FRAGMENT", *HEAD, "32 %9 = fneg %2.x"))[-1][1]
    assert isinstance(value.instr, AluInstr)
    with pytest.raises(UnprovedError):
        AluNumbers(Values(), USUAL).numbers(AluPlan.of(value.instr, value), value, 0, Events(0))


@pytest.mark.parametrize(("line", "is_same"), [("ineg %8", True), ("fddx %8", False), ("ineg -%8", False)])
def test_normal_forms_apply_to_plain_operations_of_one_lane(line: str, is_same: bool) -> None:
    values, (_, found) = numbered("32 %8 = ineg %2.x", f"32 %9 = {line}", normal_forms=True)
    source = next(numbers for value, numbers in values.now.items() if value.index == 2)
    assert (found[0] == source[0]) is is_same
