"""How one opcode rounds: the declaration that `rounding` follows, and the errors of results by format.

The bounds of operations that hardware approximates or drivers lower are those of Vulkan's table "Precision of
Individual Operations" for 16 and 32 bits, and of OpenCL's "Relative Error as ULPs" for 64 bits, which has no
limit for divisions and roots that are lowered: they may be off by 2 ulps.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np

from nirls.verification.evaluate.alu.error_rules import Jump, Rule, unknown
from nirls.verification.evaluate.values.arrays import Array

ErrorClass = Literal["exact", "rounded", "approximate"]

Own = Callable[[list[Array], Array, int], Array]
"""Return the error of the result alone, from the sources, the result and its bit size."""

MANTISSA = {16: 11, 32: 24, 64: 53}
_RELATIVE = {size: 2.0**-digits for size, digits in MANTISSA.items()}
_SMALLEST = {16: 2.0**-24, 32: 2.0**-149, 64: 2.0**-1069}
"""The least errors, for 64 bits more than half a denormal: smaller ones count as the sign of a zero."""


def half_ulp(values: Array, bit_size: int) -> Array:
    """Return an upper bound on half an ulp, in floats of `bit_size`, around each float64 value."""
    with np.errstate(all="ignore"):
        return np.maximum(np.abs(values) * _RELATIVE[bit_size], _SMALLEST[bit_size])


@dataclass(frozen=True, slots=True)
class FloatError:
    """Rounding of an operation on floats, or on what floats are made of.

    `own` is None for a result that is never rounded. `rule` passes the errors of the sources on. `jump` gives
    the numbers that are discontinuous in the sources; an operation that `is_step` has no other errors.
    `is_exact` tells where a result that does not round equals that of real arithmetic, for 64 bits only if it
    `tells_exact_64`. `flips` marks where
    the errors of the sources may change the result, or the integer or boolean that it is, arbitrarily.
    `compares` is set for a comparison of two floats whose result is a float, `is_monotonic` for integers
    whose fields never decrease when a source increases, `is_mask` for operations that select bits, `is_copy`
    for those that only change the sign. `exact_own` is the error of an exact one that drivers lower in
    several ways all the same. `coarse` is the error that `own` has at worst where a driver computes it by a
    polynomial.
    """

    error_class: ErrorClass = "exact"
    rule: Rule = unknown
    own: Own | None = None
    is_exact: Callable[[list[Array], Array], Array] | None = None
    tells_exact_64: bool = False
    jump: Jump | None = None
    flips: Callable[[list[Array], list[Array]], Array] | None = None
    is_step: bool = False
    compares: bool = False
    is_monotonic: bool = False
    is_mask: bool = False
    is_copy: bool = False
    exact_own: Own | None = None
    coarse: Own | None = None

    @property
    def is_known(self) -> bool:
        """Whether there is a rule for the errors of the sources."""
        return self.rule is not unknown


NO_ERROR = FloatError()


def ulps(count: float) -> Own:
    """Return the error of a result that may be off by so many units in the last place of its format."""
    return lambda x, r, size: 2 * count * half_ulp(r, size)


_HALF_ULP, _TWO_ULPS = ulps(0.5), ulps(2)


def rounded(rule: Rule = unknown, own: Own = _HALF_ULP, **more: object) -> FloatError:
    """Declare an operation that rounds once."""
    return FloatError("rounded", rule, own, **more)  # type: ignore[arg-type]


def approximate(rule: Rule = unknown, own: Own = _TWO_ULPS, **more: object) -> FloatError:
    """Declare an operation that hardware approximates, or that drivers lower to several."""
    return FloatError("approximate", rule, own, **more)  # type: ignore[arg-type]


def fused_own(x: list[Array], r: Array, size: int) -> Array:
    """Return the error of `x[0] * x[1] + x[2]`, which may be computed as a rounded product and a sum."""
    return half_ulp(r, size) + half_ulp(x[0] * x[1], size)


def dot_own(x: list[Array], r: Array, size: int) -> Array:
    """Return the error of a dot product in any order of its terms."""
    return half_ulp(r, size) + x[0].shape[0] * half_ulp(np.abs(x[0] * x[1]).sum(axis=0, keepdims=True), size)


def sum_own(x: list[Array], r: Array, size: int) -> Array:
    """Return the error of a sum of components, or of a dot product and a component, in any order."""
    terms = [x[0]] if len(x) == 1 else [x[0] * x[1][:3], x[1][3:]]
    magnitude = sum((np.abs(term).sum(axis=0, keepdims=True) for term in terms), np.zeros((1, 1)))
    return half_ulp(r, size) + x[-1].shape[0] * half_ulp(magnitude, size)


def mix_own(x: list[Array], r: Array, size: int) -> Array:
    """Return the error of an interpolation in any form."""
    terms = (np.abs(x[0]) + np.abs(x[1])) * np.maximum(1.0, np.abs(x[2]))
    return half_ulp(r, size) + 3 * half_ulp(terms, size)


def exact_mix_own(x: list[Array], r: Array, size: int) -> Array:
    """Return the error of a precise interpolation, fused or not: none at either end."""
    return np.where((x[2] == 0) | (x[2] == 1), 0.0, mix_own(x, r, size))


def exponential_own(x: list[Array], r: Array, size: int) -> Array:
    """Return the error of `2 ** x[0]`: 3 ulps, and 2 more for each unit of the exponent."""
    steepness = np.where(np.isfinite(x[0]), np.abs(x[0]), 0.0) if size != 64 else 0.0
    return 2 * half_ulp(r, size) * (3 + 2 * steepness)


def flushed_own(count: float) -> Own:
    """Return the error of a division or root: so many ulps, and for 64 bits that of a flushed denormal.

    What drivers lower 64-bit ones to gives zero instead of a denormal (`nir_lower_doubles`).
    """
    own = ulps(count)

    def flushed(x: list[Array], r: Array, size: int) -> Array:
        lost = own(x, r, size)
        if size != 64:
            return lost
        magnitude = np.abs(r)
        return np.where(magnitude < np.finfo(np.float64).tiny, lost + magnitude, lost)

    return flushed


def logarithm_own(x: list[Array], r: Array, size: int) -> Array:
    """Return the error of a logarithm: 3 ulps, and an absolute one near 1."""
    near_one = {16: 2.0**-7, 32: 2.0**-21, 64: 0.0}[size]
    return np.maximum(6 * half_ulp(r, size), np.where((x[0] >= 0.5) & (x[0] <= 2.0), near_one, 0.0))


def power_own(x: list[Array], r: Array, size: int) -> Array:
    """Return the error of `exp2(x[1] * log2(x[0]))`."""
    steepness = np.abs(x[1] * np.log2(np.maximum(x[0], 1e-300)))
    return half_ulp(r, size) * (16.0 + 4.0 * np.where(np.isfinite(steepness), steepness, 0.0))


def wave_own(angle: float) -> Own:
    """Return the error of a sine or cosine of the source times `angle`.

    It is absolute up to half a turn, and grows with the angle beyond. The angle and its product with the
    source are rounded too.
    """

    def own(x: list[Array], r: Array, size: int) -> Array:
        absolute = {16: 2.0**-7, 32: 2.0**-11, 64: 0.0}[size]
        turns = np.maximum(1.0, np.where(np.isfinite(x[0]), np.abs(angle * x[0]), 0.0) / math.pi)
        return np.maximum(8 * half_ulp(r, size), absolute * turns) + half_ulp(2 * angle * x[0], size)

    return own


def coarse_wave_own(x: list[Array], r: Array, size: int) -> Array:
    """Return the error of a sine or cosine by a polynomial of few terms, as drivers lower them."""
    return np.full(r.shape, _COARSE)


_COARSE = 2.0**-6


def is_exact_sum(x: list[Array], r: Array) -> Array:
    """Return where `r` is the sum without rounding, for 64 bits too.

    The difference of the sum and its larger term does not round.
    """
    total = x[0] + x[1]
    return (total == r) & (total - x[0] == x[1]) & (total - x[1] == x[0])


def is_exact_product(x: list[Array], r: Array) -> Array:
    """Return where `r` is the product without rounding, for formats of less than 64 bits."""
    exact: Array = x[0] * x[1] == r
    return exact


def is_same_number(x: list[Array], r: Array) -> Array:
    """Return where a conversion did not round."""
    same: Array = x[0] == r
    return same
