"""Memory that invocations can address: buffers, shared and scratch memory, and cells behind derefs."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from nirls.ir.evaluate.environment import Environment
from nirls.ir.evaluate.result import MemoryCell, MemoryKey

Array = NDArray[Any]


class Memory:
    """The cells that were written; everything else is as the environment has it."""

    __slots__ = ("cells", "environment")

    def __init__(self, environment: Environment) -> None:
        self.environment = environment
        self.cells: dict[MemoryKey, MemoryCell] = {}
