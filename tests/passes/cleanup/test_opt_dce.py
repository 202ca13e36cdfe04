from __future__ import annotations

from nirls.ir.text.parse import parse_dump
from nirls.passes.cleanup.opt_dce import dead_instrs, opt_dce
from tests.passes.expectation import assert_becomes, assert_unchanged, parse_body

USE = "@store_ssbo (%0, %0, %0) (wrmask=x, access=none, align_mul=4, align_offset=0)"


def test_dead_chain_goes() -> None:
    assert_becomes(
        opt_dce,
        f"""
        block b0:
        32 %0 = load_const (0x00000000)
        32 %1 = load_const (0x00000001)
        32 %2 = iadd %0, %1
        32x2 %3 = vec2 %2, %1
        {USE}
        block b1:
        """,
        f"block b0:\n32 %0 = load_const (0x00000000)\n{USE}\nblock b1:",
    )


def test_effects_stay() -> None:
    assert_unchanged(
        opt_dce,
        """
        block b0:
        1 %0 = @load_front_face
        32 %1 = load_const (0x00000000)
        32 %2 = @ssbo_atomic (%1, %1, %1) (access=none, atomic_op=iadd)
        32 %3 = @load_ssbo (%1, %1) (access=volatile, align_mul=4, align_offset=0)
        @terminate_if (%0)
        block b1:
        """,
    )


def test_loads_and_textures_without_a_reader_go() -> None:
    assert_becomes(
        opt_dce,
        """
        block b0:
        32 %0 = load_const (0x00000000)
        32 %1 = deref_var &t (uniform sampler2D)
        32x2 %2 = vec2 %0, %0
        32x4 %3 = (float32)tex %1 (texture_deref), %1 (sampler_deref), %2 (coord)
        32 %4 = @load_ssbo (%0, %0) (access=none, align_mul=4, align_offset=0)
        32 %5 = undefined
        block b1:
        """,
        "block b0:\nblock b1:",
        declarations="decl_var uniform INTERP_MODE_NONE none sampler2D t (0, 0, 0)",
    )


def test_phis_that_only_feed_each_other_go() -> None:
    loop = """
        block b0:
        32 %0 = load_const (0x00000000)
        1 %1 = @load_front_face
        loop {{
            block b1:
            {phis}
            if %1 {{
                block b2:
                break
            }} else {{
                block b3:
            }}
            block b4:
            {sums}
        }}
        block b5:
        block b6:
        """
    assert_becomes(
        opt_dce,
        loop.format(
            phis="32 %2 = phi b0: %0, b4: %5\n            32 %3 = phi b0: %0, b4: %4",
            sums="32 %4 = iadd %2, %0\n            32 %5 = iadd %3, %0",
        ),
        loop.format(phis="", sums="").replace("32 %0 = load_const (0x00000000)", ""),
    )


def test_conditions_keep_what_they_need() -> None:
    assert_unchanged(
        opt_dce,
        """
        block b0:
        1 %0 = @load_front_face
        1 %1 = inot %0
        if %1 {
            block b1:
        } else {
            block b2:
        }
        block b3:
        block b4:
        """,
    )


def test_registers_are_left_alone() -> None:
    shader = parse_dump(
        b"""shader: MESA_SHADER_FRAGMENT
decl_function main (0 params)

impl main {
	decl_reg vec4 32 r0
	block block_0:
	/* preds: */
	vec4 32 ssa_0 = intrinsic load_frag_coord () ()
	r0 = mov ssa_0
	vec4 32 ssa_1 = fneg r0
	/* succs: block_1 */
	block block_1:
}
"""
    )
    (impl,) = shader.impls()
    assert [instr.def_.index for instr in dead_instrs(impl) if instr.def_ is not None] == [1]
    assert opt_dce(shader)
    assert [instr.kind for instr in impl.instrs()] == ["intrinsic", "alu"]


def test_long_chain() -> None:
    lines = ["block b0:", "32 %0 = load_const (0x00000000)"]
    lines += [f"32 %{number} = fadd %{number - 1}, %{number - 1}" for number in range(1, 10_000)]
    shader = parse_body("\n".join([*lines, "block b1:"]))
    assert opt_dce(shader)
    assert not list(next(iter(shader.impls())).instrs())
