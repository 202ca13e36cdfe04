"""Types of the numpy arrays that have an element for each lane."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
"""Numbers, raw bits or marks; the last axis is the lanes."""

FLOAT_TYPES: dict[int, type[np.floating[Any]]] = {16: np.float16, 32: np.float32, 64: np.float64}
"""The float type of each bit size."""
