from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nirls.verification.proof.polynomials import NoPolynomialError, Polynomial, Ring

INTEGERS = Ring(8, is_float=False)
FLOATS = Ring(32, is_float=True)
A, B, C = (FLOATS.value(number) for number in (1, 2, 3))

polynomials = st.recursive(
    st.one_of(st.integers(0, 255).map(INTEGERS.constant), st.integers(0, 3).map(INTEGERS.value)),
    lambda inner: st.one_of(
        st.tuples(inner, inner).map(lambda two: two[0] + two[1]),
        st.tuples(inner, inner).map(lambda two: two[0] - two[1]),
        inner.map(lambda one: -one),
    ),
    max_leaves=6,
)


def value(polynomial: Polynomial, values: list[int]) -> int:
    total = 0
    for monomial, factor in polynomial.terms.items():
        for number, exponent in monomial:
            factor *= values[number] ** exponent
        total += int(factor)
    return total % 256


@given(polynomials, polynomials, st.lists(st.integers(0, 255), min_size=4, max_size=4))
def test_operations_are_those_of_the_values(one: Polynomial, other: Polynomial, values: list[int]) -> None:
    assert value(one + other, values) == (value(one, values) + value(other, values)) % 256
    assert value(one - other, values) == (value(one, values) - value(other, values)) % 256
    assert value(one * other, values) == value(one, values) * value(other, values) % 256
    assert value(one.reduced(), values) == value(one, values)


def test_sums_and_products_have_one_form() -> None:
    assert A * (B + C) == A * C + B * A
    assert A - (B - C) == C - B + A
    assert A * B != A * C
    assert A - B != B - A


def test_what_cancels_is_kept_until_it_is_reduced() -> None:
    assert A + B - B != A
    assert (A + B - B).reduced() == A
    assert A * B * B.inverse() != A
    assert (A * B * B.inverse()).reduced() == A
    assert (A + FLOATS.constant(-0.0)).reduced() == A


def test_quotients() -> None:
    assert (A * B).inverse() == A.inverse() * B.inverse()
    with pytest.raises(NoPolynomialError):
        FLOATS.constant(0.0).inverse()


def test_constants_are_folded_in_any_order() -> None:
    tenth, third, seventh = (FLOATS.constant(1 / number) for number in (10, 3, 7))
    assert (tenth * third * seventh).key == (seventh * tenth * third).key
    folded = FLOATS.rounded(tenth.terms[()] * third.terms[()])
    assert (A * tenth * third).key == (A * FLOATS.constant(folded)).key
    assert (A * tenth).key != (A * FLOATS.constant(tenth.terms[()] + 2.0**-27)).key


def test_a_product_out_of_range_has_no_key() -> None:
    large = FLOATS.constant(2.0**100)
    with pytest.raises(NoPolynomialError):
        (A * large * large).key  # noqa: B018


@pytest.mark.parametrize("number", [float("inf"), float("nan"), 1e-40, 1e39])
def test_special_numbers_are_no_coefficients(number: float) -> None:
    with pytest.raises(NoPolynomialError):
        FLOATS.constant(number)


def test_opposites_have_one_sign() -> None:
    assert (A - B).is_negative != (B - A).is_negative
