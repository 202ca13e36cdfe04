"""Floats as raw bits."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nirls.ir.model.float_bits import FLOAT_SIZES, float_bits, float_of, is_finite


def test_known_floats() -> None:
    assert float_of(0x3C00, 16) == 1.0
    assert float_of(0xC0000000, 32) == -2.0
    assert math.isnan(float_of(0x7FF8000000000000, 64))
    assert float_bits(1.0, 16) == 0x3C00
    assert float_bits(-2.0, 32) == 0xC0000000
    assert float_bits(0.1, 32) == 0x3DCCCCCD


@given(st.sampled_from(sorted(FLOAT_SIZES)), st.data())
def test_bits_are_kept(size: int, data: st.DataObject) -> None:
    bits = data.draw(st.integers(0, (1 << size) - 1))
    number = float_of(bits, size)
    if number == number:
        assert float_bits(number, size) == bits
        assert is_finite(bits, size) == (abs(number) != math.inf)
    else:
        assert not is_finite(bits, size)


def test_other_sizes_and_numbers() -> None:
    assert math.isnan(float_of(0, 8))
    assert math.isnan(float_of(0x3C000, 16))
    assert not is_finite(1, 8)
    with pytest.raises(KeyError):
        float_bits(0.0, 8)
    with pytest.raises(OverflowError):
        float_bits(1e39, 32)
