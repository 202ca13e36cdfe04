from __future__ import annotations

import numpy as np

from nirls.verification.inputs.constants import compared_values, constants_of, neighbours
from tests.passes.shader_text import ONE, ZERO, shader, store


def test_what_is_compared() -> None:
    parsed = shader(
        "VERTEX",
        ZERO,
        "32 %2 = @load_ubo (%0, %0) (access=none, align_mul=16, align_offset=0, range_base=0, range=16)",
        "32 %7 = load_const (0x00000005)",
        "32 %8 = iand %2, %7",
        "1 %9 = ilt %8, %7",
        "32 %10 = b2i32 %9",
        store("VAR0", "%10"),
    )
    found = {value.index: set(numbers) for value, numbers in compared_values(parsed)}
    assert found == {8: {5, 6, 4}, 2: {5, 0}}


def test_the_operand_of_another_operation_tells_nothing() -> None:
    parsed = shader(
        "VERTEX",
        ZERO,
        "32 %2 = @load_ubo (%0, %0) (access=none, align_mul=16, align_offset=0, range_base=0, range=16)",
        "32 %7 = load_const (0x00000005)",
        "32 %8 = iadd %2, %7",
        "1 %9 = ilt %8, %7",
    )
    assert [value.index for value, _ in compared_values(parsed)] == [8]


def test_a_comparison_of_two_values_tells_nothing() -> None:
    load = "@load_ubo (%0, %0) (access=none, align_mul=16, align_offset=0, range_base=0, range=16)"
    parsed = shader("VERTEX", ZERO, f"32 %2 = {load}", f"32 %3 = {load}", "1 %4 = flt %2, %3")
    assert list(compared_values(parsed)) == []


def test_neighbours() -> None:
    assert neighbours(0, 32, as_float=False) == (0, 1, 0xFFFFFFFF)
    assert neighbours(0x3F800000, 32, as_float=True) == (0x3F800000, 0x3F800001, 0x3F7FFFFF)
    assert neighbours(0x3C00, 16, as_float=True) == (0x3C00, 0x3C01, 0x3BFF)
    assert neighbours(0, 32, as_float=True) == (0, 1, 0x80000001)


def test_constants_by_size() -> None:
    parsed = shader(
        "VERTEX", ZERO, ONE, "16 %2 = load_const (0x3c00)", "1 %3 = load_const (true)", store("VAR0")
    )
    both = constants_of([parsed], [parsed])
    assert {bit_size: values.tolist() for bit_size, values in both.every.items()} == {
        32: [0, 0x3F800000],
        16: [0x3C00],
    }


def test_constants_of_one_side_are_half_of_all() -> None:
    few = shader("VERTEX", ZERO, ONE, store("VAR0"))
    more = shader("VERTEX", ZERO, ONE, "32 %2 = load_const (0x449a5000)", store("VAR0"))
    values = constants_of([few], [more]).every[32].tolist()
    assert 2 * values.count(0x449A5000) > len(values)


def test_numbers_around_a_constant_of_one_side() -> None:
    few = shader("VERTEX", ZERO, ONE, store("VAR0"))
    more = shader("VERTEX", ZERO, ONE, "32 %2 = load_const (0x40000000)", store("VAR0"))
    assert constants_of([few], [few]).of_one_side[32].tolist() == []
    numbers = constants_of([more], [few]).of_one_side[32].astype(np.uint32)
    assert numbers.view(np.float32).tolist()[:4] == [2.0, 8.0, -2.0, 0.5]
    # As an integer: its neighbour. Its opposite is that of the float by chance.
    assert numbers.tolist()[4:] == [0x40000001]
