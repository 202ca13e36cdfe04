"""Choosing and joining values with all their marks."""

from __future__ import annotations

import numpy as np

from nirls.verification.evaluate.values.value import (
    Override,
    Value,
    constant,
    either,
    on_any_component,
    overridden,
    select,
    stack,
    undefined_value,
)

MASK = np.array([True, False])


def test_select_takes_marks_along() -> None:
    known = Value(np.array([[1, 1]], np.uint32), 32, error=np.array([[0.5, 0.5]]))
    chosen = select(MASK, known, undefined_value(1, 32, 2))
    assert chosen.poison is not None
    assert chosen.error is not None
    assert chosen.poison.tolist() == [[False, True]]
    assert chosen.error.tolist() == [[0.5, 0.0]]
    assert select(MASK, known, known).poison is None


def test_stack_fills_in_missing_marks() -> None:
    value = stack([Value(np.array([[1, 2]], np.uint32), 32), undefined_value(1, 32, 2)])
    assert value.bits.shape == (2, 2)
    assert value.poison is not None
    assert value.poison.tolist() == [[False, False], [True, True]]
    assert on_any_component(value.poison).tolist() == [True, True]
    assert value.component(0).poison is not None
    assert not value.component(0).poison.any()


def test_either_of_nothing_is_nothing() -> None:
    assert either(None, None) is None
    marks = either(MASK, np.array([False, False]))
    assert marks is not None
    assert marks.tolist() == [True, False]
    assert either(None, MASK) is MASK


def test_constants_are_cut_to_their_size() -> None:
    assert constant((-1, 0x1FF), 8, 3).bits.tolist() == [[255] * 3, [255] * 3]


def test_overrides_of_one_component_apply_together() -> None:
    value = Value(np.arange(8, dtype=np.uint32).reshape(2, 4), 32, poison=np.ones((2, 4), np.bool_))
    lanes = np.eye(4, dtype=np.bool_)
    overrides = [Override(1, lanes[lane], np.full(4, 100 + lane, np.uint64)) for lane in (0, 2)]
    result = overridden(value, overrides)
    assert result.bits.tolist() == [[0, 1, 2, 3], [100, 5, 102, 7]]
    assert result.poison is not None
    assert result.poison[1].tolist() == [False, True, False, True]
    assert value.bits.tolist() == [[0, 1, 2, 3], [4, 5, 6, 7]]
