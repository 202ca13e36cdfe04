"""Raw bits to values and back."""

from __future__ import annotations

import numpy as np
import pytest

from nirls.verification.evaluate.alu.operation import allowed_bit_sizes, decode, encode
from nirls.verification.evaluate.values.arrays import container_type
from nirls.verification.evaluate.values.errors import Unsupported


@pytest.mark.parametrize("size", [0, 2, 24, 128])
def test_sizes_that_no_value_has_are_not_supported(size: int) -> None:
    with pytest.raises(Unsupported):
        container_type(size)


def test_allowed_bit_sizes() -> None:
    assert allowed_bit_sizes("float") == (16, 32, 64)
    assert allowed_bit_sizes("bool") == (1, 8, 16, 32)
    assert allowed_bit_sizes("int") == (1, 8, 16, 32, 64)
    assert allowed_bit_sizes("uint64") == (64,)


@pytest.mark.parametrize(
    ("base", "size", "bits", "values"),
    [
        ("int", 1, [0, 1], [0, -1]),
        ("uint", 1, [0, 1], [0, 1]),
        ("bool", 1, [0, 1], [False, True]),
        ("bool", 32, [0, 0xFFFFFFFF], [False, True]),
        ("int", 8, [0x80, 0x7F], [-128, 127]),
        ("int", 64, [1 << 63], [-(1 << 63)]),
        ("float", 16, [0x3C00, 0x0001], [1.0, 2.0**-24]),
        ("float", 32, [0x80000001], [-(2.0**-149)]),
        ("float", 64, [0x3FF0000000000001], [1 + 2.0**-52]),
    ],
)
def test_decode_and_encode_are_inverse(base: str, size: int, bits: list[int], values: list[object]) -> None:
    raw = np.array([bits], container_type(size))
    value = decode(raw, base, size)
    assert value.tolist() == [values]
    back = encode(value, base, size)
    assert back.dtype == raw.dtype
    assert back.tolist() == [bits]


def test_encode_wraps_integers_and_rounds_floats_once() -> None:
    assert encode(np.array([[-1, 256, 257]]), "uint", 8).tolist() == [[0xFF, 0, 1]]
    assert encode(np.array([[2, 3, -1]]), "int", 1).tolist() == [[0, 1, 1]]
    # A float32 in between would round the second one to the tie 1 + 2**-11, and that down to 1.
    assert encode(np.array([[1 + 2.0**-11, 1 + 2.0**-11 + 2.0**-40]]), "float", 16).tolist() == [
        [0x3C00, 0x3C01]
    ]


@pytest.mark.parametrize(("size", "bits"), [(16, 0x7E00), (32, 0x7FC00000), (64, 0x7FF8000000000000)])
def test_every_nan_is_encoded_alike(size: int, bits: int) -> None:
    assert encode(np.array([[np.nan, -np.nan]]), "float", size).tolist() == [[bits, bits]]
