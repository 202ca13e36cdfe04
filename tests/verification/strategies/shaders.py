"""Pairs of vertex shaders for the tests of strategies, and comparisons of them."""

from __future__ import annotations

from nirls.ir.model.shader import Shader
from nirls.verification.compare.compared_places import ComparedPlaces
from nirls.verification.compare.subject import Subject
from nirls.verification.comparison import RunComparison
from nirls.verification.options import VerificationOptions
from tests.passes.shader_text import ZERO, store
from tests.verification.test_verify_shaders import INPUTS, vertex

__all__ = ["INPUTS", "comparison", "input_compared_with", "vertex"]


def input_compared_with(constant: int, value: int) -> Shader:
    """A shader whose output is 1, and `value` where its scrambled input equals a constant."""
    return vertex(
        ZERO,
        "32    %1 = @load_input (%0 (0x0)) (base=0, range=1, component=0, dest_type=uint32,"
        " io location=VERT_ATTRIB_POS slots=1)",
        f"32    %2 = load_const (0x{constant:08x})",
        f"32    %3 = load_const (0x{value:08x})",
        "32    %4 = load_const (0x00000001)",
        "32    %7 = load_const (0x5a5a1234)",
        "32    %8 = ixor %1, %7 (0x5a5a1234)",
        f"1     %5 = ieq %8, %2 (0x{constant:x})",
        f"32    %6 = bcsel %5, %3 (0x{value:x}), %4 (0x1)",
        store("VAR0", "%6"),
    )


def comparison(before: Shader, after: Shader, options: VerificationOptions | None = None) -> RunComparison:
    """Start a comparison of two shaders."""
    return RunComparison(
        Subject([before]), Subject([after]), options or VerificationOptions(), ComparedPlaces()
    )
