from __future__ import annotations

import pytest

from nirls.ir.model.instructions import AluInstr
from nirls.ir.text.parse import parse_dump
from nirls.passes.cleanup.opt_algebraic import drop_operands, opt_algebraic
from nirls.passes.cleanup.opt_dce import opt_dce
from tests.passes.expectation import assert_becomes, assert_unchanged, assert_valid, parse_body

HEAD = """
block b0:
32x4  %0 = @load_frag_coord
32    %1 = load_const (0x00000000)
32x2  %2 = load_const (0x00000000, 0x3f800000)
1     %3 = @load_front_face
1     %4 = load_const (true)
1     %5 = load_const (false)
"""


def use(value: str) -> str:
    return f"@store_ssbo ({value}, %1, %1) (wrmask=x, access=none, align_mul=4, align_offset=0)"


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ("32 %9 = iadd %0.y, %1", "32 %9 = mov %0.y"),
        ("32 %9 = iadd %1, %0.y", "32 %9 = mov %0.y"),
        ("32x2 %9 = fmul %0.wz, %2.yy", "32x2 %9 = mov %0.wz"),
        ("32 %9 = fadd %0.x, %1", "32 %9 = mov %0.x"),
        ("32 %9 = ixor %0.x, %0.x", "32 %9 = load_const (0x00000000)"),
        ("32 %9 = ffma %0.x, %2.y, %0.y", "32 %9 = fadd %0.x, %0.y"),
        ("32 %9 = bcsel %3, %0.x, %0.x", "32 %9 = mov %0.x"),
        ("32 %8 = fneg %0.x\n32 %9 = fneg %8", "32 %8 = fneg %0.x\n32 %9 = mov %0.x"),
        ("32x2 %8 = fneg %0.xy\n32 %9 = fneg %8.y", "32x2 %8 = fneg %0.xy\n32 %9 = mov %0.y"),
        (
            "32 %7 = fneg %0.x\n32 %8 = mov %7\n32 %9 = fneg %8",
            "32 %7 = fneg %0.x\n32 %8 = mov %7\n32 %9 = mov %0.x",
        ),
        (
            "32 %7 = ineg %0.x\n32 %8 = iadd %0.y, %0.x\n32 %9 = iadd %8, %7",
            "32 %7 = ineg %0.x\n32 %8 = iadd %0.y, %0.x\n32 %9 = mov %0.y",
        ),
    ],
)
def test_rewrites(lines: str, expected: str) -> None:
    assert_becomes(
        opt_algebraic,
        f"{HEAD}\n{lines}\n{use('%9')}\nblock b1:",
        f"{HEAD}\n{expected}\n{use('%9')}\nblock b1:",
    )


@pytest.mark.parametrize(
    "lines",
    [
        "32 %9 = fadd! %0.x, %1",  # -0.0 + 0.0 is 0.0
        "1 %8 = fneu %0.x, %0.x\n32 %9 = bcsel %8, %0.y, %0.x",  # asks whether %0.x is NaN
        "1 %7 = flt %0.x, %0.y\n1 %8 = inot %7\n32 %9 = b2i32 %8",  # true for NaN
        "32x2 %9 = fmul %0.xy, %2",  # not every component is multiplied by one
        "32 %9 = isub %0.x, %0.y",
        "1 %9 = feq! %0.x, %0.x",
        "32 %9 = bcsel %3, %0.x, %0.y",
        "32 %9 = fsat %0.x",
        "32 %9 = fabs %0.x",
    ],
)
def test_leaves_alone(lines: str) -> None:
    body = (
        f"{HEAD}\n{lines}\nblock b1:"
        if lines.startswith("1 ")
        else f"{HEAD}\n{lines}\n{use('%9')}\nblock b1:"
    )
    assert_unchanged(opt_algebraic, body)


def test_inner_exactness_counts() -> None:
    rule = "32 %7 = fneg{} %0.x\n32 %8 = fadd{} %0.x, %0.y\n32 %9 = fadd{} %7, %8"
    for marks in (("!", "", ""), ("", "!", ""), ("", "", "!")):
        assert_unchanged(opt_algebraic, f"{HEAD}\n{rule.format(*marks)}\n{use('%9')}\nblock b1:")
    assert_becomes(
        opt_algebraic,
        f"{HEAD}\n{rule.format('', '', '')}\n{use('%9')}\nblock b1:",
        f"{HEAD}\n32 %7 = fneg %0.x\n32 %8 = fadd %0.x, %0.y\n32 %9 = mov %0.y\n{use('%9')}\nblock b1:",
    )


def test_exactness_is_handed_on() -> None:
    assert_becomes(
        opt_algebraic,
        f"{HEAD}\n32 %9 = ffma! %0.x, %2.y, %0.y\n{use('%9')}\nblock b1:",
        f"{HEAD}\n32 %9 = fadd! %0.x, %0.y\n{use('%9')}\nblock b1:",
    )
    assert_becomes(
        opt_algebraic,
        f"{HEAD}\n1 %8 = feq! %0.x, %0.y\n1 %9 = inot %8\n@terminate_if (%9)\nblock b1:",
        f"{HEAD}\n1 %8 = feq! %0.x, %0.y\n1 %9 = fneu! %0.x, %0.y\n@terminate_if (%9)\nblock b1:",
    )


def test_replacement_of_several_operations() -> None:
    assert_becomes(
        opt_algebraic,
        f"{HEAD}\n1 %7 = inot %3\n1 %8 = @load_helper_invocation\n1 %9 = inot %8\n1 %10 = iand %7, %9\n"
        "@terminate_if (%10)\nblock b1:",
        f"{HEAD}\n1 %7 = inot %3\n1 %8 = @load_helper_invocation\n1 %9 = inot %8\n1 %11 = ior %3, %8\n"
        "1 %10 = inot %11\n@terminate_if (%10)\nblock b1:",
    )


def test_wide_constants_are_no_booleans() -> None:
    """All ones select like true, but the result is wider than the condition."""
    assert_unchanged(
        opt_algebraic,
        f"{HEAD}\n32 %7 = load_const (0xffffffff)\n32 %9 = bcsel %3, %7, %1\n{use('%9')}\nblock b1:",
    )
    assert_becomes(
        opt_algebraic,
        f"{HEAD}\n1 %9 = bcsel %3, %4, %5\n@terminate_if (%9)\nblock b1:",
        f"{HEAD}\n1 %9 = mov %3\n@terminate_if (%9)\nblock b1:",
    )


def test_modifiers_of_old_dialects_are_not_matched() -> None:
    shader = parse_dump(
        b"""shader: MESA_SHADER_FRAGMENT
decl_function main (0 params)

impl main {
	decl_reg vec1 32 r0
	block block_0:
	/* preds: */
	vec1 32 ssa_0 = intrinsic load_front_face () ()
	vec1 32 ssa_1 = load_const (0x3f800000 /* 1.000000 */)
	vec1 32 ssa_2 = fmul -ssa_0, ssa_1
	vec1 32 ssa_3 = fmul.sat ssa_0, ssa_1
	vec1 32 ssa_4 = fmul r0, ssa_1
	/* succs: block_1 */
	block block_1:
}
"""
    )
    assert not shader.unreadable
    assert not opt_algebraic(shader)


def test_long_chain_in_one_pass() -> None:
    lines = [f"32 %{number} = fneg %{number - 1}" for number in range(10, 5010)]
    shader = parse_body("\n".join([HEAD, "32 %9 = mov %0.x", *lines, use("%5009"), "block b1:"]))
    assert opt_algebraic(shader)
    assert_valid(shader)
    assert not opt_algebraic(shader)


def dropped(body: str, declarations: str = "") -> list[str]:
    shader = parse_body(body, declarations=declarations)
    drop_operands(shader)
    opt_dce(shader)
    return [instr.op for impl in shader.impls() for instr in impl.instrs() if isinstance(instr, AluInstr)]


DROPPED = """
block b0:
32 %0 = load_const (0x00000000 = 0.000000)
32 %1 = load_const (0x3f800000 = 1.000000)
32 %2 = @load_sample_mask_in
32 %3 = fmulFLAG %2, %0 (0.000000)
32 %4 = fmul %2, %1 (1.000000)
32 %5 = fadd %3, %4
@store_output (%5, %0 (0x0)) (base=0, range=1, wrmask=x, component=0, src_type=float32, io location=FRAG_RESULT_DATA0 slots=1, xfb(), xfb2())
block b1:
"""  # noqa: E501


@pytest.mark.parametrize(
    ("flag", "mode", "ops"),
    [
        # The product by 1 reads the same: it stays as it is.
        ("", "", ["fmul", "fadd"]),
        ("!", "", ["fmul", "fmul", "fadd"]),
        ("", "float_controls_execution_mode: 0x00000002", ["fmul", "fmul", "fadd"]),
        ("", "float_controls_execution_mode: 0x00000080", ["fmul", "fmul", "fadd"]),
        ("", "float_controls_execution_mode: 0x00002000", ["fmul", "fmul", "fadd"]),
    ],
)
def test_only_rules_that_drop_an_operand(flag: str, mode: str, ops: list[str]) -> None:
    assert dropped(DROPPED.replace("FLAG", flag), mode) == ops
