"""A constant that is folded wrongly makes a verdict unchecked, however little it matters to the outputs."""

from __future__ import annotations

import pytest

from nirls.ir.model.shader import Shader
from nirls.verification.compare.changed_constants import changed_constant
from nirls.verification.verdict import Equivalent, Unchecked
from nirls.verification.verify_shaders import verify_shaders
from tests.passes.shader_text import ONE, ZERO, shader, store

INPUT = (
    "32x2 %2 = @load_input (%0) (base=0, range=1, component=0, dest_type=float32,"
    " io location=VERT_ATTRIB_GENERIC0 slots=1)"
)
NEGATED = ("32x2 %3 = vec2 %1, %0", "32x2 %4 = fneg %3")
RIGHT = ("32x2 %4 = load_const (0xbf800000, 0x80000000)",)
WRONG = ("32x2 %4 = load_const (0xbf800000, 0xbf800000)",)
HIDDEN = (
    "32x2 %5 = fadd %2, %4",
    "32 %6 = load_const (0x0da24260 = 1e-30)",
    "32 %10 = fsin %5.y",
    "32 %7 = fmul %10, %6",
    "32 %8 = load_const (0x42280000 = 42.0)",
    "32 %9 = fadd %7, %8",
)


def hidden(*constant: str) -> Shader:
    """Add a constant to the input, and make so little of it that only few inputs show it."""
    return shader("VERTEX", ZERO, ONE, INPUT, *constant, *HIDDEN, store("VAR0", "%9"))


def test_a_constant_that_is_folded_wrongly_is_unchecked() -> None:
    verdict = verify_shaders(hidden(*NEGATED), hidden(*WRONG))
    assert isinstance(verdict, Unchecked)
    assert verdict.reason == "fadd reads -1, -0 before and -1, -1 after; its other operands are the same"
    assert isinstance(verify_shaders(hidden(*NEGATED), hidden(*RIGHT)), Equivalent)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        # The sign of a zero.
        (("32 %4 = fneg %0", "32 %5 = fadd %2.x, %4"), ("32 %5 = fadd %2.x, %0",)),
        # Another operand is another value, too.
        (
            ("32 %4 = fadd %2.x, %1", "32 %5 = fadd %4, %1"),
            ("32 %4 = load_const (0x40000000)", "32 %5 = fadd %2.x, %4"),
        ),
        # Counts of bits have more than one form.
        (
            ("32 %4 = load_const (0x00000021)", "32 %5 = ishl %2.x, %4"),
            ("32 %4 = load_const (0x00000001)", "32 %5 = ishl %2.x, %4"),
        ),
    ],
)
def test_what_is_right_is_not_found(before: tuple[str, ...], after: tuple[str, ...]) -> None:
    one, other = (
        shader("VERTEX", ZERO, ONE, INPUT, *lines, store("VAR0", "%5")) for lines in (before, after)
    )
    assert changed_constant(one, other) is None
