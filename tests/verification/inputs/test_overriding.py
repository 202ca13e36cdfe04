"""Values that are set on both sides alike, where no input gives a comparison the outcome."""

from __future__ import annotations

from nirls.ir.model.shader import Shader
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
