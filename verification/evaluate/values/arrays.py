"""Types of the numpy arrays that have an element for each lane."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from nirls.verification.evaluate.values.errors import Unsupported

Array = NDArray[Any]
"""Numbers, raw bits or marks; the last axis is the lanes."""

FLOAT_TYPES: dict[int, type[np.floating[Any]]] = {16: np.float16, 32: np.float32, 64: np.float64}
"""The float type of each bit size."""

_CONTAINER: dict[int, type[np.unsignedinteger[Any]]] = {
    1: np.uint8,
    8: np.uint8,
    16: np.uint16,
    32: np.uint32,
    64: np.uint64,
}


def container_type(bit_size: int) -> type[np.unsignedinteger[Any]]:
    """Return the numpy type that holds the raw bits of a value; 1-bit values are bytes of 0 or 1.

    Raises `Unsupported` for a size that no value may have.
    """
    container = _CONTAINER.get(bit_size)
    if container is None:
        raise Unsupported(f"a value of {bit_size} bits")
    return container
