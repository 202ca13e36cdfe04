from __future__ import annotations

import pytest

from tools.fuzz.notes import Notes


def test_what_a_step_raises_goes_no_further() -> None:
    notes = Notes()
    with notes.step("first"):
        raise KeyError("a")
    with notes.step("second"):
        pass
    (wrong,) = notes.wrong
    assert (wrong.step, wrong.detail) == ("first", "KeyError: 'a'")
    assert "test_notes.py" in wrong.signature[0]
    assert wrong.signature[1] == "KeyError"


def test_answers_are_not_noted() -> None:
    notes = Notes()
    with notes.step("first", ValueError):
        raise ValueError
    assert notes.wrong == []


def test_nobody_stops_an_interrupt() -> None:
    with pytest.raises(KeyboardInterrupt), Notes().step("first"):
        raise KeyboardInterrupt


def test_expectations() -> None:
    notes = Notes()
    notes.expect(True, "first", "it holds")
    notes.expect(False, "second", "it does not")
    (wrong,) = notes.wrong
    assert wrong.signature == ("second", "it does not")
