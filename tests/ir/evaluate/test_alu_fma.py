"""Fused multiply-add rounds once, at every size, also where two roundings differ."""

from __future__ import annotations

import random

import numpy as np
import pytest

from nirls.ir.evaluate.alu import evaluate_alu
from nirls.ir.evaluate.alu_operation import container_type
from tests.ir.evaluate.exact_float import Arithmetic, bits_of_float, float_of_bits


def check(size: int, lanes: list[tuple[int, int, int]]) -> None:
    sources = [np.array([[lane[index] for lane in lanes]], container_type(size)) for index in range(3)]
    got = evaluate_alu("ffma", sources, dest_components=1, dest_bit_size=size)[0].tolist()
    reference = Arithmetic(size)
    for lane, result in zip(lanes, got, strict=True):
        wanted = reference.multiply_add(*(float_of_bits(bits, size) for bits in lane))
        assert result == bits_of_float(wanted, size), (size, [hex(bits) for bits in lane])


@pytest.mark.parametrize("size", [16, 32, 64])
def test_random_bits(size: int) -> None:
    source = random.Random(size)
    check(size, [tuple(source.getrandbits(size) for _ in range(3)) for _ in range(1500)])


@pytest.mark.parametrize("size", [16, 32, 64])
def test_products_that_nearly_cancel_the_addend(size: int) -> None:
    source, reference = random.Random(size), Arithmetic(size)
    lanes = []
    for _ in range(1500):
        a, b = (near_one(size, source) for _ in range(2))
        product = bits_of_float(reference.multiply(float_of_bits(a, size), float_of_bits(b, size)), size)
        lanes.append((a, b, (product + source.randrange(-2, 3)) ^ (1 << (size - 1))))
    check(size, lanes)


@pytest.mark.parametrize("size", [16, 32, 64])
def test_addends_that_decide_a_tie(size: int) -> None:
    """The product ends in exactly half a unit, and a tiny addend breaks the tie."""
    source = random.Random(size)
    digits = {16: 10, 32: 23, 64: 52}[size]
    lanes = []
    for _ in range(1500):
        # (1 + k ulp) * 1.5 ends in a half for odd k.
        one = bits_of_float(1.0, size)
        a = one + (source.getrandbits(digits - 1) | 1)
        tiny = source.choice([0, 1, 2, 1 << digits, one - (source.randrange(digits, 2 * digits) << digits)])
        tiny = max(tiny, 0)
        lanes.append((a, bits_of_float(1.5, size), tiny | source.getrandbits(1) << (size - 1)))
    check(size, lanes)


@pytest.mark.parametrize("size", [16, 32, 64])
def test_range_ends(size: int) -> None:
    """Overflow that the addend may prevent, denormal results, signs of zeros, non-finite sources."""
    mask = (1 << (size - 1)) - 1
    infinity = bits_of_float(float("inf"), size)
    one = bits_of_float(1.0, size)
    interesting = [0, 1, 2, infinity - 1, infinity - 2, infinity, infinity + 1, one, one + 1, one - 1]
    interesting += [1 << {16: 10, 32: 23, 64: 52}[size], (one >> 1) & mask, bits_of_float(1.5, size)]
    signed = [bits | sign << (size - 1) for bits in interesting for sign in (0, 1)]
    source = random.Random(size)
    check(size, [tuple(source.choice(signed) for _ in range(3)) for _ in range(3000)])


def test_float32_differs_from_two_roundings() -> None:
    """1.000000119 * 1.000000119 - 1.000000238: the rounded product would cancel to zero."""
    a, c = 0x3F800001, 0xBF800002
    fused = evaluate_alu(
        "ffma", [np.array([[bits]], np.uint32) for bits in (a, a, c)], dest_components=1, dest_bit_size=32
    )
    assert fused.tolist() == [[0x28800000]]


def near_one(size: int, source: random.Random) -> int:
    digits = {16: 10, 32: 23, 64: 52}[size]
    return bits_of_float(1.0, size) + source.getrandbits(digits)
