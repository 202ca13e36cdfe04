from __future__ import annotations

import pytest

from nirls.ir.model.instructions import AluInstr
from nirls.ir.text.parse import parse_dump
from nirls.passes.registers.coalesce_plan import compatible_plans, is_per_channel, plan_vectors
from tests.passes.expectation import parse_body
from tests.passes.registers.test_lower_vec_and_coalesce import STORED, register_form
from tests.passes.shader_text import ONE, ZERO, shader


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("32 %2 = fadd %0, %1", True),
        ("32 %2 = ffma %0, %1, %1", True),
        ("1 %2 = flt %0, %1", True),
        ("32 %2 = fdot2 %0.xx, %1.xx", False),
        ("32x2 %2 = vec2 %0, %1", False),
        ("64 %2 = pack_64_2x32_split %0, %1", True),
        ("32 %2 = pack_half_2x16 %0.xx", False),
        ("32 %2 = unheard_of %0, %1", False),
    ],
)
def test_per_channel(line: str, expected: bool) -> None:
    (impl,) = shader("FRAGMENT", ZERO, ONE, line).impls()
    last = list(impl.defs())[-1].instr
    assert isinstance(last, AluInstr)
    assert is_per_channel(last) is expected


def test_no_registers_no_plans() -> None:
    (impl,) = shader("FRAGMENT", ZERO, ONE, "32x2 %2 = vec2 %0, %1").impls()
    assert plan_vectors(impl) == []


STORE = "@store_reg (%{}, %{}) (base=0, wrmask=xyzw, legacy_fsat=0)"


def test_vector_that_is_used_otherwise_is_left() -> None:
    lines = (
        "32 %6 = fadd %2.x, %2.y",
        "32x4 %9 = vec4 %6, %2.y, %2.z, %2.w",
        "@store_ssbo (%9, %0, %0) (wrmask=xyzw, access=none, align_mul=16, align_offset=0)",
    )
    (impl,) = parse_body(STORED.replace("LINES", "\n".join(lines))).impls()
    assert plan_vectors(impl) == []


def test_constants_need_no_reason_for_their_move() -> None:
    (impl,) = parse_body(STORED.replace("LINES", "32x4 %9 = vec4 %3, %4, %2.x, %2.w")).impls()
    (plan,) = plan_vectors(impl)
    assert [reason for _, reason in plan.reasons] == ["it has other uses"]


def test_vectors_in_one_block_are_compatible() -> None:
    lines = (
        "vec1 32 ssa_4 = fneg ssa_1.x",
        "r0 = vec4 ssa_4, ssa_1.x, ssa_1.y, ssa_3.x",
        "r2 = mov r0",
        "vec1 32 ssa_5 = fneg ssa_1.y",
        "r0 = vec4 ssa_5, ssa_1.x, ssa_1.y, ssa_3.x",
    )
    (impl,) = register_form(*lines).impls()
    assert [plan.written for plan in compatible_plans(impl)] == [{0}, {0}]


def test_vector_is_not_coalesced_together_with_the_one_it_is_copied_from() -> None:
    lines = (
        "32 %20 = @decl_reg () (num_components=4, bit_size=32, num_array_elems=0, divergent=1)",
        "32 %6 = fadd %2.x, %2.y",
        "32x4 %7 = vec4 %6, %2.y, %2.z, %2.w",
        STORE.format(7, 20),
        "32x4 %8 = @load_reg (%20) (base=0, legacy_fabs=0, legacy_fneg=0)",
        "32x4 %9 = vec4 %8.x, %8.y, %8.z, %8.w",
    )
    (impl,) = parse_body(STORED.replace("LINES", "\n".join(lines))).impls()
    assert len(plan_vectors(impl)) == 2
    assert len(compatible_plans(impl)) == 1


OTHER = "32 %20 = @decl_reg () (num_components=2, bit_size=32, num_array_elems=0, divergent=1)"


@pytest.mark.parametrize(
    "lines",
    [
        # The channel gets another value, and then another component of the operand.
        (
            *(OTHER, "32x2 %6 = fadd %2.xy, %2.zw", "32x2 %7 = fadd %2.xx, %2.zz"),
            STORE.format(6, 20).replace("xyzw", "y"),
            STORE.format(2, 1).replace("xyzw", "y"),
            STORE.format(7, 20).replace("xyzw", "x"),
            "32x2 %8 = @load_reg (%20) (base=0, legacy_fabs=0, legacy_fneg=0)",
            "32x4 %9 = vec4 %3, %8.y, %2.z, %2.w",
        ),
        # What is accessed of the target is not known.
        (
            STORE.format(2, 1).replace("base=0", "base=1"),
            *("32 %6 = fadd %2.x, %2.y", "32x4 %9 = vec4 %3, %6, %2.z, %2.w"),
        ),
    ],
)
def test_channel_that_may_hold_something_else_takes_no_operand(lines: tuple[str, ...]) -> None:
    (impl,) = parse_body(STORED.replace("LINES", "\n".join(lines))).impls()
    assert "channel y is in use until the vector" in [
        reason for plan in plan_vectors(impl) for _, reason in plan.reasons
    ]


@pytest.mark.parametrize("operand", ["r1[1].x", "r0.y"])
def test_arrays_and_the_register_itself_keep_their_moves(operand: str) -> None:
    text = register_form("r1.x = fneg ssa_1.x", f"r0 = vec4 {operand}, ssa_1.x, ssa_1.y, ssa_3.x").source
    text = text.replace(b"decl_reg vec4 32 r1", b"decl_reg vec4 32 r1[2]").replace(b"r1.x =", b"r1[0].x =")
    (impl,) = parse_dump(text).impls()
    assert plan_vectors(impl) == []
