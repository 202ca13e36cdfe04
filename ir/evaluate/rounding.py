"""Rounding errors of float computations, followed along with the values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from nirls.ir.evaluate.value import Value
from nirls.ir.instructions import AluInstr

if TYPE_CHECKING:
    from nirls.ir.evaluate.steps.arithmetic import Plan

Array = NDArray[Any]


class Rounding:
    """How one ALU instruction passes on the errors of its sources, and what it adds."""

    __slots__ = ("exact", "plan")

    def __init__(self, plan: Plan, exact: bool) -> None:
        self.plan = plan
        self.exact = exact

    @classmethod
    def of(cls, instr: AluInstr, plan: Plan) -> Rounding:
        return cls(plan, instr.exact)

    def follow(self, sources: list[Value], decoded: list[Array], result: Value) -> None:
        """Set `error` and `fragile` of the result."""


_MANTISSA = {16: 11, 32: 24, 64: 53}
_SMALLEST = {16: 2.0**-24, 32: 2.0**-149, 64: 2.0**-1074}


def half_ulp(values: Array, bit_size: int) -> Array:
    """Half the distance between neighbouring floats of a size around each float64 value."""
    with np.errstate(all="ignore"):
        return np.maximum(np.abs(values) * 2.0 ** -_MANTISSA[bit_size], _SMALLEST[bit_size])
