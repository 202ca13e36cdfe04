"""Values that are set on both sides alike, where no input gives a comparison the outcome."""

from __future__ import annotations

from nirls.ir.model.shader import Shader
from nirls.ir.text.parse import parse_dump
from nirls.verification.verdict import Different, Equivalent, Unchecked
from nirls.verification.verify_shaders import verify_shaders
from tests.passes.shader_text import ONE, ZERO, load, shader, store


def compared(comparison: str, chosen: str = "bcsel %6, %0, %1") -> Shader:
    """A vertex shader with a comparison of two computed floats."""
    return shader(
        "VERTEX",
        ZERO,
        ONE,
        load(2, "POS").replace("VARYING_SLOT", "VERT_ATTRIB"),
        load(3, "GENERIC0").replace("VARYING_SLOT", "VERT_ATTRIB"),
        "32 %4 = ffma %2, %2, %2",
        "32 %5 = ffma %3, %3, %3",
        comparison,
        f"32 %7 = {chosen}",
        store("VAR0", "%7"),
    )


def test_equality_of_computed_floats_needs_no_override_if_only_the_comparison_changed() -> None:
    before = compared("1 %6 = flt! %4, %5")
    same = verify_shaders(before, compared("1 %6 = flt! %4, %5"))
    assert isinstance(same, Equivalent)
    assert isinstance(verify_shaders(before, compared("1 %6 = fge! %5, %4")), Different)


def test_each_component_of_a_vector_is_compared() -> None:
    vectors = "32x2 %20 = vec2 %1, %4\n    32x2 %21 = vec2 %0, %5\n    "
    before, after = (
        compared(vectors + comparison, "bcsel %6.y, %0, %1")
        for comparison in ("1x2 %6 = flt! %20, %21", "1x2 %6 = fge! %21, %20")
    )
    same = verify_shaders(before, before)
    assert isinstance(same, Equivalent)
    assert same.tried is not None
    # The first component compares constants: it is always greater.
    assert same.tried.all_sides == 0
    assert isinstance(verify_shaders(before, after), Different)


def branching(then: str) -> Shader:
    """A vertex shader with a branch that no input takes."""
    return shader(
        "VERTEX",
        ZERO,
        ONE,
        load(2, "POS").replace("VARYING_SLOT", "VERT_ATTRIB"),
        "32 %3 = fabs %2",
        "1  %4 = flt! %3, %0",
        *("// succs: b2 b3", "if %4 {", "block b2:  // preds: b0", store("VAR0", then)),
        *("} else {", "block b3:  // preds: b0", store("VAR0", "%2"), "}", "block b4:  // preds: b2 b3"),
    )


def test_a_branch_that_no_input_takes_is_overridden() -> None:
    same = verify_shaders(branching("%1"), branching("%1"))
    assert isinstance(same, Equivalent)
    changed = verify_shaders(branching("%1"), branching("%0"))
    assert isinstance(changed, Unchecked)
    assert "differs only where a value is overridden" in changed.reason


COUNTING = """\
shader: MESA_SHADER_VERTEX
inputs: 1
outputs: 1
uniforms: 0
shared: 0
decl_var shader_in INTERP_MODE_NONE int a (VERT_ATTRIB_GENERIC0.x, 0, 0)
decl_var shader_out INTERP_MODE_NONE float o (VARYING_SLOT_VAR0.x, 0, 0)
decl_function main (0 params)

impl main {
	block block_0:
	/* preds: */
	vec1 32 ssa_0 = load_const (0x00000000 = 0.000000)
	vec1 32 ssa_1 = load_const (0x00000001 = 0.000000)
	vec1 32 ssa_2 = load_const (0x00000004 = 0.000000)
	vec1 32 ssa_3 = load_const (0x00000007 = 0.000000)
	vec1 32 ssa_4 = intrinsic load_input (ssa_0) (base=0, dest_type=int32, io location=16 slots=1)
	vec1 32 ssa_14 = iand ssa_4, ssa_3
	vec1 32 ssa_15 = load_const (0xfffffffd = -nan)
	vec1 32 ssa_5 = iadd ssa_14, ssa_15
	/* succs: block_1 */
	loop {
		block block_1:
		/* preds: block_0 block_4 */
		vec1 32 ssa_6 = phi block_0: ssa_0, block_4: ssa_11
		vec1 32 ssa_7 = phi block_0: ssa_0, block_4: ssa_10
		vec1 32 ssa_8 = ige32 ssa_6, ssa_5
		/* succs: block_2 block_3 */
		if ssa_8 {
			block block_2:
			/* preds: block_1 */
			break
			/* succs: block_5 */
		} else {
			block block_3:
			/* preds: block_1 */
			/* succs: block_4 */
		}
		block block_4:
		/* preds: block_3 */
		vec1 32 ssa_9 = ult32 ssa_1, ssa_6
		vec1 32 ssa_12 = iand ssa_9, ssa_1
		vec1 32 ssa_10 = iadd ssa_7, ssa_12
		vec1 32 ssa_11 = iadd ssa_6, ssa_1
		/* succs: block_1 */
	}
	block block_5:
	/* preds: block_2 */
	vec1 32 ssa_13 = u2f32 ssa_7
	intrinsic store_output (ssa_13, ssa_0) (base=0, wrmask=x, src_type=float32, io location=32 slots=1)
	/* succs: block_6 */
	block block_6:
}
"""
"""A vertex shader that counts rounds of a loop in phis, in a dialect with registers as operands."""


def test_an_operand_that_only_one_side_has_is_not_overridden() -> None:
    in_registers = COUNTING
    for old, new in (
        ("impl main {\n", "impl main {\n\tdecl_reg vec1 32 r0\n\tdecl_reg vec1 32 r1\n"),
        ("\t\tvec1 32 ssa_6 = phi block_0: ssa_0, block_4: ssa_11\n", ""),
        ("\t\tvec1 32 ssa_7 = phi block_0: ssa_0, block_4: ssa_10\n", ""),
        (
            "\t/* succs: block_1 */\n\tloop",
            "\tr0 = mov ssa_0\n\tr1 = mov ssa_0\n\t/* succs: block_1 */\n\tloop",
        ),
        *(
            ("ige32 ssa_6", "ige32 r0"),
            ("ult32 ssa_1, ssa_6", "ult32 ssa_1, r0"),
            ("u2f32 ssa_7", "u2f32 r1"),
        ),
        *(("vec1 32 ssa_10 = iadd ssa_7", "r1 = iadd r1"), ("vec1 32 ssa_11 = iadd ssa_6", "r0 = iadd r0")),
    ):
        assert old in in_registers
        in_registers = in_registers.replace(old, new)
    before, after = (parse_dump(text.encode()) for text in (COUNTING, in_registers))
    assert not before.unreadable
    assert not after.unreadable
    assert isinstance(verify_shaders(before, after), Equivalent)
