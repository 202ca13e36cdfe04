"""Conversions are tried at the limits of ranges and at ties of rounding."""

from __future__ import annotations

import numpy as np
import pytest

from nirls.ir.model.shader import Shader
from nirls.verification.inputs.constants import parts_of_largest
from nirls.verification.inputs.conversion_limits import conversion_limits
from nirls.verification.verdict import Different
from nirls.verification.verify_shaders import verify_shaders
from tests.passes.shader_text import ZERO, shader, store

FLOATS = "32x4 %1 = @load_input (%0 (0x0)) (base=0, range=1, component=0, dest_type=float32, io location=VERT_ATTRIB_GENERIC0 slots=1)"  # noqa: E501
DOUBLES = "64x2 %1 = @load_input (%0 (0x0)) (base=0, range=1, component=0, dest_type=float64, io location=VERT_ATTRIB_GENERIC0 slots=1)"  # noqa: E501


def vertex(inputs: str, *lines: str) -> Shader:
    return shader("VERTEX", ZERO, inputs, *lines, store("VAR0", "%9"))


def test_limits_of_what_only_one_side_converts() -> None:
    unsigned, signed, both = (
        vertex(FLOATS, *(f"32 %{9 - number} = {op} %1.x" for number, op in enumerate(ops)))
        for ops in (("f2u32",), ("f2i32",), ("f2i32", "f2u32"))
    )
    assert conversion_limits([unsigned], [unsigned]) == {}
    limits = conversion_limits([unsigned], [signed])
    numbers = np.array(limits[32], np.uint32).view(np.float32).tolist()
    assert {2.0**31, 3 * 2.0**30, -(2.0**31), float(2**31 - 128), float(2**32 - 256)} == set(numbers)
    assert conversion_limits([unsigned], [both]) == limits


def test_ties_between_two_floats_of_a_narrower_format() -> None:
    narrow = vertex(DOUBLES, "16 %8 = f2f16 %1.x", "32 %9 = f2f32 %8")
    twice = vertex(DOUBLES, "32 %7 = f2f32 %1.x", "16 %8 = f2f16 %7", "32 %9 = f2f32 %8")
    numbers = np.array(conversion_limits([narrow], [twice])[64], np.uint64).view(np.float64)
    tie = 1 + 2.0**-11
    assert {tie, np.nextafter(tie, 2.0), np.nextafter(tie, 0.0), 65520.0, 2.0**-25} <= set(numbers.tolist())


@pytest.mark.parametrize(
    ("inputs", "before", "after"),
    [
        (FLOATS, ["32 %9 = f2u32 %1.x"], ["32 %9 = f2i32 %1.x"]),
        (
            DOUBLES,
            ["16 %8 = f2f16_rtne %1.x", "32 %9 = f2f32 %8"],
            ["32 %7 = f2f32 %1.x", "16 %8 = f2f16_rtne %7", "32 %9 = f2f32 %8"],
        ),
    ],
    ids=["upper half of the unsigned range", "rounded twice"],
)
def test_a_wrong_conversion_is_different(inputs: str, before: list[str], after: list[str]) -> None:
    assert isinstance(verify_shaders(vertex(inputs, *before), vertex(inputs, *after)), Different)


def test_a_conversion_without_a_rounding_mode_may_round_twice() -> None:
    once = ["16 %8 = f2f16! %1.x", "32 %9 = f2f32! %8"]
    twice = ["32 %7 = f2f32! %1.x", "16 %8 = f2f16! %7", "32 %9 = f2f32! %8"]
    verdict = verify_shaders(*(vertex(DOUBLES, *lines) for lines in (once, twice)))
    assert not isinstance(verdict, Different)


@pytest.mark.parametrize("size", [1, 8, 16, 32, 64])
def test_parts_of_the_largest_integer_are_integers_of_that_size(size: int) -> None:
    parts = parts_of_largest(size)
    assert all(0 <= part < 1 << size for part in parts)
    assert size < 32 or ((1 << size) - 1) // 15 in parts
