from __future__ import annotations

import pytest

from nirls.ir.model.instructions import LoadConstInstr
from nirls.ir.text.parse import parse_dump
from nirls.passes.cleanup.opt_constant_folding import opt_constant_folding
from tests.passes.expectation import assert_becomes, assert_unchanged, parse_body

HEAD = """
block b0:
32    %0 = load_const (0x3f800000)
32    %1 = load_const (0x00000003)
1     %2 = load_const (true)
1     %3 = load_const (false)
32    %4 = @load_sample_mask_in
32x2  %5 = load_const (0x40000000, 0x40400000)
1     %6 = @load_front_face
"""


def use(value: str) -> str:
    return f"@store_ssbo ({value}, %1, %1) (wrmask=x, access=none, align_mul=4, align_offset=0)"


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("32 %9 = iadd %1, %1", "32 %9 = load_const (0x00000006)"),
        ("32 %9 = fadd %0, %5.y", "32 %9 = load_const (0x40800000)"),
        ("32x2 %9 = fmul %5.yx, %5", "32x2 %9 = load_const (0x40c00000, 0x40c00000)"),
        ("32x2 %9 = mov %5.yx", "32x2 %9 = load_const (0x40400000, 0x40000000)"),
        ("32x3 %9 = vec3 %5.y, %0, %1", "32x3 %9 = load_const (0x40400000, 0x3f800000, 0x00000003)"),
        ("1 %9 = ilt %1, %1", "1 %9 = load_const (false)"),
        ("32 %9 = b2f32 %2", "32 %9 = load_const (0x3f800000)"),
        ("32 %9 = fdot2 %5, %5", "32 %9 = load_const (0x41500000)"),
        ("64 %9 = i2i64 %1", "64 %9 = load_const (0x0000000000000003)"),
        ("32 %9 = bcsel %2, %4, %0", "32 %9 = mov %4"),
        ("32 %9 = bcsel %3, %4, %0", "32 %9 = load_const (0x3f800000)"),
        ("1 %9 = @vote_any (%2)", "1 %9 = load_const (true)"),
        ("32 %9 = @read_first_invocation (%0)", "32 %9 = load_const (0x3f800000)"),
        ("1 %9 = @vote_ieq (%1)", "1 %9 = load_const (true)"),
        ("32 %9 = @vote_ieq (%1)", "32 %9 = load_const (0xffffffff)"),
        ("32x4 %9 = @ballot (%3)", "32x4 %9 = load_const (0, 0, 0, 0)"),
        ("32 %9 = @ddx (%0)", "32 %9 = load_const (0x00000000)"),
        (
            "32 %9 = @reduce (%1) (reduction_op=umax, cluster_size=0)",
            "32 %9 = load_const (0x00000003)",
        ),
    ],
)
def test_folds(line: str, expected: str) -> None:
    reader = "1 %10 = iand %9, %6" if line.startswith("1 ") else use("%9")
    assert_becomes(
        opt_constant_folding,
        f"{HEAD}\n{line}\n{reader}\nblock b1:",
        f"{HEAD}\n{expected}\n{reader}\nblock b1:",
    )


@pytest.mark.parametrize(
    "line",
    [
        "32 %9 = iadd %1, %4",
        "32x2 %9 = vec2 %4, %1",
        "32 %9 = iand %4, %1",
        "32 %9 = @reduce (%1) (reduction_op=iadd, cluster_size=0)",
        "32x4 %9 = @ballot (%2)",
        "32 %9 = @load_ubo (%1, %1) (access=none, align_mul=4, align_offset=0, range_base=0, range=4)",
        "32 %9 = undefined",
    ],
)
def test_does_not_fold(line: str) -> None:
    assert_unchanged(opt_constant_folding, f"{HEAD}\n{line}\n{use('%9')}\nblock b1:")


def test_nan_differs_from_itself_in_a_vote() -> None:
    vote = "block b0:\n32 %1 = load_const (0x7fc00000)\n1 %2 = @vote_{} (%1)\nblock b1:"
    assert_unchanged(opt_constant_folding, vote.format("feq"))
    assert_becomes(
        opt_constant_folding,
        vote.format("ieq"),
        vote.format("ieq").replace("@vote_ieq (%1)", "load_const (true)"),
    )


@pytest.mark.parametrize("kind", ["terminate", "demote"])
def test_conditional_discards(kind: str) -> None:
    assert_becomes(
        opt_constant_folding,
        f"{HEAD}\n@{kind}_if (%2)\n{use('%4')}\nblock b1:",
        f"{HEAD}\n@{kind}\n{use('%4')}\nblock b1:",
    )
    assert_becomes(
        opt_constant_folding,
        f"{HEAD}\n@{kind}_if (%3)\n{use('%4')}\nblock b1:",
        f"{HEAD}\n{use('%4')}\nblock b1:",
    )


def test_selection_by_component() -> None:
    assert_becomes(
        opt_constant_folding,
        f"{HEAD}\n1x2 %8 = load_const (true, false)\n32x2 %7 = bcsel %8, %4.xx, %5\n{use('%7')}\nblock b1:",
        f"{HEAD}\n1x2 %8 = load_const (true, false)\n32x2 %7 = vec2 %4, %5.y\n{use('%7')}\nblock b1:",
    )


def test_bias_of_zero() -> None:
    texture = """
        32x2 %10 = vec2 %4, %4
        32 %7 = load_const ({bias})
        32 %8 = deref_var &t (uniform sampler2D)
        32x4 %9 = (float32){op} %8 (texture_deref), %8 (sampler_deref), %10 (coord){more}
        {use}
        block b1:
    """
    declarations = "decl_var uniform INTERP_MODE_NONE none sampler2D t (0, 0, 0)"

    def body(bias: str, op: str, more: str) -> str:
        return f"{HEAD}\n{texture.format(bias=bias, op=op, more=more, use=use('%9'))}"

    for zero in ("0x00000000", "0x80000000"):
        assert_becomes(
            opt_constant_folding,
            body(zero, "txb", ", %7 (bias)"),
            body(zero, "tex", ""),
            declarations=declarations,
        )
    assert_unchanged(
        opt_constant_folding, body("0x3f800000", "txb", ", %7 (bias)"), declarations=declarations
    )


def test_modifiers_and_saturation_of_old_dialects() -> None:
    shader = parse_dump(
        b"""shader: MESA_SHADER_FRAGMENT
decl_function main (0 params)

impl main {
	decl_reg vec1 32 r0
	block block_0:
	/* preds: */
	vec1 32 ssa_0 = load_const (0xc0000000 /* -2.000000 */)
	vec1 32 ssa_1 = load_const (0x00000005 /* 0.000000 */)
	vec1 32 ssa_2 = fadd abs(ssa_0), -ssa_0
	vec1 32 ssa_3 = fmul.sat ssa_2, ssa_2
	vec1 32 ssa_4 = iadd -ssa_1, ssa_1
	vec1 32 ssa_5 = fadd -abs(ssa_0), r0
	r0 = fneg ssa_0
	/* succs: block_1 */
	block block_1:
}
"""
    )
    assert opt_constant_folding(shader)
    (impl,) = shader.impls()
    folded = {
        instr.def_.index: instr.values
        for instr in impl.instrs()
        if isinstance(instr, LoadConstInstr) and instr.def_ is not None
    }
    assert folded == {0: (0xC0000000,), 1: (5,), 2: (0x40800000,), 3: (0x3F800000,), 4: (0,)}


def test_sizes_that_do_not_fit_are_left_alone() -> None:
    shader = parse_body(f"{HEAD}\n16 %9 = iadd %1, %1\n32 %10 = no_such_op %1\nblock b1:", valid=False)
    assert not opt_constant_folding(shader)


@pytest.mark.parametrize(
    ("mode", "folds"), [("0x00000002", True), ("0x00002000", False), ("0x00100000", False)]
)
def test_what_the_driver_computes_otherwise_is_left_to_it(mode: str, folds: bool) -> None:
    """2^-149 + 2^-149 is denormal: kept, flushed to zero, or rounded who knows how."""
    body = """
    block b0:
    32 %0 = load_const (0x00000001)
    32 %1 = fadd %0, %0
    block b1:
    """
    shader = parse_body(body, declarations=f"float_controls_execution_mode: {mode}")
    assert opt_constant_folding(shader) is folds


@pytest.mark.parametrize(("mode", "folds"), [("0x00000002", True), ("0x00002000", False)])
def test_a_comparison_with_a_flushed_denormal_is_left_to_the_driver(mode: str, folds: bool) -> None:
    body = """
    block b0:
    32 %0 = load_const (0x00000001)
    32 %1 = load_const (0x00000000)
    1 %2 = flt %1, %0
    block b1:
    """
    shader = parse_body(body, declarations=f"float_controls_execution_mode: {mode}")
    assert opt_constant_folding(shader) is folds
