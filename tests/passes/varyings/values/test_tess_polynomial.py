"""Arithmetic of the weights in an interpolation."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nirls.passes.varyings.values.tess_polynomial import (
    ONE,
    W_IN_TRIANGLES,
    TessCoordPolynomial,
    TooLargeError,
)

U, V, W = (TessCoordPolynomial.coordinate(number) for number in range(3))


def polynomials() -> st.SearchStrategy[TessCoordPolynomial]:
    leaves = st.sampled_from(
        [U, V, W, ONE, TessCoordPolynomial(), TessCoordPolynomial.constant(Fraction(1, 2))]
    )
    return st.recursive(
        leaves,
        lambda parts: (
            st.builds(lambda a, b: a + b, parts, parts) | st.builds(lambda a, b: a - b, parts, parts)
        ),
        max_leaves=6,
    )


def value(polynomial: TessCoordPolynomial, u: int, v: int, w: int) -> Fraction:
    return sum((factor * u**i * v**j * w**k for (i, j, k), factor in polynomial.terms), Fraction(0))


@given(polynomials(), polynomials(), st.tuples(*[st.integers(-3, 3)] * 3))
def test_operations_are_those_of_the_values(
    first: TessCoordPolynomial, second: TessCoordPolynomial, point: tuple[int, int, int]
) -> None:
    assert value(first + second, *point) == value(first, *point) + value(second, *point)
    assert value(first - second, *point) == value(first, *point) - value(second, *point)
    assert value(first * second, *point) == value(first, *point) * value(second, *point)
    u, v, _ = point
    assert value(first.with_w(W_IN_TRIANGLES), *point) == value(first, u, v, 1 - u - v)


def test_equal_polynomials_compare_equal() -> None:
    assert (ONE - U) * (ONE + U) == ONE - U * U
    assert (U - U).terms == ()
    assert hash(U + V) == hash(V + U)


def test_coordinates() -> None:
    assert [item.as_coordinate for item in (U, V, W, ONE, U + V)] == [0, 1, 2, None, None]
    assert [item.reads_w for item in (U * V, V * W)] == [False, True]


def test_high_degrees_are_refused() -> None:
    power = U * V * W
    assert (power * power).terms
    with pytest.raises(TooLargeError):
        power * power * U
