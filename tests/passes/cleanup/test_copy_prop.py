from __future__ import annotations

import pytest

from nirls.ir.text.parse import parse_dump
from nirls.passes.cleanup.copy_prop import copy_prop
from tests.passes.expectation import assert_becomes, assert_unchanged

HEAD = """
block b0:
32x4  %0 = @load_frag_coord
32    %1 = load_const (0x3f800000)
"""


def use(value: str) -> str:
    return f"@store_ssbo ({value}, %1, %1) (wrmask=x, access=none, align_mul=4, align_offset=0)"


def test_swizzles_compose() -> None:
    assert_becomes(
        copy_prop,
        f"{HEAD}\n32x3 %2 = mov %0.wyx\n32x2 %3 = fadd %2.zx, %0.xy\n{use('%3')}\nblock b1:",
        f"{HEAD}\n32x2 %3 = fadd %0.xw, %0.xy\n{use('%3')}\nblock b1:",
    )


def test_vector_of_one_value_is_read_through() -> None:
    assert_becomes(
        copy_prop,
        f"{HEAD}\n32x2 %2 = vec2 %0.w, %0.y\n32x2 %3 = fneg %2.yx\n{use('%3')}\nblock b1:",
        f"{HEAD}\n32x2 %3 = fneg %0.yw\n{use('%3')}\nblock b1:",
    )


def test_vector_of_several_values_is_read_through_by_component() -> None:
    assert_becomes(
        copy_prop,
        f"{HEAD}\n32x2 %2 = vec2 %0.w, %1\n32 %3 = fadd %2.x, %2.y\n32x2 %4 = fneg %2\n{use('%3')}\n"
        f"{use('%4')}\nblock b1:",
        f"{HEAD}\n32x2 %2 = vec2 %0.w, %1\n32 %3 = fadd %0.w, %1\n32x2 %4 = fneg %2\n{use('%3')}\n"
        f"{use('%4')}\nblock b1:",
    )


def test_move_of_parts_of_a_vector_becomes_a_vector() -> None:
    assert_becomes(
        copy_prop,
        f"{HEAD}\n32x3 %2 = vec3 %0.w, %1, %0.x\n32x2 %3 = mov %2.yx\n{use('%3')}\nblock b1:",
        f"{HEAD}\n32x2 %3 = vec2 %1, %0.w\n{use('%3')}\nblock b1:",
    )


def test_a_copy_that_must_stay_does_not_end_the_pass() -> None:
    assert_becomes(
        copy_prop,
        f"{HEAD}\n32x2 %2 = vec2 %0.w, %1\n32x2 %4 = fneg %2\n32 %5 = mov %0.w\n32 %6 = fneg %5\n"
        f"{use('%4')}\n{use('%6')}\nblock b1:",
        f"{HEAD}\n32x2 %2 = vec2 %0.w, %1\n32x2 %4 = fneg %2\n32 %6 = fneg %0.w\n"
        f"{use('%4')}\n{use('%6')}\nblock b1:",
    )


def test_other_readers_see_whole_values_only() -> None:
    assert_becomes(
        copy_prop,
        f"{HEAD}\n32x4 %2 = mov %0\n{use('%2')}\nblock b1:",
        f"{HEAD}\n{use('%0')}\nblock b1:",
    )
    assert_becomes(
        copy_prop,
        f"{HEAD}\n32x4 %2 = vec4 %0.x, %0.y, %0.z, %0.w\n{use('%2')}\nblock b1:",
        f"{HEAD}\n{use('%0')}\nblock b1:",
    )
    assert_unchanged(copy_prop, f"{HEAD}\n32x3 %2 = mov %0.xyz\n{use('%2')}\nblock b1:")
    assert_unchanged(copy_prop, f"{HEAD}\n32x4 %2 = mov %0.xywz\n{use('%2')}\nblock b1:")


@pytest.mark.sweep
def test_chain_of_copies() -> None:
    chain = "\n".join(f"32 %{number} = mov %{number - 1}" for number in range(2, 4000))
    assert_becomes(
        copy_prop, f"{HEAD}\n{chain}\n{use('%3999')}\nblock b1:", f"{HEAD}\n{use('%1')}\nblock b1:"
    )


def test_conditions_and_phis_read_through() -> None:
    assert_becomes(
        copy_prop,
        f"""
        {HEAD}
        1 %2 = @load_front_face
        1 %3 = mov %2
        32 %4 = mov %1
        if %3 {{
            block b1:
        }} else {{
            block b2:
            32 %5 = fneg %1
        }}
        block b3:
        32 %6 = phi b1: %4, b2: %5
        {use("%6")}
        block b4:
        """,
        f"""
        {HEAD}
        1 %2 = @load_front_face
        if %2 {{
            block b1:
        }} else {{
            block b2:
            32 %5 = fneg %1
        }}
        block b3:
        32 %6 = phi b1: %1, b2: %5
        {use("%6")}
        block b4:
        """,
    )


OLD = """shader: MESA_SHADER_FRAGMENT
decl_function main (0 params)

impl main {
	decl_reg vec4 32 r0
	block block_0:
	/* preds: */
	vec4 32 ssa_0 = intrinsic load_frag_coord () ()
	%s
	/* succs: block_1 */
	block block_1:
}
"""


def after_copy_prop(*lines: str) -> tuple[bool, list[str]]:
    shader = parse_dump((OLD % "\n\t".join(lines)).encode())
    assert not shader.unreadable
    progress = copy_prop(shader)
    (impl,) = shader.impls()
    return progress, [getattr(instr, "op", instr.kind) for instr in impl.instrs()]


def test_modifiers_of_old_dialects() -> None:
    use_2 = "r0 = fadd ssa_1, ssa_1"
    # A copy with a modifier is no copy, and neither is one that saturates.
    assert after_copy_prop("vec4 32 ssa_1 = mov -ssa_0", use_2) == (False, ["intrinsic", "mov", "fadd"])
    assert after_copy_prop("vec4 32 ssa_1 = mov abs(ssa_0)", use_2) == (False, ["intrinsic", "mov", "fadd"])
    assert after_copy_prop("vec4 32 ssa_1 = mov.sat ssa_0", use_2) == (False, ["intrinsic", "mov", "fadd"])
    assert after_copy_prop("vec4 32 ssa_1 = imov ssa_0", use_2) == (True, ["intrinsic", "fadd"])


def test_registers_are_not_copied_through() -> None:
    """Another value may be in the register by the time it is read."""
    lines = ["r0 = mov ssa_0", "vec4 32 ssa_1 = mov r0", "r0 = fadd ssa_1, ssa_1", "r0 = fneg ssa_1"]
    assert after_copy_prop(*lines) == (False, ["intrinsic", "mov", "mov", "fadd", "fneg"])
