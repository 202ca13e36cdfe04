"""Polynomials over numbered values, the normal form of sums and products.

Coefficients are integers modulo 2**bits, or floats, computed in double precision and rounded to their bit
size in the end, like a product of two constants that Mesa folds. A monomial is a product of powers of values;
a negative exponent is a division. What cancels keeps the coefficient or exponent 0, so that a caller can tell
`a + b - b` from `a`.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping
from dataclasses import dataclass

from nirls.ir.model.float_bits import float_bits, float_of

Monomial = tuple[tuple[int, int], ...]
"""Numbers of values with their exponents, sorted; empty for a constant."""

_MOST_MONOMIALS = 64
_SMALLEST = {16: 2.0**-14, 32: 2.0**-126, 64: 2.0**-1022}


class NoPolynomialError(Exception):
    """A coefficient is not a normal number, or there are too many monomials."""


@dataclass(frozen=True, slots=True)
class Ring:
    """The coefficients: floats or integers of a bit size."""

    bit_size: int
    is_float: bool

    def constant(self, value: float) -> Polynomial:
        """Return a constant. Raises `NoPolynomialError` for a denormal, an infinity or NaN."""
        return Polynomial(self, {(): self.rounded(value)})

    def value(self, number: int) -> Polynomial:
        """Return a value as it is."""
        return Polynomial(self, {((number, 1),): 1.0 if self.is_float else 1})

    def settled(self, value: float) -> float:
        """Return a coefficient in the ring."""
        return value if self.is_float else int(value) % (1 << self.bit_size)

    def rounded(self, value: float) -> float:
        """Round a coefficient to the bit size. Raises `NoPolynomialError` if it is not a normal number."""
        if not self.is_float:
            return value
        try:
            rounded = float_of(float_bits(value, self.bit_size), self.bit_size)
        except OverflowError:
            raise NoPolynomialError from None
        if value and not _SMALLEST[self.bit_size] <= abs(rounded) < math.inf:
            raise NoPolynomialError
        return rounded + 0.0


@dataclass(frozen=True, slots=True)
class Polynomial:
    """A sum of monomials with their coefficients. Operations raise `NoPolynomialError`."""

    ring: Ring
    terms: Mapping[Monomial, float]

    def __neg__(self) -> Polynomial:
        return Polynomial(
            self.ring, {powers: self.ring.settled(-factor) for powers, factor in self.terms.items()}
        )

    def __add__(self, other: Polynomial) -> Polynomial:
        terms = dict(self.terms)
        for one, factor in other.terms.items():
            terms[one] = self.ring.settled(terms[one] + factor) if one in terms else factor
        return self._of(terms)

    def __sub__(self, other: Polynomial) -> Polynomial:
        return self + -other

    def __mul__(self, other: Polynomial) -> Polynomial:
        terms: dict[Monomial, float] = {}
        for one, factor in self.terms.items():
            for another, times in other.terms.items():
                both = _product(one, another)
                coefficient = self.ring.settled(factor * times)
                if both in terms:
                    coefficient = self.ring.settled(terms[both] + coefficient)
                terms[both] = coefficient
        return self._of(terms)

    def _of(self, terms: dict[Monomial, float]) -> Polynomial:
        if len(terms) > _MOST_MONOMIALS:
            raise NoPolynomialError
        return Polynomial(self.ring, terms)

    def inverse(self) -> Polynomial:
        """Return the inverse of a single monomial."""
        ((product, factor),) = self.terms.items()
        if not factor:
            raise NoPolynomialError
        powers = tuple((number, -exponent) for number, exponent in product)
        return Polynomial(self.ring, {powers: self.ring.settled(1.0 / factor)})

    def reduced(self) -> Polynomial:
        """Return the polynomial without monomials and factors that cancel."""
        total = Polynomial(self.ring, {})
        for powers, factor in self.terms.items():
            if factor:
                left = tuple(power for power in powers if power[1])
                total += Polynomial(self.ring, {left: factor})
        return Polynomial(self.ring, {powers: factor for powers, factor in total.terms.items() if factor})

    @property
    def is_reduced(self) -> bool:
        """Whether nothing cancels."""
        return all(self.terms.values()) and all(exponent for term in self.terms for _, exponent in term)

    @property
    def is_zero(self) -> bool:
        """Whether it is the constant 0."""
        return not any(self.terms.values()) and not any(self.terms)

    @property
    def key(self) -> Hashable:
        """The ring and the rounded coefficients. Raises `NoPolynomialError`."""
        return self.ring, frozenset(
            (powers, self.ring.rounded(factor)) for powers, factor in self.terms.items()
        )

    @property
    def is_negative(self) -> bool:
        """Whether the first monomial has a negative coefficient: it has in one of two opposites."""
        return self.terms[min(self.terms)] < 0 if self.terms else False


def _product(one: Monomial, other: Monomial) -> Monomial:
    if not one or not other:
        return one or other
    powers = dict(one)
    for number, exponent in other:
        powers[number] = powers.get(number, 0) + exponent
    return tuple(sorted(powers.items()))
