from __future__ import annotations

import pytest

from nirls.ir.text.parse import parse_dump
from nirls.passes.cleanup.lower_alu_to_scalar import LowerAluToScalar, lower_alu_to_scalar
from tests.passes.expectation import assert_becomes, assert_unchanged, parse_body

HEAD = """
block b0:
32x4  %0 = @load_frag_coord
32    %1 = load_const (0x00000000)
"""


def use(value: str) -> str:
    return f"@store_ssbo ({value}, %1, %1) (wrmask=x, access=none, align_mul=4, align_offset=0)"


def body(*lines: str, value: str = "%9") -> str:
    return "\n".join([HEAD, *lines, use(value), "block b1:"])


def test_by_component() -> None:
    assert_becomes(
        lower_alu_to_scalar,
        body("32x3 %9 = ffma! %0.xyz, %0.www, %0.zyx"),
        body(
            "32 %2 = ffma! %0.x, %0.w, %0.z",
            "32 %3 = ffma! %0.y, %0.w, %0.y",
            "32 %4 = ffma! %0.z, %0.w, %0.x",
            "32x3 %9 = vec3! %2, %3, %4",
        ),
    )


def test_two_components_are_enough() -> None:
    assert_becomes(
        lower_alu_to_scalar,
        body("32x2 %9 = fneg %0.xw"),
        body("32 %2 = fneg %0.x", "32 %3 = fneg %0.w", "32x2 %9 = vec2 %2, %3"),
    )


def test_dot_product_starts_with_the_last_component() -> None:
    assert_becomes(
        lower_alu_to_scalar,
        body("32 %9 = fdot3 %0.xyz, %0.wzy"),
        body("32 %2 = fmul %0.z, %0.y", "32 %3 = ffma %0.y, %0.z, %2", "32 %9 = ffma %0.x, %0.w, %3"),
    )


def test_exact_dot_product_keeps_its_order() -> None:
    assert_becomes(
        lower_alu_to_scalar,
        body("32 %9 = fdot2! %0.xy, %0.wz"),
        body("32 %2 = fmul! %0.x, %0.w", "32 %9 = ffma! %0.y, %0.z, %2"),
    )


def test_driver_without_fused_multiply_add() -> None:
    assert_becomes(
        lambda shader: lower_alu_to_scalar(shader, lower_ffma=True),
        body("32 %9 = fdot2 %0.xy, %0.wz"),
        body("32 %2 = fmul %0.y, %0.z", "32 %3 = fmul %0.x, %0.w", "32 %9 = fadd %2, %3"),
    )
    shader = parse_body(body("32 %9 = fdot2 %0.xy, %0.wz"))
    assert LowerAluToScalar(lower_ffma=True).run([shader]) == [shader]
    assert not any(getattr(one, "op", "") == "ffma" for impl in shader.impls() for one in impl.instrs())


def test_homogeneous_dot_product() -> None:
    assert_becomes(
        lower_alu_to_scalar,
        body("32 %9 = fdph %0.xyz, %0.wzyx"),
        body(
            "32 %2 = ffma %0.z, %0.y, %0.x",
            "32 %3 = ffma %0.y, %0.z, %2",
            "32 %9 = ffma %0.x, %0.w, %3",
        ),
    )
    assert_becomes(
        lower_alu_to_scalar,
        body("32 %9 = fdph! %0.xyz, %0.wzyx"),
        body(
            "32 %2 = fmul! %0.x, %0.w",
            "32 %3 = ffma! %0.y, %0.z, %2",
            "32 %4 = ffma! %0.z, %0.y, %3",
            "32 %9 = fadd! %4, %0.x",
        ),
    )


@pytest.mark.parametrize(
    ("op", "test", "merge"), [("ball_fequal3", "feq", "iand"), ("bany_inequal3", "ine", "ior")]
)
def test_reductions(op: str, test: str, merge: str) -> None:
    end = "@terminate_if (%9)\nblock b1:"
    assert_becomes(
        lower_alu_to_scalar,
        f"{HEAD}\n1 %9 = {op} %0.xyz, %0.wzy\n{end}",
        f"{HEAD}\n1 %2 = {test} %0.z, %0.y\n1 %3 = {test} %0.y, %0.z\n1 %4 = {merge} %2, %3\n"
        f"1 %5 = {test} %0.x, %0.w\n1 %9 = {merge} %4, %5\n{end}",
    )


def test_scalars_and_vectors_stay() -> None:
    assert_unchanged(lower_alu_to_scalar, body("32 %2 = fneg %0.x", "32x2 %9 = vec2 %2, %0.y"))
    assert_unchanged(lower_alu_to_scalar, body("32x4 %9 = unpack_unorm_4x8 %0.x"))


def test_registers_stay() -> None:
    shader = parse_dump(
        b"""shader: MESA_SHADER_FRAGMENT
decl_function main (0 params)

impl main {
	decl_reg vec4 32 r0
	block block_0:
	/* preds: */
	vec4 32 ssa_0 = intrinsic load_frag_coord () ()
	r0 = fneg ssa_0
	vec4 32 ssa_1 = fneg r0
	vec2 32 ssa_2 = fadd -ssa_0.xy, abs(ssa_0.zw)
	/* succs: block_1 */
	block block_1:
}
"""
    )
    assert lower_alu_to_scalar(shader)
    (impl,) = shader.impls()
    assert [getattr(one, "op", one.kind) for one in impl.instrs()] == [
        "intrinsic",
        "fneg",
        "fneg",
        "fadd",
        "fadd",
        "vec2",
    ]
    halves = [one for one in impl.instrs() if getattr(one, "op", "") == "fadd"]
    assert [[(src.negate, src.abs) for src in one.srcs()] for one in halves] == [  # type: ignore[attr-defined]
        [(True, False), (False, True)]
    ] * 2
