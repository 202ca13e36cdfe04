"""Faults that passes have had, on shaders small enough to be read, must not pass as equivalent."""

from __future__ import annotations

import pytest

from nirls.ir.model.shader import Shader
from nirls.passes.translation_validation import Equivalent, validate_pass
from tests.passes.shader_text import ZERO, shader, store

INPUT = (
    "32 %1 = @load_input (%0) (base=0, range=1, component=0, dest_type=float32,"
    " io location=VERT_ATTRIB_GENERIC0 slots=1)"
)
OTHER = INPUT.replace("%1 =", "%2 =").replace("GENERIC0", "GENERIC1")
ONE = "32 %3 = load_const (0x3f800000)"
LARGEST = "32 %4 = load_const (0x7f7fffff)"
INFINITY = "32 %4 = load_const (0x7f800000)"


def computed(*lines: str) -> Shader:
    """A vertex shader that stores %9."""
    return shader("VERTEX", ZERO, INPUT, OTHER, ONE, *lines, store("VAR0", "%9"))


FAULTS = {
    "flt to inot fge": (
        ("1 %5 = flt! %1, %2", "32 %9 = bcsel %5, %0, %3"),
        ("1 %6 = fge! %1, %2", "1 %5 = inot %6", "32 %9 = bcsel %5, %0, %3"),
    ),
    "less to less or equal on computed floats": (
        ("32 %7 = fadd! %1, %3", "32 %8 = fmul! %2, %3", "1 %5 = flt! %7, %8", "32 %9 = bcsel %5, %0, %3"),
        ("32 %7 = fadd! %1, %3", "32 %8 = fmul! %2, %3", "1 %5 = fge! %8, %7", "32 %9 = bcsel %5, %0, %3"),
    ),
    "infinity to the largest float": (
        (INFINITY, "32 %9 = fmin! %1, %4"),
        (LARGEST, "32 %9 = fmin! %1, %4"),
    ),
    "minus zero to zero": (("32 %9 = mov %1",), ("32 %9 = fadd! %1, %0",)),
    "denormals flushed": (
        ("32 %9 = mov %1",),
        (
            "32 %4 = load_const (0x00800000)",
            "32 %5 = fabs %1",
            "1 %6 = flt! %5, %4",
            "32 %9 = bcsel %6, %0, %1",
        ),
    ),
    "a distance becomes zero": (
        ("32 %5 = fmul %1, %1", "32 %6 = ffma %2, %2, %5", "32 %9 = fsqrt %6"),
        ("32 %9 = mov %0",),
    ),
    "a special case that only the result has": (
        ("32 %9 = mov %1",),
        ("32 %4 = load_const (0x449a5000)", "1 %5 = feq! %1, %4", "32 %9 = bcsel %5, %0, %1"),
    ),
    "another limit of a clamp": (
        ("32 %4 = load_const (0x42c80000)", "32 %9 = fmin! %1, %4"),
        ("32 %4 = load_const (0x42c80001)", "32 %9 = fmin! %1, %4"),
    ),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_fault_is_not_called_equivalent(fault: str) -> None:
    before, after = (computed(*lines) for lines in FAULTS[fault])
    assert isinstance(validate_pass(before, before), Equivalent)
    assert not isinstance(validate_pass(before, after), Equivalent)
