"""Polynomials in the coordinates of gl_TessCoord: the weights by which an evaluation shader interpolates."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

_MOST_TERMS = 64
_MOST_DEGREE = 6
Powers = tuple[int, int, int]
"""The exponents of u, v and w in one term."""


class TooLargeError(Exception):
    """A polynomial has more terms, or a higher degree, than any interpolation that is worth a look."""


@dataclass(frozen=True)
class Polynomial:
    """A polynomial in u, v and w. `terms` has no zeros and is sorted, so equal ones compare equal."""

    terms: tuple[tuple[Powers, Fraction], ...] = ()

    @staticmethod
    def constant(value: Fraction | int) -> Polynomial:
        """The same everywhere."""
        return _of({(0, 0, 0): Fraction(value)})

    @staticmethod
    def coordinate(component: int) -> Polynomial:
        """u, v or w by number."""
        return _of({(int(component == 0), int(component == 1), int(component == 2)): Fraction(1)})

    def __add__(self, other: Polynomial) -> Polynomial:
        total = dict(self.terms)
        for powers, factor in other.terms:
            total[powers] = total.get(powers, Fraction(0)) + factor
        return _of(total)

    def __neg__(self) -> Polynomial:
        return _of({powers: -factor for powers, factor in self.terms})

    def __sub__(self, other: Polynomial) -> Polynomial:
        return self + -other

    def __mul__(self, other: Polynomial) -> Polynomial:
        """The product. Raises TooLargeError."""
        product: dict[Powers, Fraction] = {}
        for (u, v, w), factor in self.terms:
            for (u2, v2, w2), factor2 in other.terms:
                powers = (u + u2, v + v2, w + w2)
                if sum(powers) > _MOST_DEGREE:
                    raise TooLargeError
                product[powers] = product.get(powers, Fraction(0)) + factor * factor2
        return _of(product)

    @cached_property
    def reads_w(self) -> bool:
        """Whether the third coordinate has a part in it."""
        return any(powers[2] for powers, _ in self.terms)

    @property
    def as_coordinate(self) -> int | None:
        """The number of the coordinate that it is; None if it is anything else."""
        numbers = (number for number in range(3) if Polynomial.coordinate(number) == self)
        return next(numbers, None)

    def with_w(self, value: Polynomial) -> Polynomial:
        """The same with w replaced. Raises TooLargeError."""
        total = Polynomial()
        for (u, v, w), factor in self.terms:
            term = _of({(u, v, 0): factor})
            for _ in range(w):
                term = term * value
            total = total + term
        return total


def _of(terms: Mapping[Powers, Fraction]) -> Polynomial:
    """A polynomial of terms. Raises TooLargeError."""
    kept = tuple(sorted((powers, factor) for powers, factor in terms.items() if factor))
    if len(kept) > _MOST_TERMS:
        raise TooLargeError
    return Polynomial(kept)


ONE = Polynomial.constant(1)
W_IN_TRIANGLES = ONE - Polynomial.coordinate(0) - Polynomial.coordinate(1)
"""What w is in a triangle, where the coordinates add up to 1; in quads and isolines it is 0."""
