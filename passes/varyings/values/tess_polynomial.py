"""Polynomials in the components of gl_TessCoord: interpolation weights in evaluation shaders."""

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
    """A polynomial has more terms, or a higher degree, than any supported interpolation."""


@dataclass(frozen=True)
class TessCoordPolynomial:
    """A polynomial in u, v and w. `terms` has no zeros and is sorted, so equal ones compare equal."""

    terms: tuple[tuple[Powers, Fraction], ...] = ()

    @staticmethod
    def constant(value: Fraction | int) -> TessCoordPolynomial:
        """Return a constant polynomial."""
        return _of({(0, 0, 0): Fraction(value)})

    @staticmethod
    def coordinate(component: int) -> TessCoordPolynomial:
        """Return the polynomial u, v or w for component 0, 1 or 2."""
        return _of({(int(component == 0), int(component == 1), int(component == 2)): Fraction(1)})

    def __add__(self, other: TessCoordPolynomial) -> TessCoordPolynomial:
        total = dict(self.terms)
        for powers, factor in other.terms:
            total[powers] = total.get(powers, Fraction(0)) + factor
        return _of(total)

    def __neg__(self) -> TessCoordPolynomial:
        return _of({powers: -factor for powers, factor in self.terms})

    def __sub__(self, other: TessCoordPolynomial) -> TessCoordPolynomial:
        return self + -other

    def __mul__(self, other: TessCoordPolynomial) -> TessCoordPolynomial:
        """Return the product. Raises TooLargeError."""
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
        """Whether the polynomial contains the third coordinate."""
        return any(powers[2] for powers, _ in self.terms)

    @property
    def as_coordinate(self) -> int | None:
        """The number of the coordinate that the polynomial equals; None if there is none."""
        numbers = (number for number in range(3) if TessCoordPolynomial.coordinate(number) == self)
        return next(numbers, None)

    def with_w(self, value: TessCoordPolynomial) -> TessCoordPolynomial:
        """Return the polynomial with w replaced by `value`. Raises TooLargeError."""
        total = TessCoordPolynomial()
        for (u, v, w), factor in self.terms:
            term = _of({(u, v, 0): factor})
            for _ in range(w):
                term = term * value
            total = total + term
        return total


def _of(terms: Mapping[Powers, Fraction]) -> TessCoordPolynomial:
    """Return the polynomial with these terms, zeros removed. Raises TooLargeError."""
    kept = tuple(sorted((powers, factor) for powers, factor in terms.items() if factor))
    if len(kept) > _MOST_TERMS:
        raise TooLargeError
    return TessCoordPolynomial(kept)


ONE = TessCoordPolynomial.constant(1)
W_IN_TRIANGLES = ONE - TessCoordPolynomial.coordinate(0) - TessCoordPolynomial.coordinate(1)
"""The value of w in a triangle, where the coordinates add up to 1; in quads and isolines it is 0."""
