"""The float types of the bit sizes."""

from __future__ import annotations

import numpy as np

from nirls.verification.evaluate.values.arrays import FLOAT_TYPES


def test_float_types_have_their_bit_size() -> None:
    assert {size: np.dtype(kind).itemsize * 8 for size, kind in FLOAT_TYPES.items()} == {
        16: 16,
        32: 32,
        64: 64,
    }
