"""float16 rounding: all halves, and the numbers between them."""

from __future__ import annotations

import random

import numpy as np
import pytest

from nirls.ir.evaluate.alu_half import flush_half_denormals, half_bits, half_bits_toward_zero, half_value
from tests.ir.evaluate.alu_lanes import run
from tests.ir.evaluate.exact_float import bits_of_float, convert, float_of_bits

ALL = np.arange(0x10000, dtype=np.uint32)


def test_every_half_keeps_its_value_and_comes_back() -> None:
    values = half_value(ALL)
    numbers = ~np.isnan(values)
    assert numbers.sum() == 0x10000 - 2 * 1023
    assert (half_bits(values)[numbers] == ALL[numbers]).all()
    assert (half_bits_toward_zero(values)[numbers] == ALL[numbers]).all()
    assert (half_bits(values)[~numbers] == 0x7E00).all()
    sample = [*range(0, 0x10000, 257), 0x0001, 0x03FF, 0x0400, 0x7BFF]
    assert [float(values[bits]) for bits in sample if numbers[bits]] == [
        float_of_bits(bits, 16) for bits in sample if numbers[bits]
    ]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_numbers_between_halves(dtype: type[np.floating]) -> None:
    source = random.Random(3)
    values = [float_of_bits(source.getrandbits(15) % 0x7C00, 16) for _ in range(2000)]
    # Exactly between two halves, and a little to each side of that.
    steps = [(1 + source.choice([2.0**-11, 2.0**-12, 3 * 2.0**-12, 2.0**-20])) for _ in values]
    numbers = np.array(
        [[value * step * source.choice([1, -1]) for value, step in zip(values, steps, strict=True)]], dtype
    )
    nearest, toward_zero = half_bits(numbers)[0].tolist(), half_bits_toward_zero(numbers)[0].tolist()
    for number, near, cut in zip(numbers[0].tolist(), nearest, toward_zero, strict=True):
        assert near == bits_of_float(convert(number, 16), 16)
        assert cut == bits_of_float(convert(number, 16, toward_zero=True), 16)


@pytest.mark.parametrize(
    ("value", "nearest", "toward_zero"),
    [
        (65504.0, 0x7BFF, 0x7BFF),
        (65519.996, 0x7BFF, 0x7BFF),
        (65520.0, 0x7C00, 0x7BFF),
        (-1e30, 0xFC00, 0xFBFF),
        (float("inf"), 0x7C00, 0x7C00),
        (float("-inf"), 0xFC00, 0xFC00),
        (float("nan"), 0x7E00, 0x7E00),
        (2.0**-25, 0x0000, 0x0000),
        (2.0**-25 * 1.0001, 0x0001, 0x0000),
        (-(2.0**-25), 0x8000, 0x8000),
        (-0.0, 0x8000, 0x8000),
    ],
)
def test_ends_of_the_range(value: float, nearest: int, toward_zero: int) -> None:
    number = np.array([[value]], np.float32)
    assert half_bits(number).tolist() == [[nearest]]
    assert half_bits_toward_zero(number).tolist() == [[toward_zero]]
    bits = bits_of_float(convert(value, 32), 32)
    assert run("f2f16_rtne", 32, bits) == nearest
    assert run("f2f16", 32, bits) == nearest
    assert run("f2f16_rtz", 32, bits) == toward_zero


def test_flushed_denormals_keep_their_sign() -> None:
    assert flush_half_denormals(np.array([0x0001, 0x83FF, 0x0400, 0x8000, 0x7C01])).tolist() == [
        *(0x0000, 0x8000, 0x0400, 0x8000, 0x7C01)
    ]
