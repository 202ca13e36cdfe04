from __future__ import annotations

import pytest

from nirls.verification.proof.values import UnprovedError, Values


def test_equal_keys_have_one_number() -> None:
    values = Values()
    first = values.number("a", 0, ("fadd", 1, 2))
    assert values.number("b", 0, ("fadd", 1, 2)) == first
    assert values.number("c", 0, ("fadd", 2, 2)) != first


def test_each_key_has_a_number_of_its_own() -> None:
    values = Values()
    numbers = [values.number("a", 0, key) for key in "xyz"]
    assert len(set(numbers)) == 3
    values.end_round()
    values.start_round()
    assert [values.number("a", 0, key) for key in "xyz"] == numbers


def test_numbers_of_owners_stay_in_the_next_round() -> None:
    values = Values()
    first = values.number("a", 0, "x")
    values.end_round()
    values.start_round()
    assert values.number("b", 0, "x") != first
    assert values.number("a", 0, "y") == first


def test_what_is_computed_of_undefined_values_is_undefined() -> None:
    values = Values()
    undefined, known = values.undefined_value("u", 0, 32), values.number("k", 0, "known")
    made = values.number("m", 0, ("fadd", undefined, known))
    values.taint((made,), (undefined, known))
    values.taint((known,), (known,))
    assert values.undefined == {undefined, made}
    assert values.undefined_numbers() == {undefined}


def test_a_phi_of_equal_values_is_that_value() -> None:
    values = Values()
    one, other = values.number("a", 0, "x"), values.number("b", 0, "y")
    assert values.joined({0: [one], 1: [one]}, 2, [32], [("p", 0)]) == [one]
    (joined,) = values.joined({0: [one], 1: [other]}, 2, [32], [("p", 0)])
    assert joined not in (one, other)
    assert values.joined({0: [one], 1: [other]}, 2, [32], [("q", 0)]) == [joined]
    assert values.joined({0: [one], 1: [other]}, 3, [32], [("r", 0)]) != [joined]
    with pytest.raises(UnprovedError):
        values.joined({0: None}, 2, [32], [("s", 0)])


def test_limits_are_all_of_those_before_and_those_in_common_after() -> None:
    values = Values()
    exact, both = frozenset(("exact",)), frozenset(("exact", "preserve:nan"))
    for words in (exact, both, frozenset[str]()):
        values.limit(1, words, 0)
        values.limit(1, words, 1)
    assert values.words == ({1: both}, {1: frozenset()})
